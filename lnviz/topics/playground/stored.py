"""The playground's stored results: trained networks for every pattern and axis."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.stored import Artifact
from lnviz.topics.playground.data import FIGURES
from lnviz.topics.playground.network import NORMS
from lnviz.topics.playground.specification import AXES, PlaygroundSpecification
from lnviz.topics.playground.trained import networks

QUICK = {"rates": (0.01,), "seeds": (0,), "frames": (0, 5)}
BIAS_SENSITIVE = ("layer", "rms")
"""The norms whose networks the bias before the norm affects: only these are stored without it."""
SHALLOW = (1, 2, 4, 6, 8, 12)
"""Depths of the networks that learn anything but the spiral."""


def _stored(data: str, axis: str, bias: bool, residual: bool) -> Artifact[PlaygroundSpecification]:
    asked = PlaygroundSpecification(
        data,
        axis,
        bias,
        residual,
        norms=NORMS if bias else BIAS_SENSITIVE,
        places=SHALLOW if axis == "depth" and data != "spiral" else (),
    )
    return Artifact(
        f"playground-{data}-{axis}"
        + ("" if bias else "-unbiased")
        + ("-residual" if residual else ""),
        f"{'Networks with residual connections' if residual else 'Plain networks'} trained on "
        f"points of the pattern {FIGURES[data][0]}, for many learning rates and "
        f"{'batch sizes' if axis == 'batch' else f'{axis}s'}, "
        + ("with every norm." if bias else "without a bias before the norm."),
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
    MOONS_RESIDUAL,
    CIRCLES_RESIDUAL,
    SPIRAL_RESIDUAL,
    XOR_RESIDUAL,
) = tuple(
    _stored(data, axis, bias, residual)
    for data, axis, bias, residual in (
        *((data, "depth", bias, False) for data in FIGURES for bias in (True, False)),
        *((data, axis, True, False) for data in FIGURES for axis in AXES if axis != "depth"),
        *((data, "depth", True, True) for data in FIGURES),
    )
)
"""The stored specifications: plain stacks for every pattern by every axis, and by depth also
without the bias; with residual connections, every pattern by depth.
"""
_KEPT = {
    (each.default.data, each.default.axis, each.default.bias, each.default.residual): each
    for each in SPECIFICATIONS
}


def specification(data: str, axis: str, bias: bool, residual: bool) -> PlaygroundSpecification:
    """Return the settings of the stored networks for all norms, or the default settings.

    Args:
        data: as in `lnviz.topics.playground.data.points`.
        axis: one of `lnviz.topics.playground.specification.AXES`.
        bias: whether layers have a bias before the norm.
        residual: whether layers are residual blocks.

    Raises:
        PointsError: `data` names points that cannot be used for training.
    """
    kept = _KEPT.get((data, axis, True, residual))
    if kept is None:
        return PlaygroundSpecification(data, axis, bias, residual)
    return replace(kept.default, bias=bias)


def result(data: str, axis: str, bias: bool, residual: bool = False) -> ArrayDataset:
    """Return the stored results of the networks trained on a pattern.

    Args:
        data: a key of `lnviz.topics.playground.data.FIGURES`.
        axis: one of `lnviz.topics.playground.specification.AXES`; without bias, only the depth.
        bias: whether layers have a bias before the norm.
        residual: whether layers are residual blocks; only by depth and with bias.

    Raises:
        KeyError: no such result is stored.
    """
    whole = _KEPT[data, axis, True, residual].result
    return whole if bias else _replaced(whole, _KEPT[data, axis, False, residual].result)


def _replaced(whole: ArrayDataset, part: ArrayDataset) -> ArrayDataset:
    """Return results for all norms, with the results of some norms replaced."""
    norms = torch.tensor([whole.index("norm", norm) for norm in part.axes["norm"]])
    replaced = {
        name: NamedArray(array.dims, _copied(whole.arrays[name].values, norms, array.values))
        for name, array in part.arrays.items()
    }
    return ArrayDataset(whole.axes, dict(whole.arrays) | replaced)


def _copied(whole: Tensor, at: Tensor, part: Tensor) -> Tensor:
    """Return a tensor with some of its first axis replaced, in a type that holds both."""
    both = torch.promote_types(whole.dtype, part.dtype)
    return whole.to(both).index_copy(0, at, part.to(both))
