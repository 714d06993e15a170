"""Description stored with a saved run: the model's class, and each norm's name and type."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RunSpecification:
    """Specification of a run: the model's class, and in every other field one entry per norm.

    The field names are those of the saved file.

    Attributes:
        model: class name of the model.
        classes: class names of the norms.
        kinds: keys of the norms in the catalogue.
        over: dimensions that share statistics.
        groups: number of groups that the channels are split into; 0 without groups.
        gains: how the gain is applied, as in `NormSpec.gain`.
        precisions: precision of the statistics, as in `NormSpec.precision`.
        by: how each norm was detected, as in `NormSpec.detected_by`.
        behind: name of the norm whose output is this norm's input, or an empty string.
        axes: axis of the features where the norm is over a different one, or an empty string.
        still: whether the running statistics still have their initial values at the end.
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
