"""The networks of the playground that are kept, and those that are trained when asked for."""

from __future__ import annotations

import torch

from lnviz.device import device
from lnviz.results.arrays import Array, Arrays
from lnviz.results.stored import Stored
from lnviz.topics.playground.asked import AXES, Asked
from lnviz.topics.playground.data import FIGURES
from lnviz.topics.playground.network import NORMS
from lnviz.topics.playground.trained import networks

QUICK = {"rates": (0.01,), "seeds": (0,), "frames": (0, 5)}
MOVED = ("layer", "rms")
"""The norms whose networks the bias before the norm changes: without it only they are kept."""


def _stored(data: str, axis: str, bias: bool) -> Stored[Asked]:
    asked = Asked(data, axis, bias, norms=NORMS if bias else MOVED)
    return Stored(
        f"playground-{data}-{axis}" + ("" if bias else "-unbiased"),
        f"Networks that learn {FIGURES[data][0]} at every rate and {axis}, "
        + ("under every norm." if bias else "without a bias before the norm."),
        "playground",
        networks,
        asked,
        QUICK,
        steps=lambda asked: asked.frames[-1],
    )


KEPT = (
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
"""What is kept: every figure by every axis, and by depth without the bias, too."""


def result(data: str, axis: str, bias: bool) -> Arrays:
    """Return what the networks do that learn these points: kept, or trained now.

    What is trained now is of one seed. It reports its progress.

    Args:
        data: as `lnviz.topics.playground.data.points` takes it.
        axis: one of `lnviz.topics.playground.asked.AXES`.
        bias: whether a layer adds a bias before its norm.

    Raises:
        ValueError: as `Asked`.
    """
    kept = _kept(data, axis, bias)
    if not kept:
        return networks(Asked(data, axis, bias, seeds=(0,)), device())
    with_bias, *without = (stored.result for stored in kept)
    return _replaced(with_bias, without[0]) if without else with_bias


def seconds(data: str, axis: str, bias: bool) -> float:
    """Return about how many CPU seconds `result` takes."""
    return 0.1 if _kept(data, axis, bias) else 10.0


def _kept(data: str, axis: str, bias: bool) -> tuple[Stored[Asked], ...]:
    """What is kept of the networks: with the bias, and what changes without it."""
    wanted = (True,) if bias else (True, False)
    found = tuple(
        stored
        for of in wanted
        for stored in KEPT
        if (stored.default.data, stored.default.axis, stored.default.bias) == (data, axis, of)
        and stored.path.is_file()
    )
    return found if len(found) == len(wanted) else ()


def _replaced(whole: Arrays, part: Arrays) -> Arrays:
    """Return all networks, those of some norms taken from the part."""
    norms = torch.tensor([whole.index("norm", norm) for norm in part.axes["norm"]])
    replaced = {
        name: Array(array.over, whole.arrays[name].values.index_copy(0, norms, array.values))
        for name, array in part.arrays.items()
    }
    return Arrays(whole.axes, dict(whole.arrays) | replaced)
