"""The result type of a rule, and helper functions for rules."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from lnviz.diagnostics.findings import WARNING, Finding
from lnviz.diagnostics.norm_statistics import NormStats

Norms = Sequence[NormStats]

MIN_CONSTANT_FRACTION = 0.5
"""Fraction of constant groups. Healthy: 0."""
MIN_DEPTH = 6
"""Minimum number of norms in a stack, for rules that compare its first norms with its last."""


@dataclass(frozen=True)
class Match:
    """A norm in which a rule found a problem, with the fields of `Finding` that rules determine.

    Attributes:
        norm: the norm.
        value: as in `Finding`.
        reason: as in `Finding`.
        remedy: as in `Finding`.
        certainty: as in `Finding`.
        severity: as in `Finding`.
        level: as in `Finding`.
    """

    norm: NormStats
    value: float
    reason: str
    remedy: str
    certainty: str
    severity: float
    level: str = WARNING

    def finding(self, kind: str) -> Finding:
        """Return this match as a finding of the given kind."""
        return Finding(
            self.norm.name,
            kind,
            self.level,
            self.value,
            self.reason,
            self.remedy,
            self.certainty,
            self.severity,
        )


def with_varying_inputs(norms: Norms) -> list[NormStats]:
    """Return the norms whose inputs vary, rather than being constant in most groups."""
    return [norm for norm in norms if not norm.median("constant") >= MIN_CONSTANT_FRACTION]


def last_value(norm: NormStats, name: str) -> float:
    """Return the value of a statistic in a norm's last call."""
    return float(norm.calls[name][-1])


def first_event(norms: Norms, events: Sequence[Tensor]) -> tuple[int, int] | None:
    """Return the first pass in which an event occurs, and the index of the first norm with it.

    Args:
        norms: the norms, in the order of their first calls.
        events: for each norm, whether the event occurs in each of its calls.
    """
    found = [
        (int(norm.calls["pass"][event].min()), at)
        for at, (norm, event) in enumerate(zip(norms, events, strict=True))
        if bool(event.any())
    ]
    return min(found, default=None)


def stacks(norms: Norms) -> list[list[NormStats]]:
    """Return the norms of each stack of layers that has a residual stream, such as an encoder.

    These are the norms over the last axis with the most common width, without the final norm. The
    names of a stack's norms are equal up to the first number.
    """
    along = [norm for norm in norms if norm.spec.is_over_features and norm.spec.over == (-1,)]
    if not along:
        return []
    usual = statistics.mode(norm.group_size for norm in along)
    found: dict[tuple[str, ...], list[NormStats]] = {}
    for norm in [norm for norm in along if norm.group_size == usual]:
        parts = norm.name.split(".")
        numbers = [at for at, part in enumerate(parts) if part.isdigit()]
        found.setdefault(tuple(parts[: numbers[0]] if numbers else parts[:-1]), []).append(norm)
    return [stack for stack in found.values() if len(stack) >= MIN_DEPTH]
