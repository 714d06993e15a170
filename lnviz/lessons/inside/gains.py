"""The learned parameters of a published model's norms: gains, and the biases of LayerNorm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from lnviz.explorable import (
    Chart,
    Choice,
    Explorable,
    Option,
    Slider,
    SweptTensor,
    ViewRow,
    load_program,
)
from lnviz.lessons.captions import CaptionVariant, load_captions
from lnviz.lessons.chart_axes import ChartAxis, linear_axis, log_axis, to_log10
from lnviz.lessons.charts import ChartTrace, bars, chart, line, markers, points
from lnviz.lessons.inside.reading import (
    MODEL,
    NEAR_ZERO,
    PARTS,
    depth_axis,
    log_range,
    median_size,
    norm_slider,
    sublayer_norms,
)
from lnviz.lessons.lesson import FigureSpec
from lnviz.pretrained.packages import SMOLLM2
from lnviz.pretrained.stored_records import stored_records

RARE = 0.001
"""The fraction of gains that may be below the charts' range; they are drawn at its lower end."""
CLOSE = 0.1
"""The distance from 1 within which a gain counts as near 1."""
BINS = 60
MOST = 1024
"""The largest number of gains drawn per norm; a norm with more is drawn by this many quantiles."""
LOW = 0.05
"""The fraction of gains below the band of a chart, and also the fraction above it."""
DRAWN = Choice("drawn", (Option("sorted", "sorted"), Option("histogram", "histogram")), "sorted")
BELOW = Slider.decades("off below", -3, 0, 10, NEAR_ZERO)
Gains = Float[Tensor, "S D"]
CAPTIONS = load_captions(__file__)


@dataclass(frozen=True, eq=False)
class NormGains:
    """The learned gains and biases of all norms of a model.

    Attributes:
        norm: the slider over the norms.
        along: the axis along the depth.
        gains: the gains, in the order of the slider, padded with NaN.
        biases: the biases, in the same way; None if there are none.
        component: the component with the largest values of the residual stream, if known.
        parts: the positions of that component's dots, by kind of norm.
    """

    norm: Slider
    along: ChartAxis
    gains: Gains
    biases: Gains | None
    component: int | None = None
    parts: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def counts(self) -> Float[Tensor, " S"]:
        """The number of gains that each norm has."""
        return _counted(self.gains)

    @property
    def sizes(self) -> Gains:
        """The absolute values of the gains, by norm and component."""
        return self.gains.abs()

    @property
    def ends(self) -> tuple[float, float]:
        """The powers of ten at the ends of the axis of gains."""
        return log_range(self.gains, RARE)

    @property
    def logs(self) -> Gains:
        """The logarithms of the absolute values of the gains."""
        return to_log10(self.sizes, self.ends[0]).where(~self.gains.isnan(), torch.nan)


def build(gain_model: str = SMOLLM2.key) -> Explorable:
    """Build the figure of all learned gains of a model, by norm, and of its biases, if any."""
    stored = stored_records(gain_model)
    names, component = stored.passage_record.norms, stored.passage_record.zeroed.component
    least = int(stored.gains[:, component].abs().argmin())
    return gains_figure(
        NormGains(
            replace(norm_slider(stored.passage_record, least), name="norm"),
            depth_axis(names),
            stored.gains,
            stored.biases,
            component,
            {label: sublayer_norms(names, part) for part, label in PARTS.items()},
        ),
        load_program(__file__),
    )


def gains_figure(learned: NormGains, code: str = "") -> Explorable:
    """Build the figure of the gains and biases of any model's norms.

    Args:
        learned: the gains and biases.
        code: the figure's program; "" for none.
    """
    norm = learned.norm
    massive = (
        () if learned.component is None else (CaptionVariant({}, {"component": learned.component}),)
    )
    said = CAPTIONS.render(
        {"norms": len(learned.gains), "all": int(learned.counts.sum()), "close": CLOSE},
        {"massive": massive},
    )
    rows: tuple[ViewRow, ...] = ((*_gains(learned), _along(learned)), said.readouts)
    tensors = _sizes(learned) | _counts(learned)
    if learned.biases is not None:
        tensors |= _biases(norm, learned.biases)
        rows += ((*_bias_charts(learned.biases),), said.sections["biases"])
    return Explorable(
        title=said.title,
        controls=(norm, DRAWN, BELOW),
        tensors=tensors,
        views=rows,
        code=code,
    )


def padded_gains(each: Sequence[Tensor | None]) -> Gains:
    """Return the gains (or biases) of several norms as one tensor, padded with NaN."""
    flat = [torch.zeros(0) if one is None else one.flatten().float() for one in each]
    return pad_sequence(flat, batch_first=True, padding_value=torch.nan)


def _sizes(learned: NormGains) -> dict[str, SweptTensor]:
    """Return tensors of the charts of the selected norm's gains, and of the marked component."""
    norm, logs, ends = learned.norm, learned.logs, learned.ends
    middle = median_size(learned.gains)[:, None]  # S,1
    limits = to_log10(middle * torch.tensor(BELOW.values), ends[0])  # S,B
    drawn = {"sorted": _sorted(logs), "counts": _histogram(logs, *ends)}
    if learned.component is not None:
        own = logs[:, learned.component, None]
        drawn |= {"own size": own, "own rank": (logs < own).sum(-1, keepdim=True).float()}
    both = limits[..., None].expand(-1, -1, 2).contiguous()  # a line's two ends
    return {
        **{name: SweptTensor((norm.name,), values, 3) for name, values in drawn.items()},
        "limit": SweptTensor((norm.name, BELOW.name), both, 3),
    }


def _sorted(values: Gains) -> Float[Tensor, "S drawn"]:
    """Return each norm's values in ascending order, or `MOST` quantiles if there are more."""
    shares = torch.linspace(0, 1, min(MOST, values.shape[1]), dtype=torch.float64)
    ranks = (shares * (_counted(values)[:, None] - 1)).round().clamp(min=0).long()
    return values.sort(-1).values.gather(1, ranks)


def _counted(values: Gains) -> Float[Tensor, " S"]:
    """Return the number of values of each norm, not counting NaN."""
    return (~values.isnan()).sum(-1).float()


def _across(values: Gains, what: str) -> tuple[list[float], ChartAxis]:
    """Return coordinates and axis for sorted values: ranks, or percent if norms differ in width.

    Args:
        values: the values.
        what: their name.
    """
    count = values.shape[1]
    last = count - 1.0 if bool((_counted(values) == count).all()) else 100.0
    title = what if last < count else f"percent of the {what}"
    places = torch.linspace(0, last, min(MOST, count)).tolist()
    return places, linear_axis(f"{title}, the smallest first", 0.0, last)


def _histogram(values: Gains, low: float, high: float) -> Float[Tensor, "S bins"]:
    """Return the number of each norm's values in each of `BINS` bins."""
    return torch.stack([row[row.isfinite()].histc(BINS, low, high) for row in values])


def _places(low: float, high: float) -> list[float]:
    """Return the centers of the histogram's bins."""
    width = (high - low) / BINS
    return [low + (at + 0.5) * width for at in range(BINS)]


def _counts(learned: NormGains) -> dict[str, SweptTensor]:
    """Return the numbers in the captions: how many gains are small, negative or near 1, and so on.

    Each is a swept tensor, by its name in `gains.md`.
    """
    norm, gains, sizes = learned.norm, learned.gains, learned.sizes
    median = median_size(gains)[:, None]
    off = torch.stack([(sizes < below * median).sum(-1) for below in BELOW.values], -1)  # S,B
    least, most = _least(gains), -_least(-gains)
    numbers: dict[str, Tensor] = {
        "count": learned.counts,
        "median": median[:, 0],
        "least": least,
        "most": most,
        "negative": (gains < 0).sum(-1),
        "near": ((gains - 1).abs() <= CLOSE).sum(-1),
    }
    if learned.component is not None:
        own = learned.component
        numbers["own"] = gains[:, own]
        numbers["own below"] = (sizes < sizes[:, own, None]).sum(-1)
    named = min(3, gains.shape[1])
    smallest = sizes.topk(named, largest=False).indices  # S,3
    differ = (least < most) & (learned.counts >= 3)
    for at in range(3):
        which = smallest[:, min(at, named - 1)]
        value = gains.gather(1, which[:, None])[:, 0]
        numbers[f"which {at}"] = which.float().where(differ, torch.nan)
        numbers[f"small {at}"] = value.where(differ, torch.nan)
    return {
        **{name: SweptTensor((norm.name,), values.float()) for name, values in numbers.items()},
        "off": SweptTensor((norm.name, BELOW.name), off.float()),
        "off in all": SweptTensor((BELOW.name,), off.sum(0).float()),
    }


def _least(values: Gains) -> Float[Tensor, " S"]:
    """Return the smallest value of each norm."""
    least = values.nan_to_num(torch.inf, torch.inf, -torch.inf).amin(-1)
    return least.where(least.isfinite(), torch.nan)


def _gains(learned: NormGains) -> Iterator[Chart]:
    """Draw the selected norm's gains as a sorted curve and as a histogram."""
    ends, component = learned.ends, learned.component
    own = "" if component is None else f"component {component}"
    said = f"; {own} has {{own:g2}}" if own else ""
    alt = (
        f"from {{least:g2}} to {{most:g2}}, with a median size of {{median:g2}}{said}; {{off:0}} "
        "are smaller than {off below} times the median."
    )
    size = log_axis("size of the gain", *ends, floor=True)
    places, across = _across(learned.gains, "gains")
    yield chart(
        "{norm}: sizes of the gains, sorted",
        [
            line("gains", "accent", places, "sorted", width=2.5),
            line("nearly off", "soft", [0, places[-1]], "limit", width=1.2, dash="dot"),
            markers("ink", "own rank", "own size", name=own) if own else [],
        ],
        across,
        size,
        f"The {{count:0}} gains at {{norm}}, sorted by size: {alt} Logarithmic.",
        when={DRAWN.name: ("sorted",)},
    )
    top = float(_histogram(learned.logs, *ends).max())
    yield chart(
        "{norm}: sizes of the gains, a histogram",
        [
            bars("gains", "accent", _places(*ends), "counts"),
            line("nearly off", "soft", "limit", [-top / 10, top], width=1.2, dash="dot"),
            markers("ink", "own size", [-top / 20], name=own) if own else [],
            _rug("sorted", len(places), top),
        ],
        size,
        _frequencies(top),
        f"How large the {{count:0}} gains at {{norm}} are, as a histogram: {alt} Logarithmic.",
        when={DRAWN.name: ("histogram",)},
        bargap=0.08,
    )


def _rug(values: str, count: int, top: float) -> list[ChartTrace]:
    """Draw every value as a tick mark below the histogram, so that single values are visible."""
    return points(
        "", "accent", values, [-top / 20] * count, 9, marker_style={"symbol": "line-ns-open"}
    )


def _frequencies(top: float) -> ChartAxis:
    return linear_axis("how many", -top / 10, 1.03 * top, padded=False, zeroline=False)


def _along(learned: NormGains) -> Chart:
    """Draw the norms' median gains by depth, with a band of the middle 90% of all gains."""
    component = learned.component
    low, high = learned.logs.nanquantile(torch.tensor([LOW, 1 - LOW]), -1)
    parts: list[list[ChartTrace]] = []
    also, said = "", "At {norm}, the median is {median:g2}."
    if component is not None:
        also = f", and the gains of component {component}"
        said = "At {norm}, the median is {median:g2} and the component’s gain is {own:g2}."
        own = learned.logs[:, component].tolist()
        parts = [
            points(
                f"{component}, {label}",
                "ink",
                places,
                [own[place] for place in places],
                7,
                marker_style={"symbol": symbol},
            )
            for (label, places), symbol in zip(
                learned.parts.items(), ("circle", "square-open"), strict=True
            )
        ]
    title = "By depth: the median, in a band with the middle 90%"
    return chart(
        title if component is None else f"{title}, and component {component}",
        [
            line(
                "median",
                "accent",
                learned.norm,
                to_log10(median_size(learned.gains)),
                band=(low, high),
            ),
            *parts,
        ],
        learned.along,
        log_axis("size of the gain", *learned.ends, floor=True),
        "The median size of the gains at every norm, in a band with the middle 90%"
        f"{also}. {said} Logarithmic.",
    )


def _biases(norm: Slider, biases: Gains) -> dict[str, SweptTensor]:
    """Return the tensors of the charts of the biases and of the captions on them."""
    low, high = _range(biases)
    drawn = {
        "biases": _sorted(biases),
        "bias counts": _histogram(biases, low, high),
        "bias least": _least(biases),
        "bias most": -_least(-biases),
        "bias median": median_size(biases),
        "bias far": (biases.abs() > CLOSE).sum(-1).float(),
    }
    return {name: SweptTensor((norm.name,), values) for name, values in drawn.items()}


def _range(values: Gains) -> tuple[float, float]:
    low, high = (float(end) for end in values[values.isfinite()].aminmax())
    return (low, high) if low < high else (low - 1, high + 1)


def _bias_charts(biases: Gains) -> Iterator[Chart]:
    """Draw the selected norm's biases as a sorted curve and as a histogram."""
    low, high = _range(biases)
    alt = "from {bias least:g2} to {bias most:g2}, half of them closer to 0 than {bias median:g2}."
    bias = linear_axis("bias", low, high, zeroline=False)
    places, across = _across(biases, "biases")
    yield chart(
        "{norm}: biases, sorted",
        [line("biases", "accent", places, "biases", width=2.5)],
        across,
        bias,
        f"The biases at {{norm}}, sorted: {alt}",
        height=280,
        when={DRAWN.name: ("sorted",)},
        legend=False,
    )
    top = float(_histogram(biases, low, high).max())
    yield chart(
        "{norm}: biases, a histogram",
        [
            bars("", "accent", _places(low, high), "bias counts"),
            _rug("biases", len(places), top),
        ],
        bias,
        _frequencies(top),
        f"The biases at {{norm}} as a histogram: {alt}",
        height=280,
        when={DRAWN.name: ("histogram",)},
        legend=False,
        bargap=0.08,
    )


FIGURE = FigureSpec("gains", build, (replace(MODEL, name="gain_model"),))
