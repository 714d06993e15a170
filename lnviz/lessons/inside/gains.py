"""What the norms of a published model have learned: their gains, and the biases of LayerNorm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Choice, Explorable, Option, Row, Slider, Swept, program
from lnviz.lessons.chart_axes import Axis, decades, linear, powers
from lnviz.lessons.charts import Part, bars, chart, dots, line, plotted
from lnviz.lessons.inside.reading import MODEL, NEARLY, PARTS, depth, ends, of, usual, walk
from lnviz.lessons.lesson import Figure
from lnviz.lessons.words import words
from lnviz.topics.pretrained.packages import SMOLLM2
from lnviz.topics.pretrained.stored import kept

RARE = 0.001
"""The share of the gains that may be too small for the charts; they are drawn at the floor."""
CLOSE = 0.1
"""A gain within this distance of 1 counts as near it."""
BINS = 60
LOW = 0.05
"""The share of the gains below the band, and above it."""
DRAWN = Choice("drawn", (Option("sorted", "sorted"), Option("histogram", "histogram")), "sorted")
BELOW = Slider.decades("off below", -3, 0, 10, NEARLY)
Gains = Float[Tensor, "S D"]
WORDS = words(__file__)


@dataclass(frozen=True, eq=False)
class Learned:
    """What the norms of a model have learned.

    Attributes:
        norms: the names of the norms.
        gains: their gains, in the same order.
        biases: their biases, where they have some.
        component: the component that holds the largest numbers of the residual stream.
    """

    norms: tuple[str, ...]
    gains: Gains
    biases: Gains | None
    component: int

    @property
    def sizes(self) -> Gains:
        """The gains without their signs."""
        return self.gains.abs()

    @property
    def ends(self) -> tuple[float, float]:
        """Powers of ten between which sizes are drawn."""
        return ends(self.gains, RARE)

    @property
    def logs(self) -> Gains:
        """Logarithms of the sizes."""
        return decades(self.sizes, self.ends[0])


def build(gain_model: str = SMOLLM2.key) -> Explorable:
    """Build all gains of a model, norm by norm, and biases where it has them."""
    stored = kept(gain_model)
    learned = Learned(
        stored.page.norms,
        stored.gains,
        stored.biases,
        stored.page.zeroed.component,
    )
    least = int(learned.gains[:, learned.component].abs().argmin())
    norm = replace(walk(stored.page, least), name="norm")
    tensors = _sizes(norm, learned) | _counts(norm, learned)
    norms, count = learned.gains.shape
    said = WORDS.said(
        {
            "count": count,
            "norms": norms,
            "all": norms * count,
            "component": learned.component,
            "close": CLOSE,
        }
    )
    rows: tuple[Row, ...] = ((*_gains(learned), _along(learned, norm)), said.readouts)
    if learned.biases is not None:
        tensors |= _biases(norm, learned.biases)
        rows += ((*_bias_charts(learned.biases),), said.sections["biases"])
    return Explorable(
        title=said.title,
        controls=(norm, DRAWN, BELOW),
        tensors=tensors,
        views=rows,
        code=program(__file__),
    )


def _sizes(norm: Slider, learned: Learned) -> dict[str, Swept]:
    """What the charts draw of one norm's gains, and of the component that is pointed out."""
    logs, ends = learned.logs, learned.ends
    own = logs[:, learned.component, None]
    middle = usual(learned.gains)[:, None]  # S,1
    limits = decades(middle * torch.tensor(BELOW.values), ends[0])  # S,B
    drawn = {
        "sorted": logs.sort(-1).values,
        "counts": _histogram(logs, *ends),
        "own size": own,
        "own rank": (logs < own).sum(-1, keepdim=True).float(),
    }
    both = limits[..., None].expand(-1, -1, 2).contiguous()  # a line's two ends
    return {
        **{name: Swept((norm.name,), values, 3) for name, values in drawn.items()},
        "limit": Swept((norm.name, BELOW.name), both, 3),
    }


def _histogram(values: Gains, low: float, high: float) -> Float[Tensor, "S bins"]:
    """How many of each norm's values lie in each of `BINS` bins."""
    return torch.stack([row.histc(BINS, low, high) for row in values])


def _places(low: float, high: float) -> list[float]:
    """The middles of the bins."""
    width = (high - low) / BINS
    return [low + (at + 0.5) * width for at in range(BINS)]


def _counts(norm: Slider, learned: Learned) -> dict[str, Swept]:
    """What the sentences say of the gains."""
    gains, sizes, own = learned.gains, learned.sizes, learned.component
    median = usual(gains)[:, None]
    off = torch.stack([(sizes < below * median).sum(-1) for below in BELOW.values], -1)  # S,B
    smallest = sizes.topk(3, largest=False).indices  # S,3
    numbers: dict[str, Tensor] = {
        "median": median[:, 0],
        "least": gains.amin(-1),
        "most": gains.amax(-1),
        "negative": (gains < 0).sum(-1),
        "near": ((gains - 1).abs() <= CLOSE).sum(-1),
        "own": gains[:, own],
        "own below": (sizes < sizes[:, own, None]).sum(-1),
    }
    for at in range(3):
        which = smallest[:, at]
        numbers |= {f"which {at}": which, f"small {at}": gains.gather(1, which[:, None])[:, 0]}
    return {
        **{name: Swept((norm.name,), values.float()) for name, values in numbers.items()},
        "off": Swept((norm.name, BELOW.name), off.float()),
        "off in all": Swept((BELOW.name,), off.sum(0).float()),
    }


def _gains(learned: Learned) -> Iterator[Chart]:
    """One norm's gains, in two ways."""
    count, ends, component = learned.gains.shape[1], learned.ends, learned.component
    own = f"component {component}"
    alt = (
        "from {least:g2} to {most:g2}, with a median size of {median:g2}; component "
        f"{component} has {{own:g2}}; {{off:0}} are smaller than {{off below}} times the median."
    )
    size = powers("size of the gain", *ends, floor=True)
    yield chart(
        "{norm}: sizes of the gains, sorted",
        [
            line("gains", "accent", range(count), "sorted", width=2.5),
            line("nearly off", "soft", [0, count - 1], "limit", width=1.2, dash="dot"),
            dots("ink", "own rank", "own size", name=own),
        ],
        linear("gains, the smallest first", 0.0, count - 1.0),
        size,
        f"Sizes of the {count} gains at {{norm}}, sorted, logarithmic: {alt}",
        when={DRAWN.name: ("sorted",)},
    )
    top = float(_histogram(learned.logs, *ends).max())
    yield chart(
        "{norm}: sizes of the gains, a histogram",
        [
            bars("gains", "accent", _places(*ends), "counts"),
            line("nearly off", "soft", "limit", [-top / 10, top], width=1.2, dash="dot"),
            dots("ink", "own size", [-top / 20], name=own),
            _rug("sorted", count, top),
        ],
        size,
        _frequencies(top),
        f"Histogram of the sizes of {count} gains at {{norm}}, logarithmic: {alt}",
        when={DRAWN.name: ("histogram",)},
        bargap=0.08,
    )


def _rug(values: str, count: int, top: float) -> list[Part]:
    """Every value as a stroke below the bars, so that single ones are seen."""
    strokes = go.Scatter(
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 9, "color": "var(--ln-accent)"},
        showlegend=False,
    )
    return plotted(strokes, x=values, y=[-top / 20] * count)


def _frequencies(top: float) -> Axis:
    return linear("how many", -top / 10, 1.03 * top, room=False, zeroline=False)


def _along(learned: Learned, norm: Slider) -> Chart:
    """Medians over the depth, in a band of nine tenths of the gains, and the component's."""
    component = learned.component
    low, high = learned.logs.quantile(torch.tensor([LOW, 1 - LOW]), -1)
    own = learned.logs[:, component].tolist()
    parts = [
        plotted(
            go.Scatter(
                name=f"{component}, {PARTS[part]}",
                mode="markers",
                marker={"symbol": symbol, "size": 7, "color": "var(--ln-ink)"},
            ),
            x=of(learned.norms, part),
            y=[own[place] for place in of(learned.norms, part)],
        )
        for part, symbol in zip(PARTS, ("circle", "square-open"), strict=True)
    ]
    return chart(
        f"Along the depth: the median in the middle nine tenths, and component {component}",
        [
            line("median", "accent", norm, decades(usual(learned.gains)), band=(low, high)),
            *parts,
        ],
        depth(learned.norms),
        powers("size of the gain", *learned.ends, floor=True),
        "Median size of the gains by norm, logarithmic, in a band of their middle nine tenths, and "
        f"the gains of component {component}. At {{norm}} the median is {{median:g2}} and the "
        "component's gain is {own:g2}.",
    )


def _biases(norm: Slider, biases: Gains) -> dict[str, Swept]:
    """What is drawn and said of the biases."""
    low, high = biases.aminmax()
    drawn = {
        "biases": biases.sort(-1).values,
        "bias counts": _histogram(biases, float(low), float(high)),
        "bias least": biases.amin(-1),
        "bias most": biases.amax(-1),
        "bias median": usual(biases),
        "bias far": (biases.abs() > CLOSE).sum(-1).float(),
    }
    return {name: Swept((norm.name,), values) for name, values in drawn.items()}


def _bias_charts(biases: Gains) -> Iterator[Chart]:
    """One norm's biases, in two ways."""
    count = biases.shape[1]
    low, high = (float(end) for end in biases.aminmax())
    alt = "from {bias least:g2} to {bias most:g2}, half of them closer to 0 than {bias median:g2}."
    bias = linear("bias", low, high, zeroline=False)
    yield chart(
        "{norm}: biases, sorted",
        [line("biases", "accent", range(count), "biases", width=2.5)],
        linear("biases, the smallest first", 0.0, count - 1.0),
        bias,
        f"The {count} biases at {{norm}}, sorted: {alt}",
        height=280,
        when={DRAWN.name: ("sorted",)},
        legend=False,
    )
    top = float(_histogram(biases, low, high).max())
    yield chart(
        "{norm}: biases, a histogram",
        [
            bars("", "accent", _places(low, high), "bias counts"),
            _rug("biases", count, top),
        ],
        bias,
        _frequencies(top),
        f"Histogram of {count} biases at {{norm}}: {alt}",
        height=280,
        when={DRAWN.name: ("histogram",)},
        legend=False,
        bargap=0.08,
    )


FIGURE = Figure("gains", build, (replace(MODEL, name="gain_model"),))
