"""The lab's stored training runs: digits at four batch sizes, and each experiment's default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lnviz.results.stored import Artifact
from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.digits import NORMS, PAPER
from lnviz.topics.lab.run_arrays import train
from lnviz.training.experiment import TrainingSpec


def _stored(name: str, what: str, default: TrainingSpec, **quick: Any) -> Artifact[TrainingSpec]:
    few = {"batch_sizes": (4,), "seeds": (0, 1), "steps": 4, "every": 2} | quick
    return Artifact(name, what, "lab", train, default, few, count_steps=lambda s: s.steps)


DIGITS = TrainingSpec(
    experiment="digits",
    norms=tuple(NORMS),
    batch_sizes=(128, 32, 4, 1),
    rates=(0.001,),
    seeds=(0, 1, 2, 3, 4),
    steps=2000,
)

SIZES = _stored(
    "lab",
    "Networks trained on digits with every norm, at four batch sizes.",
    DIGITS,
    norms=("layer",),
)
"""Runs of every norm on the hidden layers."""

PAPERS = _stored(
    "lab-paper",
    "Networks trained on digits with BatchNorm on all layers, including the softmax layer.",
    replace(DIGITS, norms=("batch",), head=PAPER),
)
"""Runs of BatchNorm as in Ba, Kiros and Hinton 2016."""

OWN_DIGITS, OWN_SEQUENCES, OWN_IMAGES, OWN_TEXT = (
    _stored(
        f"lab-{name}",
        f"{EXPERIMENTS[name].label}, trained with the default settings of the lab.",
        EXPERIMENTS[name].default,
        norms=("layer",),
    )
    for name in ("digits", "sequences", "images", "text")
)
OWN = {
    stored.default.experiment: stored
    for stored in (OWN_DIGITS, OWN_SEQUENCES, OWN_IMAGES, OWN_TEXT)
}
"""Stored runs of the default specification, by name of the experiment."""
