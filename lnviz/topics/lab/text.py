"""Lab experiment: Transformers that predict the next character, as in `transformer.warmup`.

With as many layers, batches and steps, and the same seeds, a run is one of the stored runs with and
without warm-up.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import torch
from torch import nn

from lnviz.norms import CATALOGUE
from lnviz.topics.transformer.documentation import alphabet, encode, spaced_passages, text
from lnviz.topics.transformer.learners import PASSAGES, TESTED, Learners, halves
from lnviz.topics.transformer.placements import PLACEMENTS, PRE
from lnviz.topics.transformer.warmup import frequency_loss
from lnviz.training.experiment import DataSplit, DataSplits, Experiment, TrainingSpec

LEARNERS = Learners()
"""The sizes of the networks, without the number of layers."""
LAYERS, MAX_LAYERS = 2, 12


@cache
def data() -> DataSplits:
    """Return passages from the language topics of Python's built-in `help()`, in three splits.

    The held-out text, at the end, is one half for validation and one for testing.
    """
    codes, context = encode(text()), LEARNERS.context
    first, second = (round(len(codes) * (1 - part)) for part in (TESTED, TESTED / 2))
    train = codes[:first].unfold(0, context + 1, 1)  # a view: passages begin at every position
    held = (
        spaced_passages(part, context, PASSAGES) for part in (codes[first:second], codes[second:])
    )
    return DataSplits(*(DataSplit(each[:, :-1], each[:, 1:]) for each in (train, *held)))


@cache
def frequency_baseline() -> tuple[float, float]:
    """Return the validation loss and error of always predicting the character frequencies."""
    (codes, _), following = halves(torch.device("cpu")), data().validation.targets
    likeliest = codes.bincount(minlength=len(alphabet())).argmax()
    error = (following != likeliest).float().mean()
    return float(frequency_loss(codes, following)), float(error)


def build(norm: str, head: str, placement: str = PRE.key, layers: int = LAYERS) -> nn.Module:
    """Return an untrained Transformer with the given norm, placement and number of layers."""
    return replace(LEARNERS, layers=layers).model(PLACEMENTS[placement], CATALOGUE[norm])


TEXT = Experiment(
    name="text",
    label="A character-level Transformer",
    norms=("none", "layer", "rms"),
    data=data,
    build=build,
    logits=lambda output: output.logits,
    default=TrainingSpec(
        experiment="text",
        norms=("none", "layer", "rms"),
        batch_sizes=(32, 8),
        rates=(0.003,),
        seeds=(0, 1, 2),
        steps=500,
        placement=PRE.key,
        layers=LAYERS,
    ),
    placements=tuple(PLACEMENTS),
    max_layers=MAX_LAYERS,
)
