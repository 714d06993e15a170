"""Lab experiment: a small Transformer that predicts the next character of a text."""

from __future__ import annotations

from functools import cache

from torch import nn

from lnviz.norms import CATALOGUE
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.documentation import alphabet, encode, spaced_passages, text
from lnviz.topics.transformer.language import LanguageModel
from lnviz.topics.transformer.placements import PRE
from lnviz.training.experiment import DataSplit, DataSplits, Experiment, TrainingSpec

CONTEXT = 32
SHAPE = Shape(32, layers=2, heads=4, inner=128, activation="relu", causal=True)
HELD_OUT = 0.1  # fraction of the text, at its end: one half for validation, one for testing
PASSAGES = 64  # of each half, evenly spaced


@cache
def data() -> DataSplits:
    """Return passages of the language topics of Python's built-in `help()`, in three splits."""
    codes = encode(text())
    first, second = round(len(codes) * (1 - HELD_OUT)), round(len(codes) * (1 - HELD_OUT / 2))
    train = codes[:first].unfold(0, CONTEXT + 1, 1)  # a view: passages begin at every position
    held = (
        spaced_passages(part, CONTEXT, PASSAGES) for part in (codes[first:second], codes[second:])
    )
    return DataSplits(*(DataSplit(each[:, :-1], each[:, 1:]) for each in (train, *held)))


def build(norm: str, head: str) -> nn.Module:
    """Return an untrained Pre-LN Transformer with the given norm."""
    return LanguageModel(len(alphabet()), CONTEXT, SHAPE, PRE, CATALOGUE[norm])


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
        batch_sizes=(16, 4),
        rates=(0.003,),
        seeds=(0, 1, 2),
        steps=500,
    ),
)
