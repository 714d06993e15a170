"""Which norms of which model a run has seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Specification:
    """Which norms of which model were seen; each field but the first has an entry a norm.

    Attributes:
        model: the model's class.
        classes: the norms' classes.
        kinds: what they do, as the catalogue's keys.
        over: over which dimensions.
        groups: into how many groups channels are cut.
        gains: how the output is multiplied.
        precisions: the precision of their statistics.
        by: how they were found.
        behind: the norm that stands directly before, where one does.
        axes: where the features are, where the norm is over another axis.
        still: whether running statistics are as fresh ones at the end.
    """

    model: str
    classes: tuple[str, ...]
    kinds: tuple[str, ...]
    over: tuple[tuple[int, ...], ...]
    groups: tuple[int, ...]
    gains: tuple[str, ...]
    precisions: tuple[str, ...]
    by: tuple[str, ...]
    behind: tuple[str, ...]
    axes: tuple[str, ...]
    still: tuple[bool, ...]
