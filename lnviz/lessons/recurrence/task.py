"""Recurrent networks while they learn to read digits."""

from __future__ import annotations

from lnviz.explorable import Choice, Explorable, Option, Readout, Row, Slider, Swept, program
from lnviz.lessons.lesson import Figure
from lnviz.lessons.recurrence.bands import FAMILIES, Score, bands, means, numbers, runs
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.train import RECURRENCE

LOSS = Score("test_loss", "loss", "Test loss", "loss, nats")
RIGHT = Score("accuracy", "right", "Share named right", "share")
CELLS = Choice(
    "cells",
    tuple(Option(key, label, code=f'"{label}"') for key, label in FAMILIES.items()),
    "lstm",
)


def build() -> Explorable:
    """Loss and accuracy on the test images while the networks train, with a band over seeds."""
    points = tuple(map(float, RECURRENCE.result.axes["step"]))
    seen = Slider("batches seen", points, points[0], decimals=0)
    tensors: dict[str, Swept] = {}
    for family in FAMILIES:
        for score in (LOSS, RIGHT):
            tensors |= means(score, family, seen)
        plain, layer = (runs(key, LOSS.outcome) for key in _pair(family))
        tensors[f"{family} ahead"] = Swept((seen.name,), (layer < plain).sum(0).float(), 0)
    return Explorable(
        title="Recurrent networks learning to read digits",
        controls=(CELLS, seen),
        tensors=tensors,
        views=(
            tuple(
                bands(score, family, seen, {CELLS.name: (family,)})
                for family in FAMILIES
                for score in (LOSS, RIGHT)
            ),
            (
                *(view for family in FAMILIES for view in _words(family)),
                *_specification(),
            ),
        ),
        code=program(__file__),
    )


def _pair(family: str) -> tuple[str, str]:
    """The kinds without a norm and with LayerNorm."""
    return family, f"{family}-layer"


def _words(family: str) -> Row:
    """The numbers at the slider, and how the two lie over the whole of training."""
    name, shown = FAMILIES[family], {CELLS.name: (family,)}
    plain, layer = (runs(key, LOSS.outcome) for key in _pair(family))  # runs,points
    count, points = plain.shape
    early = points // 4
    ahead = (layer < plain).sum(0).float()
    (low, high), (other_low, other_high) = plain.aminmax(dim=0), layer.aminmax(dim=0)
    overlap = int(((other_low <= high) & (low <= other_high)).sum())
    return (
        Readout(
            f"After {{batches seen}} batches, mean over {count} seeds: "
            f"{numbers((LOSS, RIGHT), family)}.",
            when=shown,
        ),
        Readout(
            f"Here the {name} with LayerNorm has the lower loss in {{{family} ahead:0 value}} of "
            f"{count} pairs that saw the same batches.",
            "verdict",
            shown,
        ),
        Readout(
            f"Over the first quarter of the training it is ahead in {ahead[:early].mean():.1f} of "
            f"{count} pairs on average, over the rest in {ahead[early:].mean():.1f}. The bands of "
            f"the two overlap at {overlap} of {points} points.",
            when=shown,
        ),
    )


def _specification() -> Row:
    """What was trained, from the result itself."""
    result = RECURRENCE.result
    s = result.specification
    read, train, test = (
        int(result.tensor(name)) for name in ("read_steps", "train_images", "test_images")
    )
    learned = result.tensor("parameters", "kind").tolist()
    shape = {"rows": "a row of pixels at each step", "pixels": "a pixel at each step"}[s.reading]
    parts = "; ".join(
        f"{KINDS[key].label}: {count:,}"
        for key, count in zip(result.names("kind"), learned, strict=True)
    )
    return (
        Readout(
            f"The task: read a handwritten digit, {shape}, {read} steps; wait for 0 to "
            f"{s.longest_wait} empty steps; say which digit it was. {train:,} images to "
            f"train on, {test} others to test with, after the longest wait. {s.units} "
            f"units, batches of {s.batch}, {s.steps:,} batches, Adam with a learning rate of "
            f"{s.rate:g} for all, tuned for none; seeds {s.seeds[0]} to {s.seeds[-1]}. Numbers "
            f"learned: {parts}."
        ),
        Readout(result.header.made_with),
    )


FIGURE = Figure("task", build)
