"""Whether deep networks learn digits, by learning rate and initialization scale."""

from __future__ import annotations

import math

import torch
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
NAMES = {"none": "no norm", "layer": "LayerNorm"}
START = ("none", 0.001, 0.5)
"""The norm, learning rate and initialization scale selected at first: only one network learns."""
LEARNED = 0.5  # accuracy from which a network counts as having learned
GUESSING = 1 / CLASSES
CHANCE = math.log(CLASSES)
"""The loss of uniform predictions, in nats."""
UNITS = 64
TOP = 4.0  # nats
TICKS = {n: f"≥ {n}" if n == TOP else f"{n}" for n in range(int(TOP) + 1)}
SHADES = 100
"""The accuracies at the two ends of the table's color scale."""
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build a table of accuracies by learning rate and scale, and the selected pair's losses."""
    s = DEPTH.result.specification
    norm, rate, scale = START
    rows = [(norm, rate) for norm in NAMES for rate in s.rates]
    run = CellPicker(
        RUN,
        tuple(f"{NAMES[norm]}, rate {rate:g}" for norm, rate in rows),
        tuple(f"{scale:g}" for scale in s.scales),
        "scale",
        (rows.index((norm, rate)), s.scales.index(scale)),
        codes=tuple(f"{scale:g}, {rate:g}" for _, rate in rows for scale in s.scales),
    )
    said = _captions()
    return Explorable(
        title=said.title,
        controls=(run,),
        tensors=_tensors(),
        views=((_map(), _losses()), said.readouts),
        code=load_program(__file__),
    )


def accuracy_of(norm: str) -> Float[Tensor, "rates scales"]:
    """Return the accuracy on test images with a norm, averaged over the seeds."""
    return DEPTH.result.tensor("accuracy", "rate", "scale", "seed", norm=norm).mean(-1)


def learned_count(norm: str) -> int:
    """Return the number of pairs of learning rate and initialization scale that learn."""
    return int((accuracy_of(norm) > LEARNED).sum())


def _tensors() -> dict[str, SweptTensor]:
    """Return the accuracy of every table cell, and the training losses with both norms."""
    accuracy = torch.stack([accuracy_of(norm) for norm in NAMES])  # norms,rates,scales
    wrong = (SHADES * (1 - accuracy)).round()
    shares = tuple(f"{1 - share / SHADES:.2f}" for share in range(SHADES + 1))
    # The table shows all cells, whichever one is picked.
    tensors = {"wrong": SweptTensor((), wrong.flatten(), 0, words=shares)}
    tensors["accuracy"] = SweptTensor((RUN,), accuracy.flatten(), 2)
    for norm in NAMES:
        losses = DEPTH.result.tensor("loss", "rate", "scale", "seed", "step", norm=norm)
        seen = losses.nan_to_num(TOP, TOP).clamp(max=TOP)
        low, high = seen.aminmax(dim=2)
        for name, values in (("loss", seen.mean(2)), ("low", low), ("high", high)):
            both = values.flatten(0, 1).repeat(len(NAMES), 1)  # the same in the rows of each norm
            tensors[f"{norm} {name}"] = SweptTensor((RUN,), both, 3)
        tensors[f"{norm} end"] = SweptTensor((RUN,), tensors[f"{norm} loss"].values[:, -1], 3)
    return tensors


def _map() -> Grid:
    return Grid(
        "Accuracy by learning rate (rows) and weight scale at the start (columns)",
        RUN,
        float(SHADES),
        "wrong",
        color="ink",
        shade="failure",
    )


def _losses() -> Chart:
    points = [float(step) for step in DEPTH.result.axes["step"]]
    return chart(
        "Loss in training: {run}",
        [
            *(
                norm_line(norm, points, f"{norm} loss", band=(f"{norm} low", f"{norm} high"))
                for norm in NAMES
            ),
            threshold(CHANCE, "guessing"),
        ],
        linear_axis("batches", 0, 1.02 * points[-1], padded=False),
        linear_axis("loss, nats", 0, TOP, padded=False, ticks=TICKS),
        "Loss in training by batches, at the rate and scale of {run}: at the end "
        + " and ".join(f"{{{norm} end:2}} with {CATALOGUE[norm].label}" for norm in NAMES)
        + ".",
        height=380,
    )


def _captions() -> RenderedCaptions:
    """Return the captions on how many pairs of rate and scale learn, and on the training."""
    result = DEPTH.result
    s = result.specification
    return CAPTIONS.render(
        {norm: learned_count(norm) for norm in NAMES}
        | {
            "cells": len(s.rates) * len(s.scales),
            "seeds": len(s.seeds),
            "guessing": GUESSING,
            "learned": LEARNED,
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
