"""Description stored with a saved run: the model's class, and each norm's name and type."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RunSpecification:
    """Specification of a run: the model's class, and lists with one entry per norm.

    The field names are those of the saved file.

    Attributes:
        model: class name of the model.
        classes: class names of the norms.
        kinds: keys of the norms in the catalogue.
        over: dimensions that share statistics.
        groups: number of groups of channels; 0 without groups.
        gains: the factor of the output, as in `NormSpec.gain`.
        precisions: precision of the statistics, as in `NormSpec.precision`.
        by: the method of detection, as in `NormSpec.detected_by`.
        corrections: as in `NormSpec.correction`.
        eps_outside: as in `NormSpec.eps_outside`.
        extras: as in `NormSpec.extra`.
        behind: name of the norm whose output is this norm's input, or an empty string.
        axes: the feature axis if the norm is over a different axis, or an empty string.
        still: whether the running statistics still have their initial values at the end.
        facts: what the norm's place in the model tells, some of `FACTS`.
        unwatched: the modules that were not followed, each with its class and the reason.
    """

    model: str
    classes: tuple[str, ...]
    kinds: tuple[str, ...]
    over: tuple[tuple[int, ...], ...]
    groups: tuple[int, ...]
    gains: tuple[str, ...]
    precisions: tuple[str, ...]
    by: tuple[str, ...]
    corrections: tuple[int, ...]
    eps_outside: tuple[bool, ...]
    extras: tuple[str, ...]
    behind: tuple[str, ...]
    axes: tuple[str, ...]
    still: tuple[bool, ...]
    facts: tuple[tuple[str, ...], ...]
    unwatched: tuple[str, ...]
