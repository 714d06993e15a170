"""Numbers quoted in the text of /playground."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from lnviz.lessons.playground.networks import LEARNED, OWN_DEPTHS, dead_units
from lnviz.topics.playground import merging, stored
from lnviz.topics.playground.data import FEWEST, MOST, TEST
from lnviz.topics.playground.network import UNITS
from lnviz.topics.playground.specification import PlaygroundSpecification

SPIRAL = PlaygroundSpecification("spiral")
EARLY, END = 10, SPIRAL.frames[-1]
HIGH_RATE = SPIRAL.rates.index(0.3)
MIDDLE_RATES = (0.003, 0.03)
BLOCKS = {"residual": True, "plain": False}


def final_accuracy(
    data: str = "spiral",
    axis: str = "depth",
    *,
    bias: bool = True,
    residual: bool = False,
    of: str = "accuracy",
) -> Float[Tensor, "norms rates places seeds"]:
    """Return the accuracies of all networks at the end of training.

    Args:
        data: as in `lnviz.topics.playground.data.points`.
        axis: one of `lnviz.topics.playground.specification.AXES`.
        bias: whether a layer adds a bias before its norm.
        residual: whether layers are residual blocks.
        of: `accuracy`, or `test_accuracy` for held-out points.
    """
    result = stored.result(data, axis, bias, residual)
    return result.tensor(of, "norm", "rate", "place", "seed", step=END)


def learned(
    data: str = "spiral", axis: str = "depth", *, bias: bool = True, residual: bool = False
) -> Bool[Tensor, "norms rates places seeds"]:
    """Return whether each network has learned its points at the end of training."""
    return final_accuracy(data, axis, bias=bias, residual=residual) >= LEARNED


def batch_norm(
    data: str, step: int, axis: str = "depth"
) -> tuple[Float[Tensor, "rates places seeds"], Float[Tensor, "rates places seeds"]]:
    """Return accuracies with BatchNorm after a step, using running and using batch statistics."""
    result = stored.result(data, axis, True)
    dims = ("rate", "place", "seed")
    running = result.tensor("accuracy", *dims, norm="batch", step=step)
    return running, result.tensor("batch_accuracy", *dims, step=step)


def dead_fractions() -> Float[Tensor, "norms rates places"]:
    """Return the fraction of dead units in each plain stack trained on the spiral."""
    counts = dead_units(stored.result("spiral", "depth", True), SPIRAL)[..., -1]
    return counts / (UNITS * torch.tensor(SPIRAL.depths))


def text_values() -> Mapping[str, float]:
    """Return the numbers quoted in /playground: counts of networks, and effects of settings."""
    layer, batch = SPIRAL.norms.index("layer"), SPIRAL.norms.index("batch")
    by_batch = learned(axis="batch")[batch]  # rates,places,seeds
    own = replace(SPIRAL, places=OWN_DEPTHS)
    early, late = (
        [int((of >= LEARNED).sum()) for of in batch_norm("circles", s)] for s in (EARLY, END)
    )
    fit = learned(residual=True)
    dead = dead_fractions()[:, HIGH_RATE]
    return {
        "all": SPIRAL.networks,
        "rates": len(SPIRAL.rates),
        "seeds": len(SPIRAL.seeds),
        "depths": len(SPIRAL.places),
        "deep": len(SPIRAL.rates) * len(SPIRAL.seeds),
        "blind": float(final_accuracy(bias=False)[layer].max()),
        "batch-many": int(by_batch[:, -1].sum()),
        "batch-networks": by_batch[:, -1].numel(),
        "batch-most": PlaygroundSpecification("spiral", "batch").batches[-1],
        "cells": SPIRAL.networks // len(SPIRAL.norms),
        "late-running": early[0],
        "late-own": early[1],
        "end-own": late[1],
        "steps": END,
        "fit": int(fit.sum()),
        "new-fit": int((final_accuracy(residual=True, of="test_accuracy")[fit] >= LEARNED).sum()),
        "tests": TEST,
        "few": own.coarse.networks,
        "own": own.networks // len(own.seeds),
        "least": FEWEST,
        "most": MOST,
        **{f"dead-{norm}-least": float(dead[i].min()) for i, norm in enumerate(SPIRAL.norms)},
        **{f"dead-{norm}-most": float(dead[i].max()) for i, norm in enumerate(SPIRAL.norms)},
        **_counts(),
        **_middle(),
        **_similarities(),
    }


def _counts() -> Mapping[str, float]:
    """Return how many networks learned the spiral with each norm, of all and of the deepest."""
    values: dict[str, float] = {}
    for blocks, residual in BLOCKS.items():
        counts = learned(residual=residual).sum((1, 3))  # norms,places
        for norm, of in zip(SPIRAL.norms, counts.tolist(), strict=True):
            values |= {f"{blocks}-{norm}": sum(of), f"{blocks}-{norm}-deep": of[-1]}
    return values


def _middle() -> Mapping[str, float]:
    """Return how many residual networks of four or more layers learned at rates near 0.01."""
    low, high = (SPIRAL.rates.index(rate) for rate in MIDDLE_RATES)
    deep = learned(residual=True)[:, low : high + 1, SPIRAL.places.index(4) :]
    none, *normed = deep.sum((1, 2, 3)).tolist()
    return {
        "middle": deep[0].numel(),
        "middle-none": none,
        "middle-least": min(normed),
    }


def _similarities() -> Mapping[str, float]:
    """Return the mean cosines of points in the last layer of the deepest untrained plain stacks.

    They are medians over seeds.
    """
    none, layer = (merging.NORMS.index(norm) for norm in ("none", "layer"))
    plain = merging.activations(False)[-1]  # norms,seeds,N,D
    return {
        "plain-none-cosine": float(merging.mean_cosine(plain[none]).quantile(0.5)),
        "plain-layer-cosine": float(merging.mean_cosine(plain[layer]).quantile(0.5)),
    }
