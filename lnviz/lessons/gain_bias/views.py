"""Views of the gain and bias figure: a table, number lines, and the nonlinearity's curve."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import Examples
from lnviz.explorable import Chart, Grid, SliceAlong
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line, points
from lnviz.norms import LAYER

CURVE_POINTS = 401  # odd: ReLU's corner at 0 is one of them
SIDE = 110  # CSS pixels for the names of the number lines
EDGE = {"line": {"color": "var(--ln-page)", "width": 1}}  # of dots
NONLINEAR = ("relu", "tanh", "gelu")


def table(chosen: Examples, *, with_nonlinearity: bool) -> Grid:
    """Return a table of the example after each step; a chosen nonlinearity is the last step."""
    steps = (("input", "x"), ("standardized", "x_hat"), ("gain and bias", "y"))
    last = (("then {nonlinearity}", "after"),)
    return Grid(
        f"Pre-activations of {chosen.example_labels[0]}, step by step",
        "unit",
        3.0,
        rows=(*steps, *(last if with_nonlinearity else ())),
        color=LAYER.key,
        pictures="picture" if chosen.images is not None else "",
        when={"nonlinearity": NONLINEAR if with_nonlinearity else ("none",)},
    )


def number_lines(x_hat: Float[Tensor, " D"], labels: tuple[str, ...], reach: float) -> Chart:
    """Draw number lines of the input, standardized and output values, with a dot per feature."""
    # Neighbors are on different lanes at any gain, which keeps or reverses their order.
    heights = lanes(x_hat, 0.3)
    rows = (("x", "none"), ("x_hat", LAYER.key), ("y", LAYER.key))
    dots = [
        points(
            "",
            color,
            SliceAlong(tensor, "unit"),
            [len(rows) - 1 - row + lane for lane in heights],
            14,
            marker_style=EDGE,
            mode="markers+text",
            text=labels,
            textfont={"color": "var(--ln-on-accent)", "size": 10},
        )
        for row, (tensor, color) in enumerate(rows)
    ]
    names = {0: "gain and bias", 1: "standardized", 2: "input"}
    return chart(
        "The same values, labeled by unit",
        dots,
        linear_axis("", -reach, reach, padded=False, zerolinewidth=2, automargin=False),
        linear_axis("", -0.5, 2.5, padded=False, ticks=names, zeroline=False, automargin=False),
        "Three number lines with a dot for each unit. The input and the standardized values stay "
        "put; gain {gain} and bias {bias} bring the dots to mean {y mean} and standard deviation "
        "{y std}.",
        height=180,
        legend=False,
        margin={"l": SIDE, "r": 8, "t": 8, "b": 28},
    )


def curves(x_hat: Float[Tensor, " D"], labels: tuple[str, ...], reach: float) -> tuple[Chart, ...]:
    """Draw the chosen nonlinearity's curve with a dot for each feature; tanh has its own scale."""
    return (
        _curve(x_hat, labels, reach, ("relu", "gelu"), (-0.15 * reach, reach)),
        _curve(x_hat, labels, reach, ("tanh",), (-1.4, 1.4)),
    )


def _curve(
    x_hat: Float[Tensor, " D"],
    labels: tuple[str, ...],
    reach: float,
    shown: tuple[str, ...],
    heights: tuple[float, float],
) -> Chart:
    # The labels of neighbors are on different sides.
    sides = [("top center", "bottom center")[rank % 2] for rank in _ranks(x_hat)]
    across = torch.linspace(-reach, reach, CURVE_POINTS).tolist()
    units = points(
        "",
        LAYER.key,
        SliceAlong("y", "unit"),
        SliceAlong("after", "unit"),
        11,
        marker_style=EDGE,
        mode="markers+text",
        text=labels,
        textposition=sides,
        textfont={"size": 12},
        cliponaxis=False,
    )
    return chart(
        "{nonlinearity}: gain and bias set where the values lie",
        [
            line("curve", "soft", across, "curve", width=2),
            units,
        ],
        linear_axis(
            "value after gain and bias",
            -reach,
            reach,
            padded=False,
            zerolinewidth=2,
            automargin=False,
        ),
        linear_axis("output", *heights, padded=False, automargin=False),
        "The curve of {nonlinearity}, with a dot for each unit. At gain {gain} and bias {bias}, "
        "the units lie around {y mean}, with standard deviation {y std}; the selected unit goes in "
        "as {y} and comes out as {after}.",
        height=200,
        when={"nonlinearity": shown},
        legend=False,
        margin={"l": 48, "r": 8, "t": 8, "b": 40},
    )


def lanes(values: Float[Tensor, " D"], height: float) -> list[float]:
    """Return a vertical offset for each value's dot, so that neighbors do not cover each other."""
    return [height * (rank % 3 - 1) for rank in _ranks(values)]


def _ranks(x_hat: Float[Tensor, " D"]) -> list[int]:
    ranks: list[int] = x_hat.argsort().argsort().tolist()
    return ranks
