"""Values in the text of /rmsnorm."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.rmsnorm.offset import UNITS
from lnviz.lessons.rmsnorm.partial import SHARE
from lnviz.topics.transformer.centering import CENTERING, at_random

WIDE = 4096  # as wide as the stream of LLaMA with 7 billion parameters


def text_values() -> Mapping[str, float]:
    """Return pRMSNorm's start, the first measured step, and means expected by chance."""
    return {
        "taken": UNITS * SHARE.start,
        "units": UNITS,
        "soon": CENTERING.result.specification.every,
        "wide": WIDE,
        "wide-share": at_random(WIDE),
    }
