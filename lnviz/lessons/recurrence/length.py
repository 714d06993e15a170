"""The accuracy of trained recurrent networks on sequences longer than those in training."""

from __future__ import annotations

from lnviz.explorable import Chart, Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.charts import note, vline
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.recurrence.bands import (
    FAMILIES,
    Score,
    bands,
    lengths,
    longest,
    means,
    members,
    runs,
)
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.sequences import CLASSES
from lnviz.topics.recurrence.train import RECURRENCE

RIGHT = Score("accuracy_after", "right", "Accuracy after the last step", "accuracy")
NETWORK = Choice(
    "network",
    tuple(Option(key, label, code=f'"{label}"') for key, label in FAMILIES.items()),
    "lstm",
)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build the chart of the trained networks' accuracy against sequence length."""
    asked, trained = tuple(map(float, lengths())), longest()
    length = Slider("sequence length", asked, float(trained), decimals=0, log=True)
    tensors: dict[str, SweptTensor] = {}
    for family in FAMILIES:
        tensors |= means(RIGHT, family, length)
    longer = tuple(value for value in asked if value > trained)
    captions = CAPTIONS.render(
        {
            "guessing": 1 / CLASSES,
            "longest": trained,
            "read": int(RECURRENCE.result.tensor("read_steps")),
            "lengths": len(longer),
        },
        {"cell": tuple(map(_cell, FAMILIES)), "longer": (CaptionVariant({length.name: longer}),)},
    )
    return Explorable(
        title=captions.title,
        controls=(NETWORK, length),
        tensors=tensors,
        views=(
            tuple(_chart(family, length) for family in FAMILIES),
            captions.readouts,
        ),
        code=load_program(__file__),
    )


def _chart(family: str, length: Slider) -> Chart:
    trained = longest()
    words = (
        vline(trained, "ink", 1.5),
        note(trained, 0.01, " longest in training", anchor="left", xref="x"),
    )
    return bands(RIGHT, family, length, {NETWORK.name: (family,)}, words)


def _cell(family: str) -> CaptionVariant:
    """Return the caption on which variants of a cell are best at lengths beyond training."""
    far = [at for at, steps in enumerate(lengths()) if steps > longest()]
    keys = members(family)
    right = {key: runs(key, RIGHT.outcome).mean(0)[far] for key in keys}
    best = [max(keys, key=lambda key: float(right[key][at])) for at in range(len(far))]
    ranks = (f"{KINDS[key].label} at {best.count(key)}" for key in keys if key in best)
    return CaptionVariant(
        {NETWORK.name: (family,)},
        {"family": family, "name": FAMILIES[family], "ranks": "; ".join(ranks)},
    )


FIGURE = FigureSpec("length", build)
