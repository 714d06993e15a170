"""Deep networks that learn to read digits, from small weights to large ones."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Along, Chart, Explorable, Slider, Swept, program
from lnviz.lessons.lesson import Figure
from lnviz.lessons.plots import (
    band,
    decades,
    legend,
    logs,
    mark,
    norm_line,
    powers,
    span,
    threshold,
)
from lnviz.lessons.words import Case, Said, words
from lnviz.numerals import number
from lnviz.results.stored import Result
from lnviz.topics.depth.learning import DEEP, WIDE, Specification

Compared = Result[Specification]
NAMES = {"none": "without a norm", "layer": "with LayerNorm"}
LEARNED = 0.5  # share named right from which a network counts as having learned
GUESSING = 0.1
FLOOR = -3.0
"""Losses below 10 to this power are drawn there."""
WORDS = words(__file__)


def build() -> Explorable:
    """Accuracy against the weights' scale at the start, and the loss on the way there."""
    wide, deep = WIDE.result, DEEP.result
    scales = wide.specification.scales
    scale = Slider("starting scale", scales, 1.0, decimals=3)
    said = _said(wide, deep)
    return Explorable(
        title=said.title,
        controls=(scale,),
        tensors=_tensors(wide, scale),
        views=(
            (_accuracies(wide), _losses(wide)),
            said.readouts,
        ),
        code=program(__file__),
    )


def _losses_of(comparison: Compared, norm: str) -> Float[Tensor, "scales seeds points"]:
    return comparison.tensor("loss", "scale", "seed", "step", norm=norm)


def _right(comparison: Compared, norm: str) -> Float[Tensor, "scales seeds"]:
    return comparison.tensor("accuracy", "scale", "seed", norm=norm)


def _tensors(wide: Compared, scale: Slider) -> dict[str, Swept]:
    """Means over the seeds, with the lowest and the highest, at every weight scale."""
    tensors: dict[str, Tensor] = {}
    for norm in wide.names("norm"):
        right, losses = _right(wide, norm), _losses_of(wide, norm)
        (worst, best), (low, high) = right.aminmax(dim=1), losses.aminmax(dim=1)
        tensors |= {f"{norm} right": right.mean(1), f"{norm} worst": worst, f"{norm} best": best}
        tensors[f"{norm} loss"] = decades(losses.mean(1), FLOOR)
        tensors[f"{norm} end"] = tensors[f"{norm} loss"][:, -1]
        tensors[f"{norm} band"] = decades(torch.cat([high, low.flip(-1)], -1), FLOOR)
    tensors["at"] = torch.tensor(scale.values).log10()[:, None].expand(-1, len(wide.names("norm")))
    tensors["right on"] = torch.stack([tensors[f"{norm} right"] for norm in wide.names("norm")], -1)
    return {name: Swept((scale.name,), values, 4) for name, values in tensors.items()}


def _accuracies(wide: Compared) -> Chart:
    x = [math.log10(scale) for scale in wide.specification.scales]
    found = {norm: _right(wide, norm) for norm in wide.names("norm")}
    figure = go.Figure()
    for norm, right in found.items():
        figure.add_trace(band(norm, x, *(end.tolist() for end in right.aminmax(dim=1))))
    for norm, right in found.items():
        figure.add_trace(norm_line(norm, x, y=right.mean(1).tolist()))
    figure.add_trace(mark(token=list(found)))
    threshold(figure, GUESSING, "guessing")
    logs(figure, "x")
    ticks = (0.5, 0.7, 1, 1.4, 2)
    figure.update_xaxes(
        range=span(x),
        tickvals=[math.log10(tick) for tick in ticks],
        ticktext=[number(tick, "g") for tick in ticks],
        title="weight scale at the start",
    )
    figure.update_yaxes(range=[0, 1.04], title="share named right")
    legend(figure)
    s = wide.specification
    return Chart(
        f"Named right after {s.steps} batches: mean and range of {len(s.seeds)} seeds",
        figure,
        {2 * len(found): {"x": "at", "y": "right on"}},
        "Share of test images named right, against the weight scale at the start. At "
        "{starting scale} it is "
        + " and ".join(f"{{{norm} right:2}} {NAMES[norm]}" for norm in found)
        + ".",
        height=340,
    )


def _losses(wide: Compared) -> Chart:
    points = [float(step) for step in wide.axes["step"]]
    top = max(float(_losses_of(wide, norm).max()) for norm in wide.names("norm"))
    blank = [0.0] * len(points)
    norms = list(wide.names("norm"))
    figure = go.Figure([band(norm, points, blank, blank) for norm in norms])
    for norm in norms:
        figure.add_trace(norm_line(norm, points))
    figure.update_xaxes(range=[0, 1.03 * points[-1]], title="batches")
    powers(figure, "y", (FLOOR, math.ceil(math.log10(top))), "loss, nats", floor=True)
    legend(figure)
    bind: dict[int, dict[str, str | Along]] = {
        at: {"y": f"{norm} band"} for at, norm in enumerate(norms)
    }
    bind |= {len(norms) + at: {"y": f"{norm} loss"} for at, norm in enumerate(norms)}
    return Chart(
        "Loss in training, from weight scale {starting scale}",
        figure,
        bind,
        "Loss in training by batches, logarithmic, from weight scale {starting scale}: at the end "
        + " and ".join(f"{{{norm} end:d2}} {NAMES[norm]}" for norm in norms)
        + ".",
        height=340,
    )


def _said(wide: Compared, deep: Compared) -> Said:
    """What was trained, and from which scales it learned, from the result itself."""
    s = wide.specification
    reached = {norm: _reached(wide, norm) for norm in wide.names("norm")}
    return WORDS.said(
        {
            "learned": LEARNED,
            "scales": len(s.scales),
            "deep-layers": deep.specification.layers,
            "deep-scale": deep.specification.scales[0],
            "none-deep": float(_right(deep, "none").mean()),
            "layer-deep": float(_right(deep, "layer").mean()),
            "guessing": GUESSING,
            "layers": s.layers,
            "train": int(wide.tensor("train_images")),
            "test": int(wide.tensor("test_images")),
            "batch": s.batch,
            "steps": s.steps,
            "rate": s.rate,
            "first-seed": s.seeds[0],
            "last-seed": s.seeds[-1],
            "made-with": wide.header.made_with,
        },
        {
            "learned from some": tuple(
                Case(
                    {},
                    {
                        "norm": NAMES[norm],
                        "count": len(scales),
                        "first": scales[0],
                        "last": scales[-1],
                    },
                )
                for norm, scales in reached.items()
                if scales
            ),
            "learned from none": tuple(
                Case({}, {"norm": NAMES[norm]}) for norm, scales in reached.items() if not scales
            ),
        },
    )


def _reached(wide: Compared, norm: str) -> list[float]:
    """The weight scales from which the networks with a norm learn at all."""
    mean = _right(wide, norm).mean(1).tolist()
    return [
        scale
        for scale, right in zip(wide.specification.scales, mean, strict=True)
        if right > LEARNED
    ]


FIGURE = Figure("learning", build)
