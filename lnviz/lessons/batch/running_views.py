"""What the figure of running averages draws: two charts, a table, and what the numbers say."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from lnviz.explorable import Along, Chart, Grid, Readout, Slider, Swept
from lnviz.lessons.chart_axes import linear
from lnviz.lessons.charts import chart, line, plotted


def averages(tensors: Mapping[str, Swept], batch: Slider) -> tuple[Chart, ...]:
    """Draw the running mean and variance of the unit pointed at, beside the true ones."""
    return tuple(
        _chart(tensors, name, words, batch)
        for name, words in (("mean", "mean"), ("var", "variance"))
    )


def _chart(tensors: Mapping[str, Swept], name: str, words: str, batch: Slider) -> Chart:
    steps = [0.0, *batch.values]
    new = go.Scatter(
        mode="markers", name="a batch's", marker={"size": 5, "color": "var(--ln-soft)"}
    )
    drawn = [tensors[f"{name} {what}"].values for what in ("line", "new", "true")]
    low = min(float(values.min()) for values in drawn)
    high = max(float(values.max()) for values in drawn)
    return chart(
        f"Running {words} of {{unit}}, momentum {{momentum}}",
        [
            plotted(new, x=batch.values, y=Along(f"{name} new", batch.name)),
            line("of all cases", "ink", [0.0, steps[-1]], f"{name} true", width=1.5, dash="dot"),
            line("running", "batch", steps, f"{name} line", at=batch),
        ],
        linear(batch.name, 0.0, steps[-1]),
        linear(words, low, high, zeroline=False),
        f"The running {words} of {{unit}} against the batch, momentum {{momentum}}. After batch "
        f"{{batch}} it is {{{name} kept:2}}; the {words} of all cases is {{{name} truth:2}}.",
        height=300,
    )


def table(by: Slider) -> Grid:
    """Draw the case unit by unit: before the norm, and behind it in three ways."""
    return Grid(
        f"A test case, digit 0, after batch {{batch}}, {by.name} {{{by.name}}}",
        "unit",
        3.0,
        rows=(
            ("summed input", "input"),
            ("BatchNorm, training", "in training"),
            ("BatchNorm, inference", "at inference"),
            ("LayerNorm, always", "layer"),
        ),
        color="batch",
    )


def sentences(by: Slider, momentum: Slider, cases: int) -> tuple[Readout, ...]:
    """Say the update as arithmetic, how far inference is off, and what the sliders' ends do."""
    changed = tuple(value for value in by.values if value != by.start)
    between = tuple(value for value in momentum.values if 0 < value < 1)
    done = {
        "shift": "{shift} is added to every summed input of the test set",
        "test scale": "Every image of the test set is multiplied by {test scale}, and so are its "
        "summed inputs",
    }[by.name]
    return (
        Readout(
            "{rest:2} × {mean old:2n} + {momentum} × {mean new:2n} = {mean kept:2 value}",
            "formula",
        ),
        Readout(
            "The running mean of {unit}: the old value, and the mean of batch {batch} with the "
            "weight {momentum}. The running variance likewise: {rest:2} × {var old:2} + "
            "{momentum} × {var new:2} = {var kept:2 value}. The {var new:2} is unbiased, divided "
            f"by {cases - 1}; to standardize the batch itself, training divides by {cases} and "
            "gets {biased:2 value}."
        ),
        Readout(
            "Of the values it started from, 0 and 1, a share of {left:d2 value} is left.",
            when={momentum.name: between},
        ),
        Readout(
            "With momentum 0 nothing is ever kept: at inference the layer subtracts 0 and divides "
            "by 1, and leaves the summed inputs as they are, but for ε.",
            "verdict",
            {momentum.name: (0.0,)},
        ),
        Readout(
            "With momentum 1 only the last batch counts: inference is as noisy as a batch of "
            f"{cases} is.",
            "verdict",
            {momentum.name: (1.0,)},
        ),
        Readout(
            "At inference BatchNorm is {off:2 value} away from what the mean and variance of all "
            "training cases would give for the unchanged case (root mean square over 64 units). "
            "LayerNorm has moved by {layer off:2 value}."
        ),
        Readout(
            f"{done}. BatchNorm at inference goes on with what training has left it, so its output "
            "moves. In training it would not, but for ε: there the batch moves along, and its "
            "statistics with it. LayerNorm's statistics come from the case itself.",
            "verdict",
            {by.name: changed},
        ),
    )
