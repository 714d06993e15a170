"""Charts of the kernels figure: the norms' times and memory bandwidths."""

from __future__ import annotations

import torch

from lnviz.explorable import Chart, Slider, ViewRow
from lnviz.lessons.chart_axes import linear_axis, short_log_axis
from lnviz.lessons.charts import bars, chart, line, norm_line, threshold
from lnviz.lessons.cost.shared import widths_axis
from lnviz.norms import CATALOGUE
from lnviz.topics.cost.kernels import COPY, Kernels
from lnviz.topics.cost.ways import WAYS

HEIGHT = 300
STYLES = {"written": ("soft", 0.5), "function": ("soft", 1.0), "compiled": ("ink", 1.0)}
"""The color of each implementation, unlike that of any norm, and the opacity of its bars."""


def charts(kernels: Kernels, highest: float, width: Slider) -> ViewRow:
    """Draw the norms' times against width, and their memory bandwidths at the selected width.

    Args:
        kernels: the measurements.
        highest: the largest fraction of the copy's bandwidth.
        width: the slider over the widths.
    """
    return _times(kernels, width), _shares(kernels, highest)


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
        "Time per value, {way}, {pass}",
        [
            line("copy", "none", width, f"{COPY} curve", width=2, dash="dot", band=copy_range),
            *(
                norm_line(norm, width, f"{norm} curve", band=(f"{norm} low", f"{norm} high"))
                for norm in _norms(kernels)
            ),
        ],
        widths_axis(s.widths),
        short_log_axis("ns per value", float(each.min()), float(each.max())),
        "How long each norm takes per value, {way}, {pass}, by width. At width {width}, a whole "
        "call takes {layer us:g3} µs for LayerNorm, {rms us:g3} µs for RMSNorm, {batch us:g3} µs "
        "for BatchNorm and {copy us:g3} µs for a copy. Nanoseconds, logarithmic.",
        height=HEIGHT,
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
        f"{WAYS[way]}, RMSNorm takes {{{way} ratio:2}} times as long as LayerNorm" for way in s.ways
    )
    return chart(
        "Bandwidth at width {width}, {pass}",
        [*drawn, threshold(100, "a copy")],
        linear_axis(
            "", type="category", categoryorder="array", categoryarray=list(labels.values())
        ),
        linear_axis("% of the copy’s bandwidth", 0, max(105.0, 1.05 * highest), padded=False),
        "How close each norm comes to the speed of a copy, at width {width}, {pass}: one bar per "
        f"norm and implementation. {ratios}.",
        height=HEIGHT,
        bargap=0.25,
        barmode="group",
    )
