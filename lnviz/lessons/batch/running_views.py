"""Views of the running-averages figure: two charts and a table."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.explorable import Chart, Grid, SliceAlong, Slider, SweptTensor
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line, points


def averages(tensors: Mapping[str, SweptTensor], batch: Slider) -> tuple[Chart, ...]:
    """Draw a unit's running mean and variance against the batch, with the true values."""
    return tuple(
        _chart(tensors, name, words, batch)
        for name, words in (("mean", "mean"), ("var", "variance"))
    )


def _chart(tensors: Mapping[str, SweptTensor], name: str, words: str, batch: Slider) -> Chart:
    steps = [0.0, *batch.values]
    drawn = [tensors[f"{name} {what}"].values for what in ("line", "new", "true")]
    low = min(float(values.min()) for values in drawn)
    high = max(float(values.max()) for values in drawn)
    return chart(
        f"Running {words} of {{unit}}, momentum {{momentum}}",
        [
            points("of one batch", "soft", batch.values, SliceAlong(f"{name} new", batch.name), 5),
            line("of all examples", "ink", [0.0, steps[-1]], f"{name} true", width=1.5, dash="dot"),
            line("running", "batch", steps, f"{name} line", at=batch),
        ],
        linear_axis(batch.name, 0.0, steps[-1]),
        linear_axis(words, low, high, zeroline=False),
        f"The running {words} of {{unit}}, batch by batch: after batch {{batch}}, it is "
        f"{{{name} kept:2}}; over all examples, the {words} is {{{name} truth:2}}. Momentum "
        "{momentum}.",
        height=300,
    )


def table(by: Slider) -> Grid:
    """Return a table of the test example: the input, and the outputs of three normalizations."""
    return Grid(
        f"First units of a test example, a 0, after batch {{batch}}, {by.name} {{{by.name}}}",
        "unit",
        3.0,
        rows=(
            ("pre-activation", "input"),
            ("BatchNorm, training", "in training"),
            ("BatchNorm, inference", "at inference"),
            ("LayerNorm, always", "layer"),
        ),
        color="batch",
    )
