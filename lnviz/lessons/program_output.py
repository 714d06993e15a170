"""What the program beside a figure prints, and where the figure shows the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor

from lnviz.explorable import Explorable

State = Mapping[str, int]
"""A position of every control."""
Pairs = Iterable[tuple[Tensor, Tensor]]
"""What is printed and what is shown, of one shape."""


@dataclass(frozen=True)
class Prints:
    """How the program beside a figure prints what the figure shows.

    A law of the tests runs the program at both ends of every control and compares, wherever what
    is shown is finite.

    Args:
        pairs: Called with the figure, a state, and what the program prints there.
        within: How far the two may lie apart, absolutely and as a share of what is shown.
        ends: Between which values of a control the two agree, by its name: beyond them rounding
            grows.
    """

    pairs: Callable[[Explorable, State, Sequence[Tensor]], Pairs]
    within: float = 1e-4
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def prints(*tensors: str, along: str = "") -> Prints:
    """Say that a program prints these tensors of its figure, one after the other.

    Args:
        tensors: The names of the tensors.
        along: The control whose positions are printed all at once.
    """

    def pairs(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
        place: dict[str, int | slice] = {**state, along: slice(None)} if along else {**state}
        values = [shown.lookup(name, place) for name in tensors]
        return zip(printed, values, strict=True)

    return Prints(pairs)
