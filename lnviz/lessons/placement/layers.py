"""Gradients by layer at initialization: any placement of norms compared with Pre-LN."""

from __future__ import annotations

import math
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import ChartAxis, linear_axis, log_axis, short_log_axis, to_log10
from lnviz.lessons.charts import chart, hline, line
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.transformer import PLACEMENTS, POST, PRE
from lnviz.topics.transformer.profiles import PROFILES
from lnviz.topics.transformer.setups import SETUPS

NETWORKS = Choice(
    "networks", tuple(Option(key, setup.label) for key, setup in SETUPS.items()), "text"
)
OTHERS = tuple(key for key in PLACEMENTS if key != PRE.key)
PLACEMENT = Choice(
    "placement", tuple(Option(key, PLACEMENTS[key].label) for key in OTHERS), POST.key
)
EVEN = 1.25
"""The largest ratio of first to last layer's gradient for which gradients count as even."""
Quartiles = Float[Tensor, "3 setups depths points"]
CAPTIONS = load_captions(__file__)


def build() -> Explorable:
    """Build charts of the gradients by layer with a placement and with Pre-LN, and of the ratio."""
    s = PROFILES.result.specification
    depth = Slider("depth", tuple(map(float, s.depths)), 12.0, decimals=0)
    said = CAPTIONS.render(
        {
            "width": s.width,
            "seeds": len(s.seeds),
            "made": PROFILES.result.header.made_with,
        },
        {
            "setup": tuple(
                CaptionVariant({NETWORKS.name: (key,)}, {"says": setup.description})
                for key, setup in SETUPS.items()
            )
        },
    )
    return Explorable(
        title=said.title,
        controls=(PLACEMENT, depth, NETWORKS),
        tensors=_curves(depth) | _numbers(depth),
        views=(
            (*(_gradients(key) for key in OTHERS), _ratios()),
            said.readouts,
        ),
        code=load_program(__file__),
    )


@cache
def _quartiles(key: str) -> Quartiles:
    """Return quartiles of a placement's gradients by layer, padded with the last layer's values."""
    result = PROFILES.result
    gradient = result.tensor("gradient", "quartile", "setup", "depth", "layer", placement=key)
    ends = torch.tensor(result.specification.depths)[:, None] - 1
    layers = torch.arange(gradient.shape[-1]).minimum(ends)  # depths,points
    return gradient.gather(-1, layers.expand_as(gradient))


def _shares() -> Float[Tensor, "depths points"]:
    """Return the position of each layer's end as a fraction of the network's depth."""
    depths = torch.tensor(PROFILES.result.specification.depths)[:, None]
    return (torch.arange(1, int(depths[-1]) + 1) / depths).clamp(max=1)


def _ratio(key: str) -> Float[Tensor, "setups depths points"]:
    return _quartiles(key)[1] / _quartiles(PRE.key)[1]


def _curves(depth: Slider) -> dict[str, SweptTensor]:
    """Return logarithms of the gradients' medians and quartiles, and the ratios to Pre-LN."""
    over = (NETWORKS.name, depth.name)
    shares = _shares()
    tensors = {"share": SweptTensor((depth.name,), shares, 4)}
    for key in PLACEMENTS:
        lower, median, upper = to_log10(_quartiles(key))
        tensors[f"{key} curve"] = SweptTensor(over, median, 3)
        tensors[f"{key} lower"] = SweptTensor(over, lower, 3)
        tensors[f"{key} upper"] = SweptTensor(over, upper, 3)
    for key in OTHERS:
        tensors[f"{key} ratio"] = SweptTensor(over, to_log10(_ratio(key)), 3)
    chosen = torch.stack([tensors[f"{key} ratio"].values for key in OTHERS])
    tensors["ratio"] = SweptTensor((PLACEMENT.name, *over), chosen, 3)
    return tensors


def _numbers(depth: Slider) -> dict[str, SweptTensor]:
    """Return first- and last-layer gradients for captions; NaN where a caption does not apply."""
    over = (PLACEMENT.name, NETWORKS.name, depth.name)
    pre = _quartiles(PRE.key)[1]
    chosen = torch.stack([_quartiles(key)[1] for key in OTHERS])  # P,setups,depths,points
    numbers: dict[str, Tensor] = {}
    for at, where in ((0, "first"), (-1, "last")):
        numbers |= {f"pre {where}": pre[..., at].expand(chosen.shape[:-1])}
        numbers |= {where: chosen[..., at], f"times {where}": (chosen / pre)[..., at]}
    growth = numbers["last"] / numbers["first"]
    outward = numbers["times last"] > numbers["times first"]
    numbers |= {
        "outward": numbers["times last"].where(outward, torch.nan),
        "grown": growth.where(growth > EVEN, torch.nan),
        "fallen": growth.where(growth < 1 / EVEN, torch.nan),
        "even": growth.where((growth >= 1 / EVEN) & (growth <= EVEN), torch.nan),
    }
    return {name: SweptTensor(over, values.contiguous()) for name, values in numbers.items()}


def _axis() -> ChartAxis:
    ticks = {0.0: "input", 0.25: "¼", 0.5: "½", 0.75: "¾", 1.0: "output"}
    # A margin for the labels below the ends.
    return linear_axis("layer", -0.06, 1.1, padded=False, ticks=ticks, zeroline=False)


def _gradients(key: str) -> Chart:
    """Draw the gradients of one placement and of Pre-LN by layer, on a common axis."""
    drawn = torch.stack([_quartiles(key), _quartiles(PRE.key)])
    return chart(
        "Gradient of each layer’s second feed-forward matrix, {depth} layers; setup: {networks}",
        [
            line(
                PLACEMENTS[one].label,
                color,
                "share",
                f"{one} curve",
                width=2.5,
                band=(f"{one} lower", f"{one} upper"),
                mode="lines+markers",
                marker={"size": 6, "color": f"var(--ln-{color})"},
            )
            for one, color in ((key, "ink"), (PRE.key, "layer"))
        ],
        _axis(),
        short_log_axis("length of the gradient", float(drawn.min()), float(drawn.max())),
        "How much gradient each layer gets, from input to output, with {depth} layers, setup "
        f"{{networks}}. In {PLACEMENTS[key].label}, the length goes from {{first:g2}} in the first "
        "layer to {last:g2} in the last; in Pre-LN, from {pre first:g2} to {pre last:g2}. "
        "Logarithmic; medians, in bands between the quartiles.",
        height=380,
        when={PLACEMENT.name: (key,)},
    )


def _ratios() -> Chart:
    low, high = torch.stack([_ratio(key) for key in OTHERS]).aminmax()
    return chart(
        "Ratio to Pre-LN’s gradient",
        [
            *(
                line(
                    PLACEMENTS[key].label if at else "others",
                    "soft",
                    "share",
                    f"{key} ratio",
                    width=1.2,
                    showlegend=not at,
                )
                for at, key in enumerate(OTHERS)
            ),
            line("chosen placement", "ink", "share", "ratio"),
            hline(0.0, "layer", 1.5),
        ],
        _axis(),
        log_axis("times Pre-LN’s", math.log10(float(low)), math.log10(float(high))),
        "How many times Pre-LN’s gradient each layer gets, for all placements, with {depth} "
        "layers, setup {networks}. {placement} goes from {times first:g2} in the first layer to "
        "{times last:g2} in the last. Logarithmic.",
        height=380,
    )


FIGURE = FigureSpec("layers", build)
