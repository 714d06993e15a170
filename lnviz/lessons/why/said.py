"""The numbers that the text of /why says."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lnviz.topics.depth.learning import DEEP, WIDE


def values() -> Mapping[str, float]:
    """Say what was trained, and what ten equal chances cost."""
    whole, deeper = (stored.result.specification for stored in (WIDE, DEEP))
    return {
        "layers": whole.layers,
        "scales": len(whole.scales),
        "deeper": deeper.layers,
        "scale": deeper.scales[0],
        "chance": math.log(10),
    }
