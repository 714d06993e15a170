"""The playground's stored results: trained networks for every pattern and axis."""

from __future__ import annotations

import torch

from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.stored import Artifact
from lnviz.topics.playground.data import FIGURES
from lnviz.topics.playground.network import NORMS
from lnviz.topics.playground.specification import AXES, PlaygroundSpecification
from lnviz.topics.playground.trained import networks

QUICK = {"rates": (0.01,), "seeds": (0,), "frames": (0, 5)}
BIAS_SENSITIVE = ("layer", "rms")
"""The norms whose networks the bias before the norm affects: only these are stored without it."""


def _stored(data: str, axis: str, bias: bool) -> Artifact[PlaygroundSpecification]:
    asked = PlaygroundSpecification(data, axis, bias, norms=NORMS if bias else BIAS_SENSITIVE)
    return Artifact(
        f"playground-{data}-{axis}" + ("" if bias else "-unbiased"),
        f"Networks that learn {FIGURES[data][0]} at every rate and {axis}, "
        + ("under every norm." if bias else "without a bias before the norm."),
        "playground",
        networks,
        asked,
        QUICK,
        count_steps=lambda asked: asked.frames[-1],
    )


SPECIFICATIONS = (
    MOONS,
    MOONS_UNBIASED,
    CIRCLES,
    CIRCLES_UNBIASED,
    SPIRAL,
    SPIRAL_UNBIASED,
    XOR,
    XOR_UNBIASED,
    MOONS_SCALE,
    MOONS_BATCH,
    CIRCLES_SCALE,
    CIRCLES_BATCH,
    SPIRAL_SCALE,
    SPIRAL_BATCH,
    XOR_SCALE,
    XOR_BATCH,
) = tuple(
    _stored(data, axis, bias)
    for data, axis, bias in (
        *((data, "depth", bias) for data in FIGURES for bias in (True, False)),
        *((data, axis, True) for data in FIGURES for axis in AXES if axis != "depth"),
    )
)
"""The stored specifications: every pattern by every axis, and by depth also without the bias."""
_KEPT = {(each.default.data, each.default.axis, each.default.bias): each for each in SPECIFICATIONS}


def result(data: str, axis: str, bias: bool) -> ArrayDataset:
    """Return the stored results of the networks trained on a pattern.

    Args:
        data: a key of `lnviz.topics.playground.data.FIGURES`.
        axis: one of `lnviz.topics.playground.specification.AXES`; without bias, only the depth.
        bias: whether layers have a bias before the norm.

    Raises:
        KeyError: no such result is stored.
    """
    whole = _KEPT[data, axis, True].result
    return whole if bias else _replaced(whole, _KEPT[data, axis, False].result)


def _replaced(whole: ArrayDataset, part: ArrayDataset) -> ArrayDataset:
    """Return the results for all norms, with those of some norms replaced by other results."""
    norms = torch.tensor([whole.index("norm", norm) for norm in part.axes["norm"]])
    replaced = {
        name: NamedArray(array.dims, whole.arrays[name].values.index_copy(0, norms, array.values))
        for name, array in part.arrays.items()
    }
    return ArrayDataset(whole.axes, dict(whole.arrays) | replaced)
