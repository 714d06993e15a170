"""Views of the border figure: maps of each unit's statistics, and two charts."""

from __future__ import annotations

import math

from jaxtyping import Float
from torch import Tensor

from lnviz.explorable import Chart, Pictures, Slider
from lnviz.lessons.chart_axes import linear_axis
from lnviz.lessons.charts import chart, line, markers, points

MAPS = {
    "mean": "mean",
    "standard deviation": "standard deviation",
    "share above 0": "fraction above 0",
}
"""The maps of the units, by the tensor that each shows."""
REACH = {"mean": 2.0, "standard deviation": 1.5, "share above 0": 1.0}
LABELS = tuple(f"{n}, {n + 8}" for n in range(1, 9))
WHERE = {"border": ("ink", "circle-open"), "inside": ("soft", "circle")}
STATE = "with {border norm} ({filters})"


def pictures() -> tuple[Pictures, ...]:
    """Return pictures of the filters, and for each filter a map of its units' statistics."""
    return (
        Pictures(
            "The filters: {filters}",
            "weights",
            LABELS,
            "Sixteen filters of 3 by 3 pixels ({filters}).",
            0.8,
            ("", ""),
        ),
        *(
            Pictures(
                f"Each filter’s units, {{border norm}}: {label}",
                name,
                LABELS,
                f"Sixteen maps of 8 by 8 positions, one per filter: the unit’s {label} at each "
                f"position, over all digits, {STATE}.",
                REACH[name],
                ("", ""),
                ink=name != "mean",
                when={"shown": (name,)},
            )
            for name, label in MAPS.items()
        ),
    )


def charts(
    rare: Slider, mean: Float[Tensor, "*shape"], std: Float[Tensor, "*shape"]
) -> tuple[Chart, ...]:
    """Draw the percentage of rarely active units, and each unit's mean and standard deviation."""
    return _rarely(rare), _cloud(mean, std)


def _rarely(rare: Slider) -> Chart:
    return chart(
        "Rare units, by what “rare” means",
        [
            line("at the border", "ink", rare, "border rare", dash="dash"),
            line("inside", "soft", rare, "inside rare"),
        ],
        linear_axis(rare.name, 0.0, rare.values[-1]),
        linear_axis("% of the units", 0, 104, padded=False),
        "{border rare:0} percent of the units at the border and {inside rare:0} percent inside are "
        f"above 0 for less than {{rare means below}} of the images, {STATE}.",
    )


def _cloud(mean: Float[Tensor, "*shape"], std: Float[Tensor, "*shape"]) -> Chart:
    far = math.ceil(2 * float(mean.abs().max())) / 2
    names = {"border": "at the border", "inside": "inside"}
    units = []
    for where, (token, symbol) in reversed(WHERE.items()):
        x, y = f"{where} mean", f"{where} std"
        units.append(points(names[where], token, x, y, 5, marker_style={"symbol": symbol}))
    high = math.ceil(2 * float(std.max())) / 2
    return chart(
        "Every unit, {border norm}; cross: mean 0, deviation 1",
        [*units, markers("ink", [0.0], [1.0], symbol="cross")],
        linear_axis("mean over the images", -far, far, padded=False),
        linear_axis("standard deviation over the images", 0, high, padded=False),
        "A dot per unit: its mean (across) and its standard deviation (up) over the images, "
        f"{STATE}. The standard deviations range from {{least std:2}} to {{most std:2}}, with "
        "median {median std:2}.",
    )
