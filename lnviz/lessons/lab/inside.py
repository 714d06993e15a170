"""Activations, gradients and gains of each layer of networks during training."""

from __future__ import annotations

from lnviz.explorable import Explorable, load_program
from lnviz.lessons.captions import load_captions
from lnviz.lessons.lab import layer_charts
from lnviz.lessons.lab.figure_builder import FigureBuilder, rate_slider, size_slider, step_slider
from lnviz.lessons.lab.layer_charts import LayerQuantity
from lnviz.lessons.lab.stored_runs import RUNS
from lnviz.lessons.lesson import FigureSpec

SIZE, STEP = size_slider(RUNS, 128, "inside-batch-size"), step_slider(RUNS, 500, "inside-step")
AT = "after {step} steps with batches of {batch size}"
CAPTIONS = load_captions(__file__)
KINDS = (
    LayerQuantity(
        "activations",
        f"Activations {AT}",
        "root mean square of the pre-activations",
        "pre-activations, RMS",
        of_norms=False,
        height=400,
        size=6,
    ),
    LayerQuantity(
        "gradients",
        f"Gradients {AT}",
        "root mean square of the weights’ gradient",
        "gradient, RMS",
        of_norms=False,
        height=400,
        size=6,
    ),
    LayerQuantity(
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
    """Build charts of activations, gradients and gains by layer, at each training step."""
    desk = FigureBuilder(RUNS, (SIZE, STEP, rate_slider(RUNS)))
    layer_charts.add_layer_tensors(desk, KINDS)
    for row in ("none", "layer"):
        drawn = desk.tensors[f"{row} activations"]
        desk.add(f"{row} activations last", drawn.dims, drawn.values[..., -1], 5)
    captions = CAPTIONS.render({"seeds": RUNS.seeds})
    activations, gradients, gains = (
        tuple(layer_charts.layer_charts(desk, kind, {})) for kind in KINDS
    )
    return Explorable(
        title=captions.title,
        controls=desk.controls,
        tensors=desk.tensors,
        views=(
            (*activations, *gradients),
            gains,
            captions.readouts,
        ),
        code=load_program(__file__),
    )


FIGURE = FigureSpec("inside", build)
