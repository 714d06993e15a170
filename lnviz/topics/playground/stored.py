"""The networks of the playground that are kept, and those that are trained when asked for."""

from __future__ import annotations

from lnviz.device import device
from lnviz.results.arrays import Arrays
from lnviz.results.stored import Stored
from lnviz.topics.playground.asked import Asked
from lnviz.topics.playground.data import FIGURES
from lnviz.topics.playground.trained import networks

QUICK = {"norms": ("layer",), "rates": (0.01,), "seeds": (0,), "frames": (0, 5)}


def _stored(data: str, axis: str, bias: bool) -> Stored[Asked]:
    asked = Asked(data, axis, bias)
    return Stored(
        f"playground-{data}-{axis}" + ("" if bias else "-unbiased"),
        f"Networks that learn {FIGURES[data][0]} under every norm at every rate and {axis}"
        + (".", ", without a bias before the norm.")[not bias],
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
    SPIRAL_SCALE,
    SPIRAL_BATCH,
) = tuple(
    _stored(data, axis, bias)
    for data, axis, bias in (
        *((data, "depth", bias) for data in FIGURES for bias in (True, False)),
        ("spiral", "scale", True),
        ("spiral", "batch", True),
    )
)
"""What is kept: every figure by depth, with and without the bias, and the spiral by all axes."""


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
    return kept.result if kept else networks(Asked(data, axis, bias, seeds=(0,)), device())


def seconds(data: str, axis: str, bias: bool) -> float:
    """Return about how many CPU seconds `result` takes."""
    if _kept(data, axis, bias):
        return 0.1
    return {"depth": 14.0, "scale": 15.0, "batch": 16.0}[axis]


def _kept(data: str, axis: str, bias: bool) -> Stored[Asked] | None:
    for stored in KEPT:
        asked = stored.default
        if (asked.data, asked.axis, asked.bias) == (data, axis, bias) and stored.path.is_file():
            return stored
    return None
