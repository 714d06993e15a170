"""The figure of /gain-bias: one example standardized, with gain and bias, and a nonlinearity."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch.nn import functional as F

from lnviz.data.examples import Examples
from lnviz.explorable import (
    CellPicker,
    Choice,
    Explorable,
    IntParameter,
    Option,
    ParameterError,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.data_parameters import DATA, SEED, load_examples, tensor_literal, to_tensor
from lnviz.lessons.gain_bias.views import (
    CURVE_POINTS,
    NONLINEAR,
    curves,
    number_lines,
    table,
)
from lnviz.lessons.lesson import FigureSpec
from lnviz.lessons.program_output import program_output
from lnviz.norms import Normalized, normalize

EPS = 1e-5
UNITS = 6
# Not at initialization (1 and 0), so that every step has a visible effect.
GAIN = Slider.linear("gain", -3, 3, 0.02, 1.5)
BIAS = Slider.linear("bias", -3, 3, 0.02, 0.4)
NONLINEARITY = Choice(
    "nonlinearity",
    (
        Option("none", "no nonlinearity", code="nn.Identity()"),
        Option("relu", "ReLU", code="F.relu"),
        Option("tanh", "tanh", code="torch.tanh"),
        Option("gelu", "GELU", code="F.gelu"),
    ),
    "none",
)
FUNCTIONS = (lambda y: y, F.relu, torch.tanh, F.gelu)
FLAT_SLOPE = 0.1  # of tanh, below which a unit counts as saturated
# Uploads are for /axes; this figure has the two built-in examples.
EXAMPLES = replace(DATA, custom_prefixes=(), accepts="")
CASE = IntParameter("case", "Example", 1, 16, 1)
CAPTIONS = load_captions(__file__)


def build(data: str = "worked", seed: int = 0, case: int = 1) -> Explorable:
    """Build the figure that follows one example: standardized, scaled and shifted, activated."""
    chosen = chosen_example(data, seed, case)
    x = chosen.values[0]
    gains, biases = to_tensor(GAIN.values), to_tensor(BIAS.values)
    result = normalize(x, -1, gain=gains[:, None, None], bias=biases[:, None], eps=EPS)
    # The range of the units at all slider positions, with a margin for half a dot.
    reach = 1.06 * (max(GAIN.values) * float(result.x_hat.abs().max()) + max(BIAS.values))
    pointer = CellPicker("unit", ("",), chosen.feature_labels, "unit", (0, 1))
    said = _render_captions(chosen)
    return Explorable(
        title=said.title,
        controls=(GAIN, BIAS, NONLINEARITY, pointer),
        tensors=_tensors(chosen, result, reach),
        views=(
            (
                table(chosen, with_nonlinearity=False),
                table(chosen, with_nonlinearity=True),
                *curves(result.x_hat, chosen.feature_labels, reach),
            ),
            (number_lines(result.x_hat, chosen.feature_labels, reach),),
            said.readouts,
        ),
        code=load_program(__file__, x=f"torch.tensor({tensor_literal(x)})"),
        steps=said.steps,
    )


def _render_captions(chosen: Examples) -> RenderedCaptions:
    """Return the figure's captions, which depend on the gain's sign and the nonlinearity."""
    up, down = (tuple(g for g in GAIN.values if sign * g > 0) for sign in (1, -1))
    return CAPTIONS.render(
        {"units": len(chosen.feature_labels), "flat": FLAT_SLOPE, "eps": EPS},
        {
            "moving": (CaptionVariant({"gain": (*down, *up)}),),
            "gone": (CaptionVariant({"gain": (0.0,), "nonlinearity": NONLINEAR}),),
            "nonlinear": (CaptionVariant({"nonlinearity": NONLINEAR}),),
            "upward": (CaptionVariant({"nonlinearity": ("relu",), "gain": up}),),
            "downward": (CaptionVariant({"nonlinearity": ("relu",), "gain": down}),),
            "turned": (CaptionVariant({"gain": down}),),
            "pictures": chosen.images is not None,
        },
    )


def _tensors(chosen: Examples, result: Normalized, reach: float) -> dict[str, SweptTensor]:
    """Return the example at every gain and bias, and the curves of the nonlinearities."""
    gains, biases = to_tensor(GAIN.values), to_tensor(BIAS.values)
    y = result.y  # G,B,D
    along = torch.linspace(-reach, reach, CURVE_POINTS, device=y.device)
    moved = ("gain", "bias", "unit")
    tensors = {
        "x": SweptTensor(("unit",), chosen.values[0], 4),
        "x_hat": SweptTensor(("unit",), result.x_hat, 4),
        "y": SweptTensor(moved, y, 2),
        "after": SweptTensor(("nonlinearity", *moved), torch.stack([f(y) for f in FUNCTIONS]), 2),
        "curve": SweptTensor(("nonlinearity",), torch.stack([f(along) for f in FUNCTIONS]), 3),
        "y mean": SweptTensor(("gain", "bias"), y.mean(-1), 2),
        "y std": SweptTensor(("gain", "bias"), y.std(-1, correction=0), 2),
        "passed": SweptTensor(("gain", "bias"), (y > 0).sum(-1), 0),
        "threshold": SweptTensor(
            ("gain", "bias"), torch.where(gains[:, None] == 0, 0, -biases / gains[:, None]), 2
        ),
        "flat": SweptTensor(("gain", "bias"), (1 - y.tanh().square() < FLAT_SLOPE).sum(-1), 0),
    }
    if chosen.images is not None:
        tensors["picture"] = SweptTensor((), chosen.images, 4)
    return tensors


def chosen_example(data: str, seed: int, case: int) -> Examples:
    """Return the one example that the figure's parameters select, as `Examples`.

    Raises:
        ParameterError: The data has fewer cases.
    """
    source = load_examples(data, seed, units=UNITS)
    count = len(source.values)
    if case > count:
        raise ParameterError(
            f"This data has {count} examples. Choose one from 1 to {count}.",
            {"case": str(count)},
        )
    only = slice(case - 1, case)
    return replace(
        source,
        values=source.values[only],
        example_labels=source.example_labels[only],
        images=None if source.images is None else source.images[only],
    )


FIGURE = FigureSpec(
    "line",
    build,
    (EXAMPLES, SEED, CASE),
    cpu_seconds=0.6,
    program_output=program_output("after", along="unit"),
)
