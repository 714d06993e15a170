"""What the figure of BatchNorm's noise draws: histograms, their width, and one case as a cloud."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go
import torch

from lnviz.explorable import Along, Chart, Choice, Readout, Slider
from lnviz.lessons.plots import legend, line, logs, mark, span

BINS = {"mean": (-3.5, 3.5, 71), "variance": (0.0, 4.0, 65)}
"""Where the bins of a histogram begin and end, and how many there are."""
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Truth:
    """What the estimates are held against.

    Attributes:
        digit: the one case, as a digit.
        cases: in the data set.
        batches: estimates of every size.
        seen: batches with the one case.
        mean: of the unit over the data set.
        std: its standard deviation.
        layer: the case's outputs under LayerNorm, at two units.
        whole: the same under BatchNorm with the statistics of the whole data set.
    """

    digit: str
    cases: int
    batches: int
    seen: int
    mean: float
    std: float
    layer: tuple[float, ...]
    whole: tuple[float, ...]


def histograms(truth: Truth) -> tuple[Chart, ...]:
    """Estimated means and variances, each in bins that stay where they are."""
    means = _histogram("mean", 0, "off the true mean by, in σ")
    ratios = _histogram("variance", 1, "multiple of the true variance")
    ratios.update_xaxes(
        range=[-0.1, 4.1], tickvals=[0, 1, 2, 3, 3.9], ticktext=["0", "1", "2", "3", "more"]
    )
    said = f"Histogram over {truth.batches:,} mini-batches of {{batch size}}, {{order}}: "
    return (
        Chart(
            "Mean of one unit, in batches of {batch size}",
            means,
            {0: {"y": "means"}},
            f"{said}the estimated means scatter by {{spread:2}} standard deviations around the "
            "true one.",
            height=240,
        ),
        Chart(
            "Its variance, in batches of {batch size}",
            ratios,
            {0: {"y": "ratios"}},
            f"{said}the estimated variance is {{ratio:2}} times the true one on average.",
            height=240,
        ),
    )


def _histogram(of: str, true: float, title: str) -> go.Figure:
    low, high, count = BINS[of]
    width = (high - low) / count
    places = [low + (at + 0.5) * width for at in range(count)]
    figure = go.Figure([go.Bar(x=places, marker_color="var(--ln-batch)")])
    figure.add_vline(true, line={"color": "var(--ln-ink)", "width": 1.5, "dash": "dot"})
    figure.update_xaxes(range=[low, high], title=title, zeroline=False)
    figure.update_yaxes(range=[0, 1.05], showticklabels=False, title="how often")
    figure.update_layout(bargap=0.08)
    return figure


def spreads(truth: Truth, size: Slider) -> Chart:
    """How far the means scatter, measured and by the rule, against the batch size."""
    sizes = torch.tensor(size.values)
    x, root = sizes.log10().tolist(), sizes.rsqrt()
    rest = ((truth.cases - sizes) / (truth.cases - 1)).sqrt()
    figure = go.Figure(
        [
            line("1/√N", "ink", x, width=1.5, dash="dot", y=root.log10().tolist()),
            line("without replacement", "soft", x, width=1.5, y=(root * rest).log10().tolist()),
            line("measured", "batch", x),
            mark(token="batch"),
        ]
    )
    logs(figure, "x")
    logs(figure, "y")
    figure.update_xaxes(
        range=span([x[0], x[-1]]),
        tickvals=[math.log10(width) for width in WIDTHS],
        ticktext=[str(width) for width in WIDTHS],
        title=size.name,
        zeroline=False,
    )
    heights = (0.05, 0.1, 0.2, 0.5, 1.0)
    figure.update_yaxes(
        range=[math.log10(0.045), math.log10(1.3)],
        tickvals=[math.log10(height) for height in heights],
        ticktext=[f"{height:g}" for height in heights],
        title="in σ",
        zeroline=False,
    )
    legend(figure)
    return Chart(
        "How far the means scatter around the true one",
        figure,
        {2: {"y": Along("log spread", size.name)}, 3: {"x": "log size", "y": "log spread"}},
        "Scatter of the estimated mean against batch size, {order}, both logarithmic. At "
        "{batch size}: measured {spread:3}, by 1/√N {root:3}, without replacement {finite:3}.",
        height=340,
    )


def clouds(truth: Truth, reach: float) -> Chart:
    """What two units put out for one case, a dot a batch; LayerNorm's is one point."""
    figure = go.Figure(
        [
            go.Scatter(
                mode="markers",
                name="BatchNorm, a dot a batch",
                marker={"size": 6, "color": "var(--ln-batch)", "opacity": 0.55},
            ),
            mark("cross", "ink", x=[truth.whole[0]], y=[truth.whole[1]]),
            mark("diamond", "layer", x=[truth.layer[0]], y=[truth.layer[1]]),
        ]
    )
    figure.data[1].update(name=f"BatchNorm, all {truth.cases:,}", showlegend=True)
    figure.data[2].update(name="LayerNorm, always", showlegend=True)
    figure.update_xaxes(range=[-1.08 * reach, 1.08 * reach], title="standardized, unit 1")
    figure.update_yaxes(range=[-1.08 * reach, 1.08 * reach], title="standardized, unit 2")
    legend(figure)
    return Chart(
        f"One case, digit {truth.digit}, in batches that it is part of",
        figure,
        {0: {"x": "across", "y": "up"}},
        f"What two units put out for digit {truth.digit} in {truth.seen} batches of "
        "{batch size}, {order}: at unit 1 BatchNorm gives {out mean:2} on average and scatters by "
        f"{{out std:2}}. LayerNorm gives {truth.layer[0]:.2f} in each.",
        height=340,
    )


def sentences(truth: Truth, size: Slider, order: Choice) -> tuple[Readout, ...]:
    """The numbers of the state, and what its ends mean."""
    several = tuple(value for value in size.values if value > 2)
    many = tuple(value for value in size.values if value > truth.cases / 10)
    shuffled, by_class = ({order.name: (option.value,)} for option in order.options)
    return (
        Readout(
            f"Over {truth.batches:,} mini-batches of {{batch size}} the mean is off by "
            "{spread:3 value} standard deviations (root mean square); 1/√N says {root:3}. The "
            "biased variance comes to {ratio:2 value} times the true one on average."
        ),
        Readout(
            f"The output of digit {truth.digit} at unit 1 scatters by {{out std:2 value}} from "
            f"batch to batch. Under LayerNorm it is {truth.layer[0]:.2f} in every batch."
        ),
        Readout(
            "A batch of one: the case is its own mean, the variance is 0, and BatchNorm puts out "
            "0, whatever the case shows. PyTorch refuses such a batch in training.",
            "verdict",
            {size.name: (1.0,)},
        ),
        Readout(
            "A batch of two says of each case only whether it is the larger: 1 or −1, or "
            "something between where the two hardly differ.",
            "verdict",
            {size.name: (2.0,)},
        ),
        Readout(
            "A mini-batch of a shuffled epoch holds no case twice. So the mean of N out of "
            f"{truth.cases:,} scatters less than 1/√N says, by the factor √(({truth.cases:,} − "
            f"N)/{truth.cases - 1:,}): {{finite:3 value}} in place of {{root:3}} here.",
            when=shuffled | {size.name: many},
        ),
        Readout(
            "Sorted by class, a batch holds one digit, or few where one ends and the next begins. "
            "Its mean is theirs: more cases of the same digit bring it nearer to the mean of that "
            "digit, and not to the mean of all.",
            "verdict",
            by_class | {size.name: several},
        ),
    )
