"""What has to hold of a run that a file holds, whoever has written it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from lnviz.diagnostics.norm_statistics import BOTH, DTYPES, KEPT, ROW, SIDES, ranked
from lnviz.diagnostics.specification import Specification
from lnviz.diagnostics.statistics import CALL, GAIN
from lnviz.results.arrays import Arrays

NORMS, LONGEST, WIDEST = 4096, 256, 2**24
"""Norms, letters of a name, and numbers that share statistics, at most."""
PADDED = 2**24
"""Gains at most, where each norm has as many as the widest."""
KINDS = ("layer", "rms", "group", "instance", "batch")


def require(made: Specification, held: Arrays) -> None:
    """Refuse what no run holds.

    Args:
        made: which norms of which model were seen.
        held: the arrays.

    Raises:
        ValueError: something is missing, of another kind or shape, or beyond its bounds.
    """
    for problem in _problems(made, held):
        raise ValueError(problem)


def _problems(made: Specification, held: Arrays) -> Iterator[str]:
    names = held.axes.get("norm", ())
    if not all(isinstance(name, str) and len(name) <= LONGEST for name in (*names, made.model)):
        yield f"a name is a text of up to {LONGEST} letters"
    if len(names) > NORMS:
        yield f"it has {len(names):,} norms, more than {NORMS:,}"
    if len(set(names)) < len(names):
        yield "it names a norm twice"
    yield from _of_norms(made, len(names))
    wanted = dict(_wanted())
    if {name: array.over for name, array in held.arrays.items()} != wanted:
        yield "its arrays are others"
    sides = {"norm": len(names), **SIDES}
    if any(len(held.axes[axis]) != side for axis, side in sides.items()):
        yield "its arrays are longer or shorter"
    yield from _of_arrays({name: array.values for name, array in held.arrays.items()}, len(names))


def _of_norms(made: Specification, count: int) -> Iterator[str]:
    texts = (made.classes, made.gains, made.precisions, made.by, made.behind, made.axes)
    for each in (*texts, made.kinds, made.over, made.groups, made.still):
        if not isinstance(each, tuple) or len(each) != count:
            yield "it says not as much of each norm"
    if not all(_is_text(one) for each in texts for one in each):
        yield f"what it says of a norm is a text of up to {LONGEST} letters"
    if not all(kind in KINDS for kind in made.kinds):
        yield f"a kind is one of {', '.join(KINDS)}"
    for over in made.over:
        if not isinstance(over, tuple) or not over or not all(_is_in(at, -8, 8) for at in over):
            yield "a norm is over dimensions"
    if not all(_is_in(groups, 0, WIDEST) for groups in made.groups):
        yield "groups are counted"


def _wanted() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The names of all arrays, and the axes that they are over."""
    for name in (*ROW, *CALL, *GAIN, *BOTH):
        yield name, ("row",)
    for part in ("gains", "biases"):
        yield part, (part,)
        yield f"{part}_norm", (part,)
    for part in KEPT:
        yield f"detail_{part}", ("norm", *ranked(part))
    yield "eps", ("norm",)


def _of_arrays(values: dict[str, Tensor], count: int) -> Iterator[str]:
    bounds = {
        "norm": (0, count - 1),
        "call": (1, 2**31),
        "pass": (0, 2**31),
        "training": (0, 1),
        "frozen": (0, 1),
        "batch": (0, 2**31),
        "size": (1, WIDEST),
        "format": (0, len(DTYPES) - 1),
        "gains_norm": (0, count - 1),
        "biases_norm": (0, count - 1),
    }
    for name, (low, high) in bounds.items():
        numbers = values[name]
        whole = not numbers.is_floating_point() and not numbers.is_complex()
        if not whole or bool(((numbers < low) | (numbers > high)).any()):
            yield f"{name} is a whole number from {low} to {high}"
    for name, numbers in values.items():
        if name not in bounds and not numbers.is_floating_point():
            yield f"{name} is a number"
    if len(values["norm"].unique()) < count:
        yield "it has a norm that was not called"
    for part in ("gains_norm", "biases_norm"):
        owners = values[part]
        if len(owners) and count * int(owners.bincount().max()) > PADDED:
            yield "it has too many gains to draw"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _is_in(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
