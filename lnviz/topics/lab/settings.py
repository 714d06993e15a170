"""Settings of training runs in words: placement of the norms, depth, warm-up."""

from __future__ import annotations

from lnviz.norms import NONE
from lnviz.topics.transformer.placements import PLACEMENTS
from lnviz.training.experiment import Experiment, TrainingSpec


def placement_label(experiment: Experiment, specification: TrainingSpec) -> str:
    """Return the label of the norms' placement; empty if there is no choice, or no norm."""
    key = experiment.architecture(specification).get("placement", "")
    has_norms = any(norm != NONE.key for norm in specification.norms)
    return PLACEMENTS[key].label if key and has_norms else ""


def describe_settings(experiment: Experiment, specification: TrainingSpec) -> str:
    """Return placement, depth and warm-up of training runs as a phrase; empty if none apply.

    >>> from dataclasses import replace
    >>> from lnviz.topics.lab.text import TEXT
    >>> describe_settings(TEXT, replace(TEXT.default, placement="post", warm_up=200))
    'Post-LN, 2 layers, warm-up of 200 steps'
    """
    s = specification
    phrases: list[str] = []
    if layers := experiment.architecture(s).get("layers"):
        phrases += filter(None, [placement_label(experiment, s)])
        phrases.append(f"{layers} layer" + "s" * (layers > 1))
    if s.warm_up:
        phrases.append(f"warm-up of {s.warm_up:,} step" + "s" * (s.warm_up > 1))
    return ", ".join(phrases)
