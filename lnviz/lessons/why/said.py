"""The numbers that the text says."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lnviz.topics.depth.comparison import stored


def values() -> Mapping[str, float]:
    """What was trained, and what ten equal chances cost."""
    whole, deeper = (each.specification for each in stored().comparisons)
    return {
        "layers": whole.layers,
        "scales": len(whole.scales),
        "deeper": deeper.layers,
        "scale": deeper.scales[0],
        "chance": math.log(10),
    }
