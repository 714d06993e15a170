"""Outputs of a language model's norms against their inputs, and the tanh that fits best."""

from __future__ import annotations

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
from lnviz.lessons.captions import CaptionVariant, RenderedCaptions, load_captions
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line, points
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.successors.train import CLOUD, OVER

KEYS = ("before", "after")
TRAINING = Choice("training", tuple(Option(key, f"{key} training") for key in KEYS), KEYS[1])
POINTS = 81
START = 13.0  # the last norm
HEIGHT = 340
CAPTIONS = load_captions(__file__)
KINDS = {
    "straight": ("a straight line", "ink", "dash"),
    "bent": ("tanh, best alpha", "dyt", "solid"),
}
TOKENS = {
    "small": ("smallest σ drawn", "ink", "solid"),
    "middle": ("a middle one", "soft", "dash"),
    "large": ("largest σ drawn", "ink", "dot"),
}


def build() -> Explorable:
    """Build charts of norm outputs against inputs with fitted curves, and of explained variance."""
    s = CLOUD.result.specification
    layer = Slider(
        "layer", tuple(map(float, range(1, len(s.names) + 1))), START, 0, has_step_buttons=True
    )
    best = _both("best_alpha")[1, 0, layer.start_index]
    alpha = Slider("alpha", s.alphas, round(float(best), 4), log=True)
    said = _captions(layer)
    return Explorable(
        title=said.title,
        controls=(layer, TRAINING, alpha),
        tensors=_tensors(layer, alpha),
        views=((_points(), _explained(layer)), said.readouts),
        code=load_program(__file__),
    )


def _both(name: str) -> Tensor:
    """Return a stored array; its first axis holds the values before and after training."""
    return CLOUD.result.tensor(name, "training", *OVER[name])


def _xy() -> tuple[Float[Tensor, "2 L T U"], Float[Tensor, "2 L T U"]]:
    x = _both("inputs")
    return x, (x - _both("means")[..., None]) / _both("stds")[..., None]


def _reach() -> tuple[float, float]:
    x, y = _xy()
    return 1.03 * float(x.abs().max()), 1.05 * float(y.abs().max())


def _tensors(layer: Slider, alpha: Slider) -> dict[str, SweptTensor]:
    by_norm = (TRAINING.name, layer.name)
    x, y = _xy()
    wide, high = _reach()
    places = torch.linspace(-wide, wide, POINTS)
    bent = torch.tanh(torch.tensor(alpha.values)[:, None] * places)  # A,P
    curve = _both("heights")[..., None] * bent + _both("shifts")[..., None]  # 2,L,A,P
    curve = curve.where(curve.abs() <= high, torch.nan)
    tensors = {
        "x": SweptTensor(by_norm, x.flatten(2), 3),
        "y": SweptTensor(by_norm, y.flatten(2), 3),
        "curve": SweptTensor((*by_norm, alpha.name), curve, 2),
        "left": SweptTensor((*by_norm, alpha.name), 100 * _both("left"), 2),
    }
    order = _both("stds").argsort(-1)  # 2,L,T
    for name, rank in zip(TOKENS, (0, order.shape[-1] // 2, -1), strict=True):
        token = order[..., rank, None, None]
        for axis, values in (("x", x), ("y", y)):
            own = values.take_along_dim(token, -2).squeeze(-2)
            tensors[f"{name} {axis}"] = SweptTensor(
                by_norm, torch.stack(own.aminmax(dim=-1), -1), 3
            )
        sigma = _both("stds").take_along_dim(token.squeeze(-1), -1).squeeze(-1)
        tensors[f"{name} sigma"] = SweptTensor(by_norm, sigma, 3)
    for kind in KINDS:
        shares = 100 * _both(kind)  # 2,seeds,L
        ends = {"here": shares.mean(1), "low": shares.amin(1), "high": shares.amax(1)}
        tensors |= {f"{kind} {end}": SweptTensor(by_norm, each, 3) for end, each in ends.items()}
        tensors[f"{kind} first"] = SweptTensor(by_norm, shares[:, 0], 2)
    tensors["best"] = SweptTensor(by_norm, _both("best_alpha")[:, 0], 3)
    tensors["spread"] = SweptTensor(by_norm, _both("spread").mean(1), 2)
    return tensors


def _points() -> Chart:
    s = CLOUD.result.specification
    wide, high = _reach()
    units = f"{s.units} units of {s.tokens} tokens"
    return chart(
        "Norm {layer}, {training}",
        [
            points(units, "none", "x", "y", 4, marker_style={"opacity": 0.7}),
            *(
                line(label, token, f"{name} x", f"{name} y", width=2.5, dash=dash)
                for name, (label, token, dash) in TOKENS.items()
            ),
            line("tanh", "dyt", torch.linspace(-wide, wide, POINTS), "curve"),
        ],
        linear_axis("input", -wide, wide, padded=False),
        linear_axis("output, before gain and bias", -high, high, padded=False),
        "What norm {layer} outputs for each input, {training}: a cloud of points from many tokens, "
        "with a tanh through it. At alpha {alpha}, the tanh leaves {left:1}% of the variance "
        "unexplained. Three tokens’ points lie on straight lines, with σ {small sigma:2}, "
        "{middle sigma:2} and {large sigma:2}.",
        height=HEIGHT,
    )


def _explained(layer: Slider) -> Chart:
    top = 100 * max(float(_both(kind).max()) for kind in KINDS)
    return chart(
        f"Unexplained variance, {len(CLOUD.result.specification.seeds)} seeds, {{training}}",
        [
            line(
                label,
                token,
                layer,
                f"{kind} here",
                dash=dash,
                band=(f"{kind} low", f"{kind} high"),
            )
            for kind, (label, token, dash) in KINDS.items()
        ],
        linear_axis("norm", layer.values[0], layer.values[-1]),
        linear_axis("unexplained, %", 0, 1.05 * top, padded=False),
        "How much of the outputs’ variance the best straight line and the best tanh leave "
        "unexplained, by norm, {training}. At norm {layer}: {straight here:1}% and "
        "{bent here:1}%. Means over the seeds, with their range.",
        height=HEIGHT,
    )


def _captions(layer: Slider) -> RenderedCaptions:
    result = CLOUD.result
    s = result.specification
    losses = result.tensor("loss", "training", "seed").mean(1)
    sizes = ("layers", "width", "context", "steps", "batch", "warm_up", "units", "tokens")
    values = {name.replace("_", "-"): getattr(s, name) for name in sizes} | {
        "norms": len(s.names),
        "rate": f"{s.rate:g}",
        "before": float(losses[0]),
        "after": float(losses[1]),
        "seeds": len(s.seeds),
        "seed": s.seeds[0],
        "fitted": s.passages * s.context,
        "made": result.header.made_with,
    }
    norms = tuple(
        CaptionVariant({layer.name: (float(at),)}, {"at": at, "name": name})
        for at, name in enumerate(s.names, 1)
    )
    return CAPTIONS.render(values, {"norm": norms, "training": tuple(map(_ahead, KEYS))})


def _ahead(when: str) -> CaptionVariant:
    """Return the caption on the norms at which tanh beats a straight line by most and by least."""
    bent, straight = (
        100 * CLOUD.result.tensor(name, "seed", "norm", training=when).mean(0)
        for name in ("bent", "straight")
    )
    most, least = int((straight - bent).argmax()), int((straight - bent).argmin())
    return CaptionVariant(
        {TRAINING.name: (when,)},
        {
            "when": when.capitalize(),
            "most": most + 1,
            "bent": float(bent[most]),
            "straight": float(straight[most]),
            "least": least + 1,
        },
    )


FIGURE = FigureSpec("cloud", build)
