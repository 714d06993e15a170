"""What goes on inside the networks while they train: activations, gradients and gains by layer."""

from __future__ import annotations

from lnviz.explorable import Explorable, Readout, program
from lnviz.lessons.lab import layer_charts
from lnviz.lessons.lab.desk import Desk, rates_of, sizes_of, steps_of
from lnviz.lessons.lab.layer_charts import Kind
from lnviz.lessons.lab.stored_runs import RUNS
from lnviz.lessons.lesson import Figure

SIZE, STEP = sizes_of(RUNS, 128, "inside-batch-size"), steps_of(RUNS, 500, "inside-step")
AT = "after {step} steps in batches of {batch size}"
KINDS = (
    Kind(
        "activations",
        f"Activations {AT}",
        "root mean square of the summed inputs",
        "summed inputs, RMS",
        of_norms=False,
        height=400,
        size=6,
    ),
    Kind(
        "gradients",
        f"Gradients {AT}",
        "root mean square of the weights' gradient",
        "gradient, RMS",
        of_norms=False,
        height=400,
        size=6,
    ),
    Kind(
        "gains",
        f"Gains {AT}: mean and standard deviation over the units",
        "gain, mean and standard deviation over the units",
        "gain",
        of_norms=True,
        height=360,
        size=10,
    ),
)


def build() -> Explorable:
    """Build three charts by layer that follow the training."""
    desk = Desk(RUNS, (SIZE, STEP, rates_of(RUNS)))
    layer_charts.put(desk, KINDS)
    desk.put_lost()
    activations, gradients, gains = (tuple(layer_charts.charts(desk, kind, {})) for kind in KINDS)
    return Explorable(
        title="Inside the networks while they train",
        controls=desk.controls,
        tensors=desk.tensors,
        views=(
            (*activations, *gradients),
            gains,
            (*layer_charts.words(desk, KINDS, {}), _method(), _missing()),
        ),
        code=program(__file__),
    )


def _method() -> Readout:
    return Readout(
        f"Means over {RUNS.seeds} seeds, BatchNorm where the others are. Summed inputs are "
        "measured before the norm, on 128 validation images; gradients on the last batch alone, so "
        "they jump. Biases and gains have gradients of their own, which are not shown. "
        "WeightNorm's gains start as the lengths of the weights, those of the other norms at 1."
    )


def _missing() -> Readout:
    return Readout(
        f"In batches of {RUNS.sizes[0]} there is no BatchNorm.",
        when={SIZE.name: SIZE.values[:1]},
    )


FIGURE = Figure("inside", build)
