"""Numbers quoted in the text of /rmsnorm."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch

from lnviz.lessons.rmsnorm.offset import UNITS
from lnviz.lessons.rmsnorm.partial import FRACTION
from lnviz.pretrained import SMOLLM2
from lnviz.pretrained.stored_records import stored_records
from lnviz.topics.transformer.centering import CENTERING, at_random

WIDE = 4096  # the width of LLaMA 7B
TENTH = 0.1


def text_values() -> Mapping[str, float]:
    """Return the losses, ratios of mean to RMS and settings that are quoted in /rmsnorm."""
    result = CENTERING.result
    layer = result.tensor("loss", "step", "seed", norm="layer")[-1].mean().item()
    replaced = result.tensor("changed_loss", "step", "seed", rewriting="replaced")[-1].mean().item()
    page = stored_records(SMOLLM2.key).passage_record
    share = torch.tensor(page.x_mean).abs() / torch.tensor(page.x_rms)
    offset = result.tensor("offset", "step", "seed", "place", norm="layer")[-1]
    return {
        "layer-loss": layer,
        "replaced-loss": replaced,
        "mean-share": offset.mean().item(),
        "smollm2-median": share.median().item(),
        "tenth": math.degrees(math.asin(TENTH)),
        "taken": UNITS * FRACTION.start,
        "units": UNITS,
        "soon": result.specification.every,
        "wide": WIDE,
        "wide-share": at_random(WIDE),
    }
