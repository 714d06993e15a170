"""Recorded statistics of one norm of a watched model."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from jaxtyping import Float
from torch import Tensor

from lnviz.diagnostics.norm_spec import NormSpec
from lnviz.diagnostics.statistics import MAX_DETAIL_GROUPS, TOP_COMPONENTS

CALL_FIELDS = (
    "norm",
    "call",
    "pass",
    "training",
    "frozen",
    "batch",
    "size",
    "format",
    "output_format",
    "fixed",
)
"""Fields of a call that need no computation; `fixed` is 1 with running statistics."""
ALONE, SUMS, FROZEN, UNTRACKED = "alone", "sums", "frozen", "untracked"
FACTS = {
    ALONE: "it is the only reader of the norm before it",
    SUMS: "it reads the sum of a norm's output and a branch from it, as with Post-LN",
    FROZEN: "its parameters are frozen, and others are not",
    UNTRACKED: "it is a BatchNorm without running statistics",
}
"""What a norm's place in the model tells about it."""
CHANNELS, FEATURES, TOKENS, ROWS = "channels", "features", "tokens", "rows"
WRONG_AXES = (CHANNELS, FEATURES, TOKENS, ROWS)
"""What is on the axis that a norm normalizes, or takes for channels, by mistake."""
DTYPES = ("float16", "bfloat16", "float32", "float64")
GRADIENT_FIELDS = ("gradient_in", "gradient_out")
"""RMS of the gradient with respect to a call's input (through this norm only) and its output."""

DETAIL_FIELDS = ("x_rms", "x_mean", "y_rms", "which", "x_largest", "y_largest", "swapped")
"""Fields that are recorded for the first groups of a call."""
DETAIL_AXES = {"token": MAX_DETAIL_GROUPS, "rank": TOP_COMPONENTS}
"""Axes of the detail fields, with their lengths."""


def detail_axes(field: str) -> tuple[str, ...]:
    """Return the names of the axes of one of the `DETAIL_FIELDS`."""
    if field == "swapped":
        return ()
    return ("token", "rank") if field in ("which", "x_largest", "y_largest") else ("token",)


@dataclass(frozen=True, eq=False)
class NormStats:
    """Recorded statistics of one norm: values per call, final parameters, details of one call.

    Attributes:
        name: name of the module.
        type: class name of the module.
        spec: the specification of the detected norm.
        calls: one value per call for each of `CALL_FIELDS`, `CALL_STATISTICS`, `GAIN_STATISTICS`
            and `GRADIENT_FIELDS`.
        gains: the gains at the end of the run, or None.
        biases: the biases at the end of the run, or None.
        details: values for the first groups of one call, by `DETAIL_FIELDS`; empty for norms over
            other than the last axes.
        input_norm: name of the norm whose output is this norm's input, or an empty string.
        wrong_axis: one of `WRONG_AXES` if the norm is over another axis than the features, or an
            empty string.
        untouched: whether the running statistics still have their initial values.
        facts: some of `FACTS`.
    """

    name: str
    type: str
    spec: NormSpec
    calls: Mapping[str, Float[Tensor, " calls"]]
    gains: Float[Tensor, " D"] | None
    biases: Float[Tensor, " D"] | None
    details: Mapping[str, Tensor]
    input_norm: str
    wrong_axis: str
    untouched: bool
    facts: frozenset[str] = frozenset()

    def since(self, pass_number: int) -> NormStats | None:
        """Return the statistics of the calls from the given pass on, or None if there are none."""
        late = self.calls["pass"] >= pass_number
        calls = {name: values[late] for name, values in self.calls.items()}
        return replace(self, calls=calls) if bool(late.any()) else None

    def median(self, name: str) -> float:
        """Return the median of one statistic over all calls of the norm; NaN if no call has it."""
        return float(self.calls[name].nanmedian())

    def maximum(self, name: str) -> float:
        """Return the maximum of one statistic over all calls of the norm; NaN if no call has it."""
        known = self.calls[name][~self.calls[name].isnan()]
        return float(known.max()) if len(known) else math.nan

    @property
    def dtype(self) -> str:
        """The narrowest dtype that the norm's inputs had in any call."""
        return DTYPES[int(self.calls["format"].min())]

    @property
    def group_size(self) -> int:
        """The number of values that share one mean and one variance."""
        return int(self.calls["size"][0])
