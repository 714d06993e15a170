"""Accuracy of deep networks on digits, by learning rate and initialization scale."""

from __future__ import annotations

import math

from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import CellPicker, Chart, Explorable, Grid, SweptTensor, load_program
from lnviz.lessons.captions import RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, norm_line, threshold
from lnviz.lessons.lesson import FigureSpec
from lnviz.norms import CATALOGUE
from lnviz.topics.depth.learning import CLASSES, DEPTH

RUN = "run"
TITLES = {"none": "Without a norm", "layer": "With LayerNorm"}
START = (0.001, 0.5)
"""The learning rate and initialization scale selected at first: only one network learns."""
LEARNED = 0.5  # accuracy above which a network counts as having learned
CHECK_MARK = "\N{CHECK MARK}"  # of a cell that learned
GUESSING = 1 / CLASSES
CHANCE = math.log(CLASSES)
"""The loss of uniform predictions, in nats."""
UNITS = 64
TOP = 4.0  # nats
TICKS = {n: f"≥ {n}" if n == TOP else f"{n}" for n in range(int(TOP) + 1)}
PERCENT = 100
"""Accuracies are shown in percent, and this is the number of steps of the color scale."""
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build a table of accuracies by learning rate and scale, and the selected pair's losses."""
    s = DEPTH.result.specification
    rate, scale = START
    run = CellPicker(
        RUN,
        tuple(f"rate {rate:g}" for rate in s.rates),
        tuple(f"{scale:g}" for scale in s.scales),
        "scale",
        (s.rates.index(rate), s.scales.index(scale)),
        codes=tuple(f"{scale:g}, {rate:g}" for rate in s.rates for scale in s.scales),
    )
    said = _captions()
    return Explorable(
        title=said.title,
        controls=(run,),
        tensors=_tensors(),
        views=(tuple(_map(norm) for norm in TITLES), (_losses(),), said.readouts),
        code=load_program(__file__),
        steps=said.steps,
    )


def accuracy_of(norm: str) -> Float[Tensor, "rates scales"]:
    """Return the accuracy on test images with a norm, averaged over the seeds."""
    return DEPTH.result.tensor("accuracy", "rate", "scale", "seed", norm=norm).mean(-1)


def learned_count(norm: str) -> int:
    """Return how many pairs of learning rate and initialization scale work with a norm."""
    return int((accuracy_of(norm) > LEARNED).sum())


def _best(norm: str) -> dict[str, str | float]:
    """Return the accuracy of a norm's best cell in percent, and its learning rate and scale."""
    s = DEPTH.result.specification
    accuracy = accuracy_of(norm)
    rate, scale = divmod(int(accuracy.argmax()), len(s.scales))
    return {
        f"{norm}-best": PERCENT * float(accuracy.max()),
        f"{norm}-rate": f"{s.rates[rate]:g}",
        f"{norm}-scale": f"{s.scales[scale]:g}",
    }


def _tensors() -> dict[str, SweptTensor]:
    """Return the accuracy of every table cell, and the training losses with both norms."""
    tensors = {}
    words = tuple(_cell_text(PERCENT - wrong) for wrong in range(PERCENT + 1))
    for norm in TITLES:
        accuracy = accuracy_of(norm)
        wrong = (PERCENT * (1 - accuracy)).round().flatten()
        tensors[f"{norm} right"] = SweptTensor((RUN,), PERCENT - wrong, 0)
        # The table shows all cells, whichever one is picked.
        tensors[f"{norm} wrong"] = SweptTensor((), wrong, 0, words=words)
        losses = DEPTH.result.tensor("loss", "rate", "scale", "seed", "step", norm=norm)
        seen = losses.nan_to_num(TOP, TOP).clamp(max=TOP).flatten(0, 1)  # cells,seeds,points
        low, high = seen.aminmax(dim=1)
        for name, values in (("loss", seen.mean(1)), ("low", low), ("high", high)):
            tensors[f"{norm} {name}"] = SweptTensor((RUN,), values, 3)
        tensors[f"{norm} end"] = SweptTensor((RUN,), tensors[f"{norm} loss"].values[:, -1], 3)
    return tensors


def _cell_text(right: int) -> str:
    """Return a cell's text: the percentage of correct answers, with a mark if networks learned."""
    return f"{right}{CHECK_MARK if right > PERCENT * LEARNED else ''}"


def _map(norm: str) -> Grid:
    rates = DEPTH.result.specification.rates
    return Grid(
        f"{TITLES[norm]}: % read correctly, by ",
        RUN,
        float(PERCENT),
        f"{norm} wrong",
        row_labels=tuple(f"{rate:g}" for rate in rates),
        color="ink",
        shade="success",
        axes=("scale", "rate"),
    )


def _losses() -> Chart:
    points = [float(step) for step in DEPTH.result.axes["step"]]
    return chart(
        "Training loss: {run}",
        [
            *(
                norm_line(norm, points, f"{norm} loss", band=(f"{norm} low", f"{norm} high"))
                for norm in TITLES
            ),
            threshold(CHANCE, "guessing"),
        ],
        linear_axis("steps", 0, 1.02 * points[-1], padded=False),
        linear_axis("loss", 0, TOP, padded=False, ticks=TICKS),
        "Training losses at {run}: they end at "
        + " and ".join(f"{{{norm} end:2}} with {CATALOGUE[norm].label}" for norm in TITLES)
        + ".",
        height=220,
    )


def _captions() -> RenderedCaptions:
    """Return the captions on how many pairs of rate and scale learn, and on the training."""
    result = DEPTH.result
    s = result.specification
    return CAPTIONS.render(
        {norm: learned_count(norm) for norm in TITLES}
        | _best("none")
        | _best("layer")
        | {
            "cells": len(s.rates) * len(s.scales),
            "seeds": len(s.seeds),
            "guessing": PERCENT * GUESSING,
            "learned": PERCENT * LEARNED,
            "mark": CHECK_MARK,
            "layers": s.layers,
            "units": UNITS,
            "train": int(result.tensor("train_images")),
            "test": int(result.tensor("test_images")),
            "batch": s.batch,
            "steps": s.steps,
            "chance": CHANCE,
            "top": TOP,
            "made-with": result.header.made_with,
        }
    )


FIGURE = FigureSpec("learning", build)
