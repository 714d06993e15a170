"""Validation of saved runs, field by field, since the files may come from untrusted users."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torch import Tensor

from lnviz.diagnostics.norm_statistics import (
    CALL_FIELDS,
    DETAIL_AXES,
    DETAIL_FIELDS,
    DTYPES,
    FACTS,
    GRADIENT_FIELDS,
    WRONG_AXES,
    detail_axes,
)
from lnviz.diagnostics.specification import RunSpecification
from lnviz.diagnostics.statistics import CALL_STATISTICS, GAIN_STATISTICS
from lnviz.results.arrays import ArrayDataset

MAX_NORMS, MAX_TEXT_LENGTH, MAX_GROUP_SIZE = 4096, 256, 2**24
"""Maximum number of norms, length of a string, and number of values that share statistics."""
MAX_PADDED_GAINS = 2**24
"""Maximum number of gains if every norm were as wide as the widest."""
KINDS = ("layer", "rms", "group", "instance", "batch")


def validate(specification: RunSpecification, arrays: ArrayDataset) -> None:
    """Raise an error unless a saved file's specification and arrays form a valid run.

    Args:
        specification: the specification read from the file.
        arrays: the arrays read from the file.

    Raises:
        ValueError: a field is missing, has a wrong type or shape, or exceeds its bounds.
    """
    for problem in _problems(specification, arrays):
        raise ValueError(problem)


def _problems(specification: RunSpecification, arrays: ArrayDataset) -> Iterator[str]:
    names = arrays.axes.get("norm", ())
    if not all(
        isinstance(name, str) and len(name) <= MAX_TEXT_LENGTH
        for name in (*names, specification.model)
    ):
        yield f"a name is not a text of at most {MAX_TEXT_LENGTH} letters"
    if len(names) > MAX_NORMS:
        yield f"it has {len(names):,} norms, more than {MAX_NORMS:,}"
    if len(set(names)) < len(names):
        yield "it lists a norm twice"
    yield from _specification_problems(specification, len(names))
    expected = dict(_expected_arrays())
    if {name: array.dims for name, array in arrays.arrays.items()} != expected:
        yield "its arrays are not those of a run"
    lengths = {"norm": len(names), **DETAIL_AXES}
    if any(len(arrays.axes[axis]) != side for axis, side in lengths.items()):
        yield "its arrays have the wrong lengths"
    yield from _array_problems(
        {name: array.values for name, array in arrays.arrays.items()}, len(names)
    )


def _specification_problems(spec: RunSpecification, count: int) -> Iterator[str]:
    texts = (
        spec.classes,
        spec.gains,
        spec.precisions,
        spec.by,
        spec.extras,
        spec.behind,
        spec.axes,
    )
    for field in (
        *texts,
        spec.kinds,
        spec.over,
        spec.groups,
        spec.corrections,
        spec.eps_outside,
        spec.still,
        spec.facts,
    ):
        if not isinstance(field, tuple) or len(field) != count:
            yield "it does not describe every norm"
    lines = spec.unwatched
    if not isinstance(lines, tuple) or len(lines) > MAX_NORMS or not all(map(_is_text, lines)):
        yield f"its list of modules that were not watched is not at most {MAX_NORMS:,} texts"
    if not all(_is_text(text) for field in texts for text in field):
        yield f"a description of a norm is not a text of at most {MAX_TEXT_LENGTH} letters"
    if not all(axis in ("", *WRONG_AXES) for axis in spec.axes):
        yield f"a wrong axis is none of {', '.join(WRONG_AXES)}"
    if not all(kind in KINDS for kind in spec.kinds):
        yield f"a norm's kind is none of {', '.join(KINDS)}"
    for over in spec.over:
        if not isinstance(over, tuple) or not over or not all(_is_in(at, -8, 8) for at in over):
            yield "a norm's dimensions are not whole numbers from -8 to 8"
    if not all(_is_in(each, 0, 1) for each in spec.corrections):
        yield "a correction is neither 0 nor 1"
    if not all(isinstance(each, bool) for each in (*spec.eps_outside, *spec.still)):
        yield "a field that must be true or false is neither"
    if not all(isinstance(each, tuple) and set(each) <= set(FACTS) for each in spec.facts):
        yield f"a fact about a norm is none of {', '.join(FACTS)}"
    if not all(_is_in(groups, 0, MAX_GROUP_SIZE) for groups in spec.groups):
        yield "a number of groups is out of range"


def _expected_arrays() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name of every array in a saved run, with the names of its axes."""
    for name in (*CALL_FIELDS, *CALL_STATISTICS, *GAIN_STATISTICS, *GRADIENT_FIELDS):
        yield name, ("row",)
    for part in ("gains", "biases"):
        yield part, (part,)
        yield f"{part}_norm", (part,)
    for part in DETAIL_FIELDS:
        yield f"detail_{part}", ("norm", *detail_axes(part))
    yield "eps", ("norm",)


def _array_problems(values: dict[str, Tensor], count: int) -> Iterator[str]:
    bounds = {
        "norm": (0, count - 1),
        "call": (1, 2**31),
        "pass": (0, 2**31),
        "training": (0, 1),
        "frozen": (0, 1),
        "batch": (0, 2**31),
        "size": (1, MAX_GROUP_SIZE),
        "format": (0, len(DTYPES) - 1),
        "output_format": (0, len(DTYPES) - 1),
        "fixed": (0, 1),
        "gains_norm": (0, count - 1),
        "biases_norm": (0, count - 1),
    }
    for name, (low, high) in bounds.items():
        numbers = values[name]
        whole = not numbers.is_floating_point() and not numbers.is_complex()
        if not whole or bool(((numbers < low) | (numbers > high)).any()):
            yield f"{name} is not a whole number from {low} to {high}"
    for name, numbers in values.items():
        if name not in bounds and not numbers.is_floating_point():
            yield f"{name} is not a floating-point number"
    if len(values["norm"].unique()) < count:
        yield "it has a norm that was not called"
    for part in ("gains_norm", "biases_norm"):
        owners = values[part]
        if len(owners) and count * int(owners.bincount().max()) > MAX_PADDED_GAINS:
            yield "it has too many gains to draw"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT_LENGTH


def _is_in(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
