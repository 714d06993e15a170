"""Numbers quoted in the text of /why."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.why.learning import LEARNED, PERCENT, UNITS, accuracy_of, learned_count
from lnviz.topics.depth.learning import DEPTH

SMALL, LARGE = 0.25, 1.0
"""Two initialization scales for which one learning rate works differently."""
RATE, LOWER = 0.001, 0.0001
ALL_SCALES_RATE = 0.0003
"""A learning rate at which all initialization scales work with LayerNorm."""


def text_values() -> Mapping[str, float]:
    """Return the training settings, and results by learning rate and scale, quoted in /why."""
    result = DEPTH.result
    s = result.specification
    none, layer = (PERCENT * accuracy_of(norm) for norm in ("none", "layer"))  # rates,scales

    def at(scale: float, rate: float) -> float:
        return float(layer[result.index("rate", rate), result.index("scale", scale)])

    return {
        "pixels": UNITS,
        "layers": s.layers,
        "scales": len(s.scales),
        "rates": len(s.rates),
        "cells": len(s.scales) * len(s.rates),
        "none-count": learned_count("none"),
        "layer-count": learned_count("layer"),
        "none-failing": int((none <= PERCENT * LEARNED).all(0).sum()),
        "all-scales-rate": ALL_SCALES_RATE,
        "fixed-rate": RATE,
        "lower-rate": LOWER,
        "small": SMALL,
        "large": LARGE,
        "small-fails": at(SMALL, RATE),
        "large-learns": at(LARGE, RATE),
        "small-learns": at(SMALL, LOWER),
    }
