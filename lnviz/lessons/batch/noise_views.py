"""What the figure of BatchNorm's noise draws: histograms, their width, and one case as a cloud."""

from __future__ import annotations

import math
from dataclasses import dataclass

import plotly.graph_objects as go
import torch

from lnviz.explorable import Chart, Choice, Readout, Slider
from lnviz.lessons.chart_axes import Axis, linear, powers
from lnviz.lessons.charts import bars, chart, dots, line, plotted, upright
from lnviz.numerals import number

BINS = {"mean": (-3.5, 3.5, 71), "variance": (0.0, 4.0, 65)}
"""Where the bins of a histogram begin and end, and how many there are."""
WIDTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Truth:
    """The numbers that the estimates are held against.

    Attributes:
        digit: the digit that the one case shows.
        cases: the number of cases in the data set.
        batches: the number of estimates of every size.
        seen: the number of batches with the one case.
        mean: the mean of the unit over the data set.
        std: its standard deviation.
        layer: the case's outputs under LayerNorm, at two units.
        whole: its outputs under BatchNorm with the statistics of the whole data set.
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
    """Draw estimated means and variances, each in bins that stay where they are."""
    said = f"Histogram over {truth.batches:,} mini-batches of {{batch size}}, {{order}}: "
    more = {0: "0", 1: "1", 2: "2", 3: "3", 3.9: "more"}
    return (
        _histogram(
            "Mean of one unit, in batches of {batch size}",
            ("mean", "means", 0),
            linear("off the true mean by, in σ", *BINS["mean"][:2], room=False, zeroline=False),
            f"{said}the estimated means scatter by {{spread:2}} standard deviations around the "
            "true one.",
        ),
        _histogram(
            "Its variance, in batches of {batch size}",
            ("variance", "ratios", 1),
            linear(
                "multiple of the true variance", -0.1, 4.1, room=False, ticks=more, zeroline=False
            ),
            f"{said}the estimated variance is {{ratio:2}} times the true one on average.",
        ),
    )


def _histogram(title: str, what: tuple[str, str, float], x: Axis, alt: str) -> Chart:
    bins, tensor, true = what
    low, high, count = BINS[bins]
    width = (high - low) / count
    places = [low + (at + 0.5) * width for at in range(count)]
    return chart(
        title,
        [bars("", "batch", places, tensor), upright(true, "ink", 1.5)],
        x,
        linear("how often", 0, 1.05, room=False, showticklabels=False),
        alt,
        height=240,
        legend=False,
        bargap=0.08,
    )


def spreads(truth: Truth, size: Slider) -> Chart:
    """Draw how far the means scatter, measured and by the rule, against the batch size."""
    sizes = torch.tensor(size.values)
    root = sizes.rsqrt().log10()
    finite = root + ((truth.cases - sizes) / (truth.cases - 1)).log10() / 2
    lowest, highest = math.log10(0.045), math.log10(1.3)
    return chart(
        "How far the means scatter around the true one",
        [
            line("1/√N", "ink", size, root, width=1.5, dash="dot", mark=None),
            line("without replacement", "soft", size, finite, width=1.5, mark=None),
            line("measured", "batch", size, "log spread"),
        ],
        powers(size.name, math.log10(size.values[0]), math.log10(size.values[-1]), ticks=WIDTHS),
        powers("in σ", lowest, highest, ticks=(0.05, 0.1, 0.2, 0.5, 1.0), room=False),
        "Scatter of the estimated mean against batch size, {order}, both logarithmic. At "
        "{batch size}: measured {spread:3}, by 1/√N {root:3}, without replacement {finite:3}.",
        height=340,
    )


def clouds(truth: Truth, reach: float) -> Chart:
    """Draw what two units put out for one case, a dot a batch; LayerNorm's is one point."""
    batches = go.Scatter(
        mode="markers",
        name="BatchNorm, a dot a batch",
        marker={"size": 6, "color": "var(--ln-batch)", "opacity": 0.55},
    )
    (x, y), (layer_x, layer_y) = truth.whole, truth.layer
    whole = f"BatchNorm, all {truth.cases:,}"
    side = 1.08 * reach
    return chart(
        f"One case, digit {truth.digit}, in batches that it is part of",
        [
            plotted(batches, x="across", y="up"),
            dots("ink", [x], [y], symbol="cross", name=whole),
            dots("layer", [layer_x], [layer_y], symbol="diamond", name="LayerNorm, always"),
        ],
        linear("standardized, unit 1", -side, side, room=False),
        linear("standardized, unit 2", -side, side, room=False),
        f"What two units put out for digit {truth.digit} in {truth.seen} batches of "
        "{batch size}, {order}: at unit 1 BatchNorm gives {out mean:2} on average and scatters by "
        f"{{out std:2}}. LayerNorm gives {number(truth.layer[0], '2')} in each.",
        height=340,
    )


def sentences(truth: Truth, size: Slider, order: Choice) -> tuple[Readout, ...]:
    """Say the numbers of the state, and what its ends mean."""
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
            f"batch to batch. Under LayerNorm it is {number(truth.layer[0], '2')} in every batch."
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
