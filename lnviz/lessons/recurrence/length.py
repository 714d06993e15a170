"""The trained networks on sequences longer than any they were trained on."""

from __future__ import annotations

from lnviz.explorable import Chart, Choice, Explorable, Option, Readout, Slider, Swept, program
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import note
from lnviz.lessons.recurrence.bands import (
    FAMILIES,
    Score,
    bands,
    lengths,
    longest,
    means,
    members,
    numbers,
    runs,
)
from lnviz.topics.recurrence.reader import KINDS
from lnviz.topics.recurrence.sequences import CLASSES
from lnviz.topics.recurrence.train import RECURRENCE

RIGHT = Score("accuracy_after", "right", "Share named right after the last step", "share")
NETWORK = Choice(
    "network",
    tuple(Option(key, label, code=f'"{label}"') for key, label in FAMILIES.items()),
    "lstm",
)


def build() -> Explorable:
    """Accuracy of the trained networks against the length of a sequence."""
    asked, trained = tuple(map(float, lengths())), longest()
    read = int(RECURRENCE.result.tensor("read_steps"))
    length = Slider("sequence length", asked, float(trained), decimals=0, log=True)
    tensors: dict[str, Swept] = {}
    for family in FAMILIES:
        tensors |= means(RIGHT, family, length)
    longer = tuple(value for value in asked if value > trained)
    return Explorable(
        title="Sequences longer than any in training",
        controls=(NETWORK, length),
        tensors=tensors,
        views=(
            tuple(_chart(family, length) for family in FAMILIES),
            (
                *(_numbers(family) for family in FAMILIES),
                Readout(
                    f"Longer than the {trained} steps of training: {read} steps show "
                    "the digit, the rest are empty, and what was read has to be kept.",
                    "verdict",
                    {length.name: longer},
                ),
                *(_ranks(family) for family in FAMILIES),
            ),
        ),
        code=program(__file__),
    )


def _chart(family: str, length: Slider) -> Chart:
    trained = longest()
    chart = bands(RIGHT, family, length, {NETWORK.name: (family,)})
    chart.figure.add_vline(trained, line={"color": "var(--ln-ink)", "width": 1.5, "dash": "dot"})
    note(chart.figure, trained, 0.01, " longest in training", anchor="left")
    chart.figure.layout.annotations[-1].update(xref="x")
    return chart


def _numbers(family: str) -> Readout:
    return Readout(
        f"Sequences of {{sequence length}} steps, share named right: {numbers((RIGHT,), family)}. "
        f"Guessing is right in {1 / CLASSES:.2f}.",
        when={NETWORK.name: (family,)},
    )


def _ranks(family: str) -> Readout:
    """Which network is right most often past the lengths of training, and how often it is."""
    far = [at for at, steps in enumerate(lengths()) if steps > longest()]
    keys = members(family)
    right = {key: runs(key, RIGHT.outcome).mean(0)[far] for key in keys}
    best = [max(keys, key=lambda key: float(right[key][at])) for at in range(len(far))]
    parts = ", ".join(f"{KINDS[key].label} at {best.count(key)}" for key in keys if key in best)
    return Readout(
        f"Among the networks with this cell, right most often at the {len(far)} lengths past "
        f"training: {parts}.",
        when={NETWORK.name: (family,)},
    )


FIGURE = Figure("length", build)
