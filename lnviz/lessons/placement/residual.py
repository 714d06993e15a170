"""The magnitude of the residual stream after every layer, at initialization."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import (
    Chart,
    EnumParameter,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    load_program,
)
from lnviz.lessons.captions import load_captions
from lnviz.lessons.chart_axes import linear_axis, short_log_axis, to_log10
from lnviz.lessons.charts import chart, fill_between, line, mean_with_range
from lnviz.lessons.lesson import FigureSpec
from lnviz.topics.transformer import OLMO2, PERI, PLACEMENTS, POST, PRE, SANDWICH, SCALED
from lnviz.topics.transformer.setups import InitializationExperiment
from lnviz.topics.transformer.theory import Sizes, pre_ln_bounds, sizes

DEEPEST = 48
LAYERS = Slider(
    "layers", tuple(map(float, range(2, DEEPEST + 1))), 12.0, decimals=0, url_name="stream-layers"
)
WIDTH = EnumParameter("width", "Width", tuple(Option(str(w), str(w)) for w in (32, 64, 128)), "64")
LINES = {
    POST.key: ("ink", "solid"),
    PRE.key: ("layer", "solid"),
    SCALED.key: ("layer", "dash"),
    SANDWICH.key: ("soft", "solid"),
    PERI.key: ("soft", "dash"),
    OLMO2.key: ("soft", "dot"),
}
"""Color and dash of each placement. DeepNorm and Keel have Post-LN's norm on each sum."""
ByPlacement = Mapping[str, Sizes]
CAPTIONS = load_captions(__file__)


def build(width: str = "64") -> Explorable:
    """Build charts of the residual stream's mean square and of the layers' updates, by depth."""
    experiment = InitializationExperiment(width=int(width), seeds=tuple(range(5)))
    by_placement = sizes(tuple(LINES), DEEPEST, experiment)
    said = CAPTIONS.render(
        {
            "width": experiment.width,
            "positions": experiment.cases,
            "seeds": len(experiment.seeds),
        }
    )
    return Explorable(
        title=said.title,
        controls=(LAYERS,),
        tensors=_tensors(by_placement),
        views=(
            (_sizes(by_placement), _shares(by_placement)),
            said.readouts,
        ),
        code=load_program(__file__, width=width),
    )


def _share(measured: Sizes) -> Float[Tensor, "L S"]:
    """Return the RMS of each layer's update divided by the RMS of the residual stream before it."""
    return ((measured.attention + measured.feed_forward) / measured.stream[:-1]).sqrt()


def _tensors(by_placement: ByPlacement) -> dict[str, SweptTensor]:
    """Return the values that captions quote on the last layer, for each number of layers."""
    depths = torch.tensor(LAYERS.values).long()
    numbers: dict[str, Tensor] = {}
    for key, measured in by_placement.items():
        stream = measured.stream[depths]  # layers,seeds
        numbers |= {
            f"{key} size": stream.mean(1),
            f"{key} share": _share(measured)[depths - 1].mean(1),
        }
    numbers["lower"], numbers["upper"] = pre_ln_bounds(DEEPEST)[:, depths]
    inside = (numbers["lower"] <= numbers["pre size"]) & (numbers["pre size"] <= numbers["upper"])
    numbers["inside"] = numbers["pre size"].where(inside, torch.nan)
    numbers["outside"] = numbers["pre size"].where(~inside, torch.nan)
    numbers["total"] = by_placement[POST.key].total[depths - 1].mean(1)
    for part in ("attention", "feed_forward"):
        numbers[part] = getattr(by_placement[PRE.key], part)[depths - 1].mean(1)
    return {
        name: SweptTensor((LAYERS.name,), values.contiguous(), 4)
        for name, values in numbers.items()
    }


def _short(key: str) -> str:
    """Return a placement's label, shortened for a legend with two columns on a phone."""
    return PLACEMENTS[key].label.replace("LayerNorm", "LN")


def _sizes(by_placement: ByPlacement) -> Chart:
    places = range(DEEPEST + 1)
    low, high = pre_ln_bounds(DEEPEST)
    most = max(float(each.stream.max()) for each in by_placement.values())
    said = ", ".join(f"{PLACEMENTS[key].label} {{{key} size:1}}" for key in LINES)
    return chart(
        "Mean square of the stream after each layer; dotted: lemma 2’s bounds",
        [
            fill_between("line", places, low, high),
            *(
                line("lemma 2", "ink", places, bound, width=1, dash="dot", showlegend=False)
                for bound in (low, high)
            ),
            *(
                mean_with_range(
                    _short(key),
                    color,
                    places,
                    by_placement[key].stream,
                    at=LAYERS,
                    dash=dash,
                    width=2.5,
                )
                for key, (color, dash) in LINES.items()
            ),
        ],
        linear_axis("layer", 0.0, DEEPEST),
        linear_axis("mean square", 0.0, most, zeroline=False),
        "How the residual stream’s mean square grows from layer to layer. After layer "
        f"{{layers}}: {said}. Lemma 2 bounds Pre-LN’s by {{lower:1}} and {{upper:1}}.",
        height=420,
    )


def _shares(by_placement: ByPlacement) -> Chart:
    shares = {key: _share(each) for key, each in by_placement.items()}
    low, high = torch.stack(list(shares.values())).aminmax()
    said = ", ".join(f"{PLACEMENTS[key].label} {{{key} share:2}}" for key in LINES)
    return chart(
        "What each layer adds, compared with the stream that it reads",
        [
            line(
                _short(key),
                color,
                range(1, DEEPEST + 1),
                to_log10(shares[key].mean(1)),
                at=LAYERS,
                dash=dash,
                width=2.5,
                band=(to_log10(shares[key].amin(1)), to_log10(shares[key].amax(1))),
            )
            for key, (color, dash) in LINES.items()
        ],
        linear_axis("layer", 0.0, DEEPEST),
        short_log_axis("fraction of the stream", float(low), float(high)),
        "How much each layer adds, as a fraction of the stream that it reads (RMS). "
        f"At layer {{layers}}: {said}. Logarithmic.",
        height=420,
    )


FIGURE = FigureSpec("residual", build, (WIDTH,), cpu_seconds=1.5)
