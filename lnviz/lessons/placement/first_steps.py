"""Gradients by layer in the first training steps: Post-LN and Pre-LN, with and without warm-up."""

from __future__ import annotations

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
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, log_axis, to_log10
from lnviz.lessons.charts import chart, hline, line
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.transformer import PLACEMENTS, POST, PRE
from lnviz.topics.transformer.first_steps import COMPARED, DEEP, FIRST, FIRST_STEPS

WARM_UP = Choice(
    "warm-up",
    (Option("without", "no warm-up", code="False"), Option("with", "warm-up", code="True")),
    "without",
)
STEPS = Slider("training steps", tuple(map(float, range(FIRST + 1))), float(FIRST), decimals=0)
COLORS = {POST.key: "ink", PRE.key: "layer"}
CAPTIONS = load_captions(__file__)
ByState = Float[Tensor, "warm_ups steps seeds"]


def build() -> Explorable:
    """Build charts of the gradient by layer, and of the ratio of last to first layer by step."""
    s = FIRST_STEPS.result.specification
    said = CAPTIONS.render(
        {name: getattr(s, name) for name in ("layers", "width", "heads", "inner", "rate")}
        | {
            "context": s.context,
            "batch": s.batch,
            "seeds": len(s.seeds),
            "warm-up": s.warm_up,
            "first": FIRST,
            "later": float(_shown(POST.key)[0, FIRST, 0].quantile(0.5)),
            "made": FIRST_STEPS.result.header.made_with,
        }
    )
    return Explorable(
        title=said.title,
        controls=(WARM_UP, STEPS),
        tensors=_tensors(),
        views=((_by_layer(), _by_step()), said.readouts),
        code=load_program(__file__),
        steps=said.steps,
    )


def gradients(
    key: str, *, network: str = DEEP, quantity: str = "weights"
) -> Float[Tensor, "warm_ups all_steps layers seeds"]:
    """Return the gradients of every layer at all recorded steps, with one placement of norms."""
    over = ("warm_up", "step", "layer", "seed")
    values = FIRST_STEPS.result.tensor(quantity, *over, network=network, placement=key)
    return values[:, :, values[0, 0, :, 0].isfinite()]


def last_over_first(
    key: str, *, network: str = DEEP, quantity: str = "weights"
) -> Float[Tensor, "warm_ups all_steps seeds"]:
    """Return the ratio of the last layer's gradient to the first layer's gradient."""
    values = gradients(key, network=network, quantity=quantity)
    return values[:, :, -1] / values[:, :, 0]


@cache
def _shown(key: str) -> Float[Tensor, "warm_ups steps layers seeds"]:
    return gradients(key)[:, : STEPS.size]


def _ratio(key: str) -> ByState:
    return last_over_first(key)[:, : STEPS.size]


def _tensors() -> dict[str, SweptTensor]:
    """Return medians and ranges over the seeds, of gradients by layer and of their ratios."""
    over = (WARM_UP.name, STEPS.name)
    tensors: dict[str, SweptTensor] = {}
    for key in COMPARED:
        logs, ratio = to_log10(_shown(key)), _ratio(key)
        spread = _shown(key).amax(2) / _shown(key).amin(2)
        tensors |= {
            f"{key} layers": SweptTensor(over, logs.quantile(0.5, dim=-1), 3),
            f"{key} layers low": SweptTensor(over, logs.amin(-1), 3),
            f"{key} layers high": SweptTensor(over, logs.amax(-1), 3),
            f"{key} times": SweptTensor(over, ratio.quantile(0.5, dim=-1)),
            f"{key} times low": SweptTensor(over, ratio.amin(-1)),
            f"{key} times high": SweptTensor(over, ratio.amax(-1)),
            f"{key} spread": SweptTensor(over, spread.amax(-1)),
            f"{key} first": SweptTensor(over, _shown(key)[:, :, 0].quantile(0.5, dim=-1)),
            f"{key} last": SweptTensor(over, _shown(key)[:, :, -1].quantile(0.5, dim=-1)),
        }
        for name, values in (
            ("", ratio.quantile(0.5, dim=-1)),
            (" low", ratio.amin(-1)),
            (" high", ratio.amax(-1)),
        ):
            tensors[f"{key} ratio{name}"] = SweptTensor(over, to_log10(values).contiguous(), 3)
    return tensors


def _by_layer() -> Chart:
    s = FIRST_STEPS.result.specification
    layers = list(map(float, range(1, s.layers + 1)))
    every = to_log10(torch.stack([_shown(key) for key in COMPARED]))
    return chart(
        "Gradient of each layer after training step {training steps}, {warm-up}",
        [
            line(
                PLACEMENTS[key].label,
                COLORS[key],
                layers,
                f"{key} layers",
                band=(f"{key} layers low", f"{key} layers high"),
                mode="lines+markers",
                marker={"size": 7, "color": f"var(--ln-{COLORS[key]})"},
            )
            for key in COMPARED
        ],
        linear_axis(
            "layer",
            0.6,
            s.layers + 0.4,
            padded=False,
            ticks={1.0: "1, input", 4.0: "4", 8.0: "8", 12.0: "12, output"},
        ),
        log_axis("length of the gradient", float(every.min()), float(every.max())),
        "How much gradient each layer gets after training step {training steps}, {warm-up}. Under "
        "Post-LN, the length goes from {post first:g2} in the first layer to {post last:g2} in "
        "the last; under Pre-LN, from {pre first:g2} to {pre last:g2}. Logarithmic.",
        height=360,
    )


def _by_step() -> Chart:
    every = to_log10(torch.stack([_ratio(key) for key in COMPARED]))
    return chart(
        "Last layer’s gradient, divided by the first layer’s",
        [
            *(
                line(
                    PLACEMENTS[key].label,
                    COLORS[key],
                    STEPS,
                    f"{key} ratio",
                    band=(f"{key} ratio low", f"{key} ratio high"),
                )
                for key in COMPARED
            ),
            hline(0.0),
        ],
        linear_axis("training steps", 0, FIRST),
        log_axis(
            "times",
            float(every.min()),
            float(every.max()),
            ticks={1.0: "1", 10.0: "10", 100.0: "100", 1000.0: "1,000"},
        ),
        "How many times the first layer’s gradient the last layer gets, by training step, "
        "{warm-up}. After step {training steps}: {post times:g2} times in Post-LN, {pre times:g2} "
        "times in Pre-LN. Logarithmic.",
        height=360,
    )


FIGURE = FigureSpec("first-steps", build)
