"""A constant added to a row: LayerNorm takes it out, RMSNorm does not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.examples import LARGEST_SEED, digits
from lnviz.device import device
from lnviz.explorable import (
    Chart,
    Explorable,
    Option,
    Readout,
    Slider,
    Swept,
    Switch,
    Whole,
    program,
)
from lnviz.lessons.chart_axes import Axis, linear
from lnviz.lessons.charts import chart, line, norm_line, note, upright
from lnviz.lessons.inputs import literal, tensor_of
from lnviz.lessons.lesson import Figure
from lnviz.lessons.prints import Pairs, Prints, State
from lnviz.norms import LAYER, RMS, Normalized
from lnviz.norms.partial import partial
from lnviz.numerals import number

UNITS = 32
EPS = 1e-5
DIGIT = 3  # the image whose summed inputs the row is
BEYOND = 5.0
"""Where pRMSNorm's axis ends; what lies farther out is drawn there."""
OFFSET = Slider.linear("offset", -2, 2, 0.02, 1)
SHARE = Slider("share", tuple(k / UNITS for k in range(1, UNITS + 1)), 2 / UNITS, decimals=4)
CENTERED = Switch(
    "row comes in",
    (Option("as-is", "as it is", code="False"), Option("centered", "re-centered", code="True")),
    "as-is",
)
DRAW = Whole("weights", "Seed", 0, LARGEST_SEED, 0, fresh="New weights")
EQUAL = 1e-5
"""Rows that differ by less than this are called equal: no more than rounding."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What norms make of a row plus a constant, as it is (0) and re-centered (1).

    Attributes:
        x: the row that comes in.
        layer: the row under LayerNorm.
        rms: the row under RMSNorm.
        shares: the row under pRMSNorm, for every number of components it looks at.
    """

    x: Float[Tensor, "P 2 D"]
    layer: Normalized
    rms: Normalized
    shares: Normalized


def build(weights: int = 0) -> Explorable:
    """Build a digit's summed inputs at every offset, under the three norms."""
    row = digits(seed=weights, cases=DIGIT + 1, units=UNITS).values[DIGIT].to(device())
    normed = rows(row)
    tensors = _tensors(normed)
    return Explorable(
        title="A row plus a constant, under LayerNorm and RMSNorm",
        controls=(OFFSET, CENTERED, SHARE),
        tensors=tensors,
        views=(
            (_rows(tensors), _partial()),
            (_means(float(row.mean())), _estimates(tensors)),
            _sentences(),
        ),
        code=program(__file__, row=f"torch.tensor({literal(row)})"),
    )


def rows(row: Float[Tensor, " D"]) -> Rows:
    """Add every offset to a row, and normalize."""
    moved = row + tensor_of(OFFSET.values)[:, None]  # P,D
    x = torch.stack([moved, moved - moved.mean(-1, keepdim=True)], 1)  # P,2,D
    return Rows(x, LAYER.apply(x, "ND", eps=EPS), RMS.apply(x, "ND", eps=EPS), partial(x, eps=EPS))


def _tensors(normed: Rows) -> dict[str, Swept]:
    over = (OFFSET.name, CENTERED.name)
    shared = (*over, SHARE.name)
    part = normed.shares.y  # P,2,D,D
    difference = (normed.layer.y - normed.rms.y).abs().amax(-1)
    mean = normed.x.mean(-1)
    size, estimate = normed.rms.var[..., 0].sqrt(), normed.shares.var[..., 0].sqrt()
    factor = ((size[..., None] ** 2 + EPS) / (estimate**2 + EPS)).sqrt()
    outside = (part.abs() > BEYOND).any(-1)
    return {
        "x": Swept(over, normed.x, 3),
        "layer": Swept(over, normed.layer.y, 3),
        "rms": Swept(over, normed.rms.y, 3),
        "partial": Swept(shared, part.clamp(-BEYOND, BEYOND), 2),
        "mean": Swept(over, mean, 3),
        "sigma": Swept(over, normed.layer.var[..., 0].sqrt(), 3),
        "size": Swept(over, size, 3),
        "all": Swept(over, size[..., None].repeat(1, 1, 2), 3),
        "layer mean": Swept(over, normed.layer.y.mean(-1), 3),
        "rms mean": Swept(over, normed.rms.y.mean(-1), 3),
        "estimate": Swept(shared, estimate, 3),
        "factor": Swept(shared, factor, 2),
        "count": Swept((SHARE.name,), UNITS * tensor_of(SHARE.values), 0),
        "difference": Swept(over, difference.where(difference >= EQUAL, torch.nan), 3),
        "outside": Swept(shared, torch.ones_like(factor).where(outside, torch.nan), 0),
    }


def _component_axes(end: float) -> tuple[Axis, Axis]:
    return linear("component", 0.4, UNITS + 0.6, room=False), linear("value", -end, end)


def _rows(tensors: dict[str, Swept]) -> Chart:
    places = range(1, UNITS + 1)
    drawn = torch.stack([tensors[name].values for name in ("x", "layer", "rms")])
    return chart(
        "The row plus {offset}, {row comes in}, and what two norms make of it",
        [
            line("row", "soft", places, "x", width=2),
            norm_line("rms", places, "rms"),
            norm_line("layer", places, "layer"),
        ],
        *_component_axes(math.ceil(float(drawn.abs().max()))),
        f"A row of {UNITS} components plus {{offset}}, which comes in {{row comes in}}: its mean "
        "is {mean:2}. Behind LayerNorm the mean is {layer mean:2}, behind RMSNorm {rms mean:2}.",
        height=300,
    )


def _partial() -> Chart:
    places = range(1, UNITS + 1)
    return chart(
        "pRMSNorm with {count:0} of the components, beside RMSNorm",
        [
            norm_line("rms", places, "rms"),
            line("pRMSNorm", "ink", places, "partial", width=2, dash="dot"),
        ],
        *_component_axes(BEYOND),
        "The row plus {offset}, which comes in {row comes in}, under RMSNorm, and under "
        "pRMSNorm with a share of {share}: each value there is {factor:2} times that of RMSNorm.",
        height=300,
    )


def _means(mean: float) -> Chart:
    anchor = "left" if mean > 0 else "right"
    return chart(
        "The mean behind each norm",
        [
            norm_line("rms", OFFSET, "rms mean"),
            norm_line("layer", OFFSET, "layer mean"),
            upright(-mean),
            note(-mean, 1.1, " row's own mean 0 ", above=False, anchor=anchor, xref="x"),
        ],
        linear(OFFSET.name, OFFSET.values[0], OFFSET.values[-1]),
        linear("mean", -1.1, 1.1, room=False),
        "The mean behind each norm against the offset, for a row that comes in {row comes in}. At "
        "{offset} it is {layer mean:2} behind LayerNorm and {rms mean:2} behind RMSNorm.",
        height=260,
    )


def _estimates(tensors: dict[str, Swept]) -> Chart:
    ends = [SHARE.values[0], SHARE.values[-1]]
    most = float(tensors["estimate"].values.max())
    return chart(
        "The root mean square, of the first components alone and of all",
        [
            line("first components", "ink", SHARE, "estimate", dash="dot", width=2),
            line("all components", "rms", ends, "all"),
        ],
        linear("share of the components", 0, 1.03, room=False),
        linear("root mean square", 0, math.ceil(most), room=False),
        "The root mean square of the first components against their share, for a row plus "
        "{offset} that comes in {row comes in}. At {share} it is {estimate:2}; over all components "
        "it is {size:2}.",
        height=260,
    )


def _sentences() -> tuple[Readout, ...]:
    return (
        Readout(
            "The row: mean μ = {mean:3}, standard deviation σ = {sigma:3}, root mean square "
            "{size:3}. Behind LayerNorm the mean is {layer mean:2 value}, behind RMSNorm it is "
            "μ / RMS = {mean:3} / {size:3} = {rms mean:2 value}."
        ),
        Readout(
            "The two rows differ by up to {difference:3 value} in a component.",
            "verdict",
            given="difference",
        ),
        Readout(
            "The row's mean is 0, so its standard deviation is its root mean square, and the two "
            f"norms do the same: no component differs by more than {number(EQUAL, '5')}.",
            "verdict",
            lacking="difference",
        ),
        Readout(
            "RMSNorm of a re-centered row is LayerNorm. The switch does what LayerNorm does first, "
            "so the offset is gone before either norm begins.",
            when={CENTERED.name: ("centered",)},
        ),
        Readout(
            f"pRMSNorm takes the root mean square of the first {{count:0}} of {UNITS} components, "
            "{estimate:3}, in place of that of all, {size:3}. So its row is RMSNorm's times "
            "{factor:2 value}."
        ),
        Readout(
            f"Some of pRMSNorm's values lie beyond {BEYOND:g} and are drawn at the edge.",
            given="outside",
        ),
        Readout(
            f"The row: summed inputs of {UNITS} units with random weights for one handwritten "
            f"digit, a {DIGIT}. Gain and bias are left out."
        ),
    )


def _printed(shown: Explorable, state: State, printed: Sequence[Tensor]) -> Pairs:
    for row, name in zip(printed, ("layer", "rms", "partial"), strict=True):
        yield row.clamp(-BEYOND, BEYOND), shown.lookup(name, state).clamp(-BEYOND, BEYOND)


FIGURE = Figure("offset", build, (DRAW,), prints=Prints(_printed))
