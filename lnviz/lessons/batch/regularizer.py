"""Networks trained on few digits with batches of many sizes: what they learned by heart."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Readout, Row, Slider, Swept, program
from lnviz.lessons.chart_axes import linear, powers
from lnviz.lessons.charts import chart, runs
from lnviz.lessons.lesson import Figure
from lnviz.norms import CATALOGUE
from lnviz.topics.batch.regularizer import REGULARIZER, label

MEASURE = Choice(
    "measure", (Option("error", "share named wrong"), Option("loss", "cross-entropy")), "error"
)
CHARTS = {
    "gap": "The gap: test minus training",
    "test": "On the test images",
    "train": "On the training images",
}


def build() -> Explorable:
    """Build the gap between test and training by batch size, for each norm in a band over seeds."""
    result = REGULARIZER.result
    sizes = tuple(map(float, result.specification.sizes))
    size = Slider("mini-batch", sizes, 16.0, decimals=0, log=True)
    over = (MEASURE.name, size.name)
    tensors = {}
    for what in CHARTS:
        means = torch.stack([_means(what, option.value) for option in MEASURE.options])  # M,S,K
        for at, key in enumerate(_norms()):
            tensors[f"{key} {what}"] = Swept(over, means[..., at].contiguous(), 4)
    return Explorable(
        title="What is learned by heart, by norm and batch size",
        controls=(size, MEASURE),
        tensors=tensors,
        views=(
            *_rows(size),
            (*_words(), *_verdicts(), *_specification()),
        ),
        code=program(__file__),
    )


def _norms() -> tuple[str, ...]:
    return REGULARIZER.result.names("norm")


def _runs(key: str, what: str, measure: str) -> Float[Tensor, "sizes runs"]:
    """What was measured of a norm's networks; the gap is the difference."""
    train, test = (
        REGULARIZER.result.tensor(f"{of}_{measure}", "batch_size", "seed", norm=key)
        for of in ("train", "test")
    )
    return {"train": train, "test": test, "gap": test - train}[what]


def _means(what: str, measure: str) -> Float[Tensor, "sizes norms"]:
    return torch.stack([_runs(key, what, measure).mean(1) for key in _norms()], 1)


def _rows(size: Slider) -> tuple[Row, ...]:
    """The rows of the charts: the gap by itself, then the two that it is the difference of."""
    shown = [option.value for option in MEASURE.options]
    return (
        tuple(_chart("gap", measure, size) for measure in shown),
        tuple(_chart(what, measure, size) for measure in shown for what in ("test", "train")),
    )


def _chart(what: str, measure: str, size: Slider) -> Chart:
    low, high = math.log2(size.values[0]), math.log2(size.values[-1])
    networks = {key: _runs(key, what, measure) for key in _norms()}
    curves = [
        runs(
            label(key),
            _token(key),
            size,
            measured,
            dash="dot" if key == "ghost" else CATALOGUE[key].dash,
        )
        for key, measured in networks.items()
    ]
    drawn = torch.cat([measured.flatten() for measured in networks.values()])
    said = "; ".join(f"{label(key)} {{{key} {what}:3}}" for key in networks)
    return chart(
        CHARTS[what],
        curves,
        powers("batch size", low, high, base=2, ticks=size.values),
        linear(
            MEASURE.label(MEASURE.index(measure)), min(0.0, float(drawn.min())), float(drawn.max())
        ),
        f"{CHARTS[what]}, {{measure}} against batch size: means in bands over all seeds. At "
        f"{{mini-batch}}: {said}.",
        height=340 if what == "gap" else 300,
        when={MEASURE.name: (measure,)},
    )


def _token(key: str) -> str:
    return "batch" if key == "ghost" else key


def _words() -> tuple[Readout, ...]:
    said = "; ".join(
        f"{label(key)} {{{key} gap:3 value}} ({{{key} test:3}} − {{{key} train:3}})"
        for key in _norms()
    )
    seeds = len(REGULARIZER.result.specification.seeds)
    return (
        Readout(
            f"The gap in the {{measure}} at {{mini-batch}} cases, test minus training, mean over "
            f"{seeds} seeds: {said}."
        ),
    )


def _verdicts() -> tuple[Readout, ...]:
    """Which batch sizes have the largest and the smallest gap, from the result itself."""
    sizes = REGULARIZER.result.specification.sizes
    readouts = []
    for option in MEASURE.options:
        parts = []
        for key in ("batch", "ghost"):
            gap, test = (_runs(key, what, option.value).mean(1) for what in ("gap", "test"))
            parts.append(
                f"{label(key)}: the gap is smallest at {sizes[int(gap.argmin())]} and largest at "
                f"{sizes[int(gap.argmax())]}, the test result best at {sizes[int(test.argmin())]} "
                f"and worst at {sizes[int(test.argmax())]}"
            )
        readouts.append(Readout(". ".join(parts) + ".", "verdict", {MEASURE.name: (option.value,)}))
    return tuple(readouts)


def _specification() -> tuple[Readout, ...]:
    result = REGULARIZER.result
    s, others = result.specification, int(result.tensor("test_images"))
    return (
        Readout(
            f"Two hidden layers of {s.units} units with ReLU, the norm before it; {s.images} "
            f"handwritten digits to train on, {others:,} others to test with; {s.epochs} "
            f"epochs for all, {s.epochs * (s.images // s.sizes[0]):,} steps with batches of "
            f"{s.sizes[0]} and {s.epochs * (s.images // s.sizes[-1])} with batches of "
            f"{s.sizes[-1]}; Adam with a learning rate of {s.rate:g}, tuned for none; seeds "
            f"{s.seeds[0]} to {s.seeds[-1]}, bands from the lowest to the highest. Over shares: "
            f"always batches of {s.sizes[-1]}, statistics over as many cases as the axis says. "
            "Both sets are measured at inference."
        ),
        Readout(result.header.made_with),
    )


FIGURE = Figure("regularizer", build)
