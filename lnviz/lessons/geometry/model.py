"""The small model of the /geometry figures, its norms, and their curves in charts."""

from __future__ import annotations

from collections.abc import Sequence

from lnviz.lessons.charts import AxisValues, ChartTrace, Mark, Values, norm_line
from lnviz.norms import BATCH, LAYER, NONE, RMS, WEIGHT
from lnviz.topics.geometry import FAMILIES, Glm, random_glm

SHOWN = (NONE, BATCH, WEIGHT, RMS, LAYER)
CASES, INPUTS, UNITS = 24, 5, 3
WIDTHS = {"none": 7, "batch": 8, "weight": 3, "rms": 4.5, "layer": 2.5}
"""Line widths of curves that coincide, so that all of them are visible."""


def draw_model(family: str, seed: int = 0) -> Glm:
    """Return a small model with random data and weights, the same as in the figures' programs."""
    return random_glm(FAMILIES[family], cases=CASES, inputs=INPUTS, units=UNITS, seed=seed)


def curves(x: AxisValues, ys: Sequence[Values], *, mark: Mark | None = None) -> list[ChartTrace]:
    """Draw one curve per norm, in widths at which coinciding curves all stay visible."""
    return [
        part
        for norm, y in zip(SHOWN, ys, strict=True)
        for part in norm_line(norm.key, x, y, width=WIDTHS[norm.key], mark=mark)
    ]
