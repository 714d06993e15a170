"""Numbers quoted in the text of /playground."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.lessons.playground.networks import LEARNED, dead_units
from lnviz.topics.playground import stored
from lnviz.topics.playground.data import FEWEST, MOST, TEST
from lnviz.topics.playground.network import UNITS
from lnviz.topics.playground.specification import PlaygroundSpecification

SPIRAL = PlaygroundSpecification("spiral")
EARLY, END = 10, SPIRAL.frames[-1]


def final_accuracy(
    data: str = "spiral", axis: str = "depth", *, bias: bool = True, of: str = "accuracy"
) -> Float[Tensor, "norms rates places"]:
    """Return the accuracies of the first seed's networks at the end of training.

    Args:
        data: as in `lnviz.topics.playground.data.points`.
        axis: one of `lnviz.topics.playground.specification.AXES`.
        bias: whether a layer adds a bias before its norm.
        of: `accuracy`, or `test_accuracy` for held-out points.
    """
    result = stored.result(data, axis, bias)
    return result.tensor(of, "norm", "rate", "place", seed=SPIRAL.seeds[0], step=END)


def learned(
    data: str = "spiral", axis: str = "depth", *, bias: bool = True
) -> Bool[Tensor, "norms rates places"]:
    """Return whether each network has learned its points at the end of training."""
    return final_accuracy(data, axis, bias=bias) >= LEARNED


def batch_norm(
    data: str, step: int, axis: str = "depth"
) -> tuple[Float[Tensor, "rates places"], Float[Tensor, "rates places"]]:
    """Return accuracies with BatchNorm after a step, using running and using batch statistics.

    And what they would get right with the statistics of the points that they learn from.
    """
    result = stored.result(data, axis, True)
    at = {"seed": SPIRAL.seeds[0], "step": step}
    running = result.tensor("accuracy", "rate", "place", norm="batch", **at)
    return running, result.tensor("batch_accuracy", "rate", "place", **at)


def dead_fractions() -> Float[Tensor, "norms rates places"]:
    """Return the fraction of dead units in each network trained on the spiral."""
    counts = dead_units(stored.result("spiral", "depth", True), SPIRAL)[..., -1]
    return counts / (UNITS * torch.tensor(SPIRAL.depths))


def text_values() -> Mapping[str, float]:
    """Return the quoted counts of networks, and the effects of biases and batch sizes."""
    layer, batch = SPIRAL.norms.index("layer"), SPIRAL.norms.index("batch")
    by_batch = learned(axis="batch")[batch].sum(0)  # places
    few = PlaygroundSpecification("spiral").coarse
    early, late = (
        [int((of >= LEARNED).sum()) for of in batch_norm("circles", s)] for s in (EARLY, END)
    )
    fit = learned()
    return {
        "norms": len(SPIRAL.norms) - 1,
        "rates": len(SPIRAL.rates),
        "depths": len(SPIRAL.places),
        "blind": float(final_accuracy(bias=False)[layer].max()),
        "batch-many": int(by_batch[-1]),
        "batch-most": PlaygroundSpecification("spiral", "batch").batches[-1],
        "cells": len(SPIRAL.rates) * len(SPIRAL.places),
        "late-running": early[0],
        "late-own": early[1],
        "end-own": late[1],
        "steps": END,
        "fit": int(fit.sum()),
        "new-fit": int((final_accuracy(of="test_accuracy")[fit] >= LEARNED).sum()),
        "tests": TEST,
        "few": few.networks,
        "all": SPIRAL.networks // len(SPIRAL.seeds),
        "least": FEWEST,
        "most": MOST,
    }
