"""Characters foretold by a small Transformer."""

from __future__ import annotations

from functools import cache

from torch import nn

from lnviz.norms import CATALOGUE
from lnviz.topics.transformer.block import Shape
from lnviz.topics.transformer.documentation import alphabet, encoded, spaced, text
from lnviz.topics.transformer.language import LanguageModel
from lnviz.topics.transformer.placements import PRE
from lnviz.training.experiment import Data, Experiment, Part, Specification

CONTEXT = 32
SHAPE = Shape(32, layers=2, heads=4, inner=128, activation="relu", causal=True)
HELD = 0.1  # share of the text that is not learned from, its end: one half to choose by
PASSAGES = 64  # of each half, evenly spaced


@cache
def data() -> Data:
    """Return passages of what `help()` tells about Python's language."""
    codes = encoded(text())
    first, second = round(len(codes) * (1 - HELD)), round(len(codes) * (1 - HELD / 2))
    train = codes[:first].unfold(0, CONTEXT + 1, 1)  # a view: every place is a beginning
    held = (spaced(part, CONTEXT, PASSAGES) for part in (codes[first:second], codes[second:]))
    return Data(*(Part(each[:, :-1], each[:, 1:]) for each in (train, *held)))


def build(norm: str, head: str) -> nn.Module:
    """Return a Pre-LN Transformer with this norm."""
    return LanguageModel(len(alphabet()), CONTEXT, SHAPE, PRE, CATALOGUE[norm])


TEXT = Experiment(
    name="text",
    label="A character-level Transformer",
    norms=("none", "layer", "rms"),
    data=data,
    build=build,
    scores=lambda output: output.scores,
    default=Specification(
        experiment="text",
        norms=("none", "layer", "rms"),
        batch_sizes=(16, 4),
        rates=(0.003,),
        seeds=(0, 1, 2),
        steps=500,
    ),
)
