"""The numbers that the text says."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from lnviz.lessons.successors.curves import SIZE
from lnviz.topics.successors.cloud import Cloud, stored


def values() -> Mapping[str, float]:
    """How far the slider goes, and what curves through a network's norms leave unexplained."""
    found = stored()
    lines, gains = zip(*(_unexplained(cloud) for cloud in (found.before, found.after)), strict=True)
    return {
        "largest": SIZE.values[-1],
        "divisor": 1 / SIZE.values[0],
        "line-least": torch.stack(lines).min().item(),
        "line-most": torch.stack(lines).max().item(),
        "ahead": torch.stack(gains).max().item(),
        "spread": torch.tensor(found.after.spread).mean(0)[-1].item(),
    }


def _unexplained(cloud: Cloud) -> tuple[Tensor, Tensor]:
    """By norm, in percent, the mean over the seeds: what a line leaves, and tanh less than that."""
    line, tanh = (100 * torch.tensor(each).mean(0) for each in (cloud.straight, cloud.bent))
    return line, line - tanh
