"""What was seen of one norm."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from lnviz.diagnostics.detection import Facts
from lnviz.diagnostics.statistics import LARGEST, TOKENS

ROW = ("norm", "call", "pass", "training", "frozen", "batch", "size", "format")
"""What is known of a call without computing."""
DTYPES = ("float16", "bfloat16", "float32", "float64")
BOTH = ("gradient_in", "gradient_out")
"""Root mean squares of the gradients of a call's input, through the norm alone, and output."""

KEPT = ("x_rms", "x_mean", "y_rms", "which", "x_largest", "y_largest", "swapped")
"""What is kept of the first groups of a call."""
SIDES = {"token": TOKENS, "rank": LARGEST}
"""The axes of what is kept, and how long they are."""


def ranked(part: str) -> tuple[str, ...]:
    """Return the axes of what is kept of a norm, by its name in `KEPT`."""
    if part == "swapped":
        return ()
    return ("token", "rank") if part in ("which", "x_largest", "y_largest") else ("token",)


@dataclass(frozen=True, eq=False)
class Seen:
    """What was seen of one norm.

    Attributes:
        name: the module's name.
        type: its class.
        facts: what it does.
        calls: numbers of its calls, by what they are, in the order of the calls: those of
            `statistics.CALL` and `statistics.GAIN`, of `ROW` and `BOTH`.
        gains: its gains at the end, if it has some.
        biases: its biases, if it has some.
        details: of a call's first groups, by name; none for norms that are not over the last axes.
        behind: the norm that stands directly before it, if one does.
        axis: where the features are, if it is over another axis.
        still: whether its running statistics are as fresh ones.
    """

    name: str
    type: str
    facts: Facts
    calls: Mapping[str, Float[Tensor, " calls"]]
    gains: Float[Tensor, " D"] | None
    biases: Float[Tensor, " D"] | None
    details: Mapping[str, Tensor]
    behind: str
    axis: str
    still: bool

    def median(self, name: str) -> float:
        """Return the median of a number over the calls; NaN where no call has it."""
        return float(self.calls[name].nanmedian())

    def most(self, name: str) -> float:
        """Return the largest value of a number over the calls; NaN where no call has it."""
        known = self.calls[name][~self.calls[name].isnan()]
        return float(known.max()) if len(known) else math.nan

    @property
    def format(self) -> str:
        """The narrowest number format of what went in."""
        return DTYPES[int(self.calls["format"].min())]

    @property
    def size(self) -> int:
        """Numbers that share statistics."""
        return int(self.calls["size"][0])
