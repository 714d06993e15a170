"""The views of the figure on norms by themselves."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from lnviz.explorable import Chart, Readout, Row, Slider
from lnviz.lessons.chart_axes import linear, logarithmic
from lnviz.lessons.charts import bars, chart, line, norm_line, threshold
from lnviz.lessons.cost.shared import undisturbed, widths_axis
from lnviz.norms import CATALOGUE
from lnviz.topics.cost.kernels import COPY, Kernels
from lnviz.topics.cost.ways import WAYS

LIMIT = 9999  # measurements that have an address of their own
STYLES = {"written": ("soft", 0.5), "function": ("soft", 1.0), "compiled": ("ink", 1.0)}
"""The color of each way, which is no norm's, and how opaque its bars are."""


def views(kernels: Kernels, made: str, highest: float, width: Slider) -> tuple[Row, ...]:
    """Draw two charts, and say the numbers and how they were measured.

    Args:
        kernels: what was measured.
        made: the sentence that says where and with what it was measured.
        highest: the largest share of the copy's bandwidth.
        width: the slider over the widths.
    """
    return (
        (_times(kernels, width), _shares(kernels, highest)),
        (*_words(kernels), *_specification(kernels, made)),
    )


def _norms(kernels: Kernels) -> list[str]:
    return list(dict.fromkeys(name.split()[0] for name in kernels.times))


def _times(kernels: Kernels, width: Slider) -> Chart:
    s = kernels.specification
    every = torch.tensor(
        [kernels.copy, *(curve for each in kernels.times.values() for curve in each)]
    )
    each = every / (s.rows * torch.tensor(s.widths))[:, None] * 1e9
    copy_range = (f"{COPY} low", f"{COPY} high")
    return chart(
        "Time for each number: {way}, {pass}",
        [
            line("copy", "none", width, f"{COPY} curve", width=2, dash="dot", band=copy_range),
            *(
                norm_line(norm, width, f"{norm} curve", band=(f"{norm} low", f"{norm} high"))
                for norm in _norms(kernels)
            ),
        ],
        widths_axis(s.widths),
        logarithmic("ns a number", float(each.min()), float(each.max())),
        "Time for each number that is normalized, in nanoseconds, logarithmic, against the width, "
        "{way}, {pass}. At width {width} the whole call takes {layer us:g3} µs for LayerNorm, "
        "{rms us:g3} µs for RMSNorm, {batch us:g3} µs for BatchNorm and {copy us:g3} µs for a "
        "copy.",
        height=380,
    )


def _shares(kernels: Kernels, highest: float) -> Chart:
    norms, s = _norms(kernels), kernels.specification
    labels = {norm: CATALOGUE[norm].label for norm in norms}
    drawn = []
    for way in s.ways:
        token, opacity = STYLES[way]
        shown = [label for norm, label in labels.items() if f"{norm} {way}" in kernels.times]
        drawn.append(bars(WAYS[way], token, shown, f"{way} share", opacity=opacity))
    ratios = "; ".join(
        f"{WAYS[way]}, RMSNorm takes {{{way} ratio:2}} of LayerNorm's time" for way in s.ways
    )
    return chart(
        "Bandwidth reached at width {width}, {pass}",
        [*drawn, threshold(100, "a copy")],
        linear("", type="category", categoryorder="array", categoryarray=list(labels.values())),
        linear("% of the copy's bandwidth", 0, max(105.0, 1.05 * highest), room=False),
        "Bytes that must move, divided by the time, as a share of the same for a copy, at width "
        f"{{width}}, {{pass}}, one bar for each norm and way. {ratios}.",
        height=380,
        bargap=0.25,
        barmode="group",
    )


def _words(kernels: Kernels) -> Iterator[Readout]:
    ways = kernels.specification.ways
    said = {
        "written": "written out, RMSNorm takes",
        "function": "with PyTorch's functions",
        "compiled": "compiled",
    }
    parts = [
        f"{said[way]} {{{way} ratio:2 value}} ({{{way} low:2}} to {{{way} high:2}})" for way in ways
    ]
    *first, last = parts
    yield Readout(
        f"RMSNorm beside LayerNorm at width {{width}}, {{pass}}: {', '.join(first)}, and {last} "
        "times as long. Below 1 RMSNorm is the faster one. In parentheses: the middle half of the "
        "rounds.",
        "verdict",
    )
    yield Readout(
        "At width {width} ({way}, {pass}) LayerNorm takes {layer us:g3 value} µs, RMSNorm "
        "{rms us:g3 value} µs, BatchNorm {batch us:g3 value} µs, DyT {dyt us:g3 value} µs, a copy "
        "{copy us:g3 value} µs.",
        given="dyt us",
    )
    yield Readout(
        "At width {width} ({way}, {pass}) LayerNorm takes {layer us:g3 value} µs, RMSNorm "
        "{rms us:g3 value} µs, BatchNorm {batch us:g3 value} µs, a copy {copy us:g3 value} µs. "
        "PyTorch has no function for DyT.",
        lacking="dyt us",
    )
    yield Readout(
        "LayerNorm, {pass}, has to move {layer bytes:g3} MB at least: its inputs read once, its "
        "outputs written once. By its time ({way}) that is {layer speed:g3 value} GB/s. The "
        "copy, which reads and writes as many numbers as LayerNorm forward, reaches "
        "{copy speed:g3 value} GB/s."
    )


def _specification(kernels: Kernels, made: str) -> Iterator[Readout]:
    s = kernels.specification
    lacks = "" if "compiled" in s.ways else " Compiling is left out here: it takes too long."
    yield Readout(
        f"{s.rows:,} rows of float32, with gain and bias (RMSNorm: a gain, DyT: α as well). Each "
        f"time is the median of {s.rounds} rounds in which all take turns; the bands go from the "
        "first to the third quartile. A call puts its output into new memory, as PyTorch does."
        f"{lacks}"
    )
    yield Readout(made + undisturbed(kernels.machine, kernels.own))
