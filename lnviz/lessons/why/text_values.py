"""Numbers quoted in the text of /why."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.why.learning import accuracy_of
from lnviz.topics.depth.learning import DEPTH

SMALL, LARGE = 0.25, 1.0
"""Two initialization scales for which one learning rate works differently."""
RATE, LOWER = 0.001, 0.0001


def text_values() -> Mapping[str, float]:
    """Return the quoted training settings, and results by learning rate and scale."""
    result = DEPTH.result
    s = result.specification
    layer = accuracy_of("layer")

    def at(scale: float, rate: float) -> float:
        return float(layer[result.index("rate", rate), result.index("scale", scale)])

    return {
        "layers": s.layers,
        "scales": len(s.scales),
        "rates": len(s.rates),
        "fixed-rate": RATE,
        "lower-rate": LOWER,
        "small": SMALL,
        "large": LARGE,
        "small-fails": at(SMALL, RATE),
        "large-learns": at(LARGE, RATE),
        "small-learns": at(SMALL, LOWER),
        "layer-best": float(layer.max()),
        "none-best": float(accuracy_of("none").max()),
    }
