"""Values of the placeholders in the text of the lesson /cost."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from lnviz.topics.cost.block import NORMS
from lnviz.topics.cost.costs import stored_costs
from lnviz.topics.cost.kernels import minimal_bytes
from lnviz.topics.cost.roofline import DEVICES
from lnviz.topics.transformer.counts import OPERATIONS


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in the text of /cost: operation counts and measured throughput."""
    processor = DEVICES["stored-cpu"]
    costs = stored_costs()["cpu"]
    kernels, blocks = costs.kernels, costs.blocks
    compiled = torch.tensor(kernels.ratios["compiled"])[0, :, 1]
    rows, width = kernels.specification.rows, kernels.specification.widths[-1]
    seconds = kernels.times["layer function"][0][-1][1]
    work = rows * width * OPERATIONS["layer"] / seconds
    moved = minimal_bytes("layer", rows, width, both=False) / seconds
    return {
        "layer": OPERATIONS["layer"],
        "share": 100
        * blocks.shares["layer function"][1][blocks.specification.widths.index(512)][1],
        "both": NORMS * OPERATIONS["layer"],
        "compiled-low": float(compiled.min()),
        "compiled-high": float(compiled.max()),
        "widest": width,
        "computing": 100 * work / processor.plain,
        "moving": 100 * moved / processor.bandwidth,
        "ridge": processor.plain / processor.bandwidth,
    }
