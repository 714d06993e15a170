"""Comparison of the values that a figure's program prints with those that the figure shows."""

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
    """Declaration of which of a figure's tensors its program prints, and of the tolerance.

    A test of all figures runs the program at both ends of every control and compares, wherever the
    figure's value is finite.

    Args:
        pairs: Called with the figure, a state, and the printed values; returns the pairs to
            compare.
        tolerance: The absolute and relative tolerance.
        ranges: For a control's name, the lowest and highest value at which the two agree; beyond
            them, rounding errors grow.
    """

    pairs: Callable[[Explorable, State, Sequence[Tensor]], Pairs]
    tolerance: float = 1e-4
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def program_output(*tensors: str, along: str = "") -> ProgramOutput:
    """Declare that a figure's program prints the figure's tensors of these names, in this order.

    Args:
        tensors: The names of the tensors.
        along: The control whose positions are printed all at once; "" for none.
    """

    def pairs(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
        place: dict[str, int | slice] = {**state, along: slice(None)} if along else {**state}
        values = [shown.lookup(name, place) for name in tensors]
        return zip(printed, values, strict=True)

    return ProgramOutput(pairs)
