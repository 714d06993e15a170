"""The small model that the figures move, the norms it is drawn under, and their curves."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from lnviz.lessons.plots import norm_line
from lnviz.norms import BATCH, LAYER, NONE, RMS, WEIGHT
from lnviz.topics.geometry import FAMILIES, Glm, random_glm

SHOWN = (NONE, BATCH, WEIGHT, RMS, LAYER)
CASES, INPUTS, UNITS = 24, 5, 3
WIDTHS = {"none": 7, "batch": 8, "weight": 3, "rms": 4.5, "layer": 2.5}
"""Of the curves: those that lie on each other show one inside the other."""


def model(family: str, seed: int = 0) -> Glm:
    """Random data and weights, as the figures' programs draw them, too."""
    return random_glm(FAMILIES[family], cases=CASES, inputs=INPUTS, units=UNITS, seed=seed)


def curves(x: Sequence[float], ys: Sequence[Sequence[float]] = ()) -> list[go.Scatter]:
    """A curve for each norm; its heights are given here, or come from the figure's tensors."""
    heights: list[dict[str, Any]] = [{"y": y} for y in ys] or [{} for _ in SHOWN]
    return [
        norm_line(norm.key, x, **height).update(line={"width": WIDTHS[norm.key]})
        for norm, height in zip(SHOWN, heights, strict=True)
    ]
