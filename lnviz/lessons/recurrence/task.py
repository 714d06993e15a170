"""Training curves of recurrent networks that classify digits read step by step."""

from __future__ import annotations

from lnviz.explorable import Choice, Explorable, Option, Slider, SweptTensor, load_program
from lnviz.lessons.captions import CaptionVariant, Values, load_captions
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.recurrence.bands import FAMILIES, Score, bands, means, runs
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.train import RECURRENCE

LOSS = Score("test_loss", "loss", "Test loss", "loss, nats")
RIGHT = Score("accuracy", "right", "Accuracy", "accuracy")
CELLS = Choice(
    "cells",
    tuple(Option(key, label, code=f'"{label}"') for key, label in FAMILIES.items()),
    "lstm",
)
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of test loss and accuracy during training, with a band over the seeds."""
    points = tuple(map(float, RECURRENCE.result.axes["step"]))
    seen = Slider("batches seen", points, points[0], decimals=0)
    tensors: dict[str, SweptTensor] = {}
    for family in FAMILIES:
        for score in (LOSS, RIGHT):
            tensors |= means(score, family, seen)
        plain, layer = (runs(key, LOSS.outcome) for key in _pair(family))
        tensors[f"{family} ahead"] = SweptTensor((seen.name,), (layer < plain).sum(0).float(), 0)
    captions = CAPTIONS.render(_trained(), {"cell": tuple(map(_cell, FAMILIES))})
    return Explorable(
        title=captions.title,
        controls=(CELLS, seen),
        tensors=tensors,
        views=(
            tuple(
                bands(score, family, seen, {CELLS.name: (family,)})
                for family in FAMILIES
                for score in (LOSS, RIGHT)
            ),
            captions.readouts,
        ),
        code=load_program(__file__),
    )


def _pair(family: str) -> tuple[str, str]:
    """Return the keys of a cell's variants without a norm and with LayerNorm."""
    return family, f"{family}-layer"


def _cell(family: str) -> CaptionVariant:
    """Return the caption that compares a cell with and without LayerNorm during training."""
    plain, layer = (runs(key, LOSS.outcome) for key in _pair(family))  # runs,points
    count, points = plain.shape
    early = points // 4
    ahead = (layer < plain).sum(0).float()
    (low, high), (other_low, other_high) = plain.aminmax(dim=0), layer.aminmax(dim=0)
    return CaptionVariant(
        {CELLS.name: (family,)},
        {
            "family": family,
            "name": FAMILIES[family],
            "count": count,
            "early": 100 * float(ahead[:early].mean()) / count,
            "late": 100 * float(ahead[early:].mean()) / count,
            "overlap": int(((other_low <= high) & (low <= other_high)).sum()),
            "points": points,
        },
    )


def _trained() -> Values:
    """Return the training settings, read from the stored result."""
    result = RECURRENCE.result
    s = result.specification
    learned = result.tensor("parameters", "kind").tolist()
    return {
        "shape": {"rows": "a row of pixels", "pixels": "a pixel"}[s.reading],
        "read": int(result.tensor("read_steps")),
        "wait": s.longest_wait,
        "train": int(result.tensor("train_images")),
        "test": int(result.tensor("test_images")),
        "units": s.units,
        "batch": s.batch,
        "steps": s.steps,
        "rate": s.rate,
        "first-seed": s.seeds[0],
        "last-seed": s.seeds[-1],
        "learned": "; ".join(
            f"{KINDS[key].label}: {count:,}"
            for key, count in zip(result.labels("kind"), learned, strict=True)
        ),
        "made-with": result.header.made_with,
    }


FIGURE = FigureSpec("task", build)
