"""Comparison of a figure's values with the output of its program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from lnviz.explorable import Explorable

State = Mapping[str, int]
"""A position of every control."""
Pairs = Iterable[tuple[Tensor, Tensor]]
"""Pairs of a printed and a shown tensor, of the same shape."""


@dataclass(frozen=True)
class ProgramOutput:
    """Declaration of the tensors of a figure that its program prints, with a tolerance.

    A test of all figures runs the program at both ends of every control, and compares its output
    with the figure's finite values.

    Args:
        pairs: Function of the figure, its state and the printed values; returns the pairs of values
            to compare.
        tolerance: The absolute and relative tolerance.
        ranges: The lowest and highest value of a control to compare at, by the control's name;
            beyond these, rounding errors are too large.
    """

    pairs: Callable[[Explorable, State, Sequence[Tensor]], Pairs]
    tolerance: float = 1e-4
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def program_output(*tensors: str, along: str = "", tolerance: float = 1e-4) -> ProgramOutput:
    """Declare that a figure's program prints the figure's tensors of these names, in this order.

    Args:
        tensors: The names of the tensors.
        along: The control for which the program prints the values at all positions; "" for none.
        tolerance: The absolute and relative tolerance.
    """

    def pairs(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
        place: dict[str, int | slice] = {**state, along: slice(None)} if along else {**state}
        values = [shown.lookup(name, place) for name in tensors]
        return zip(printed, values, strict=True)

    return ProgramOutput(pairs, tolerance)
