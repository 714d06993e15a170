"""Numbers quoted in the text of /rmsnorm."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.rmsnorm.offset import UNITS
from lnviz.lessons.rmsnorm.partial import SHARE
from lnviz.topics.transformer.centering import CENTERING, at_random

WIDE = 4096  # the width of LLaMA 7B


def text_values() -> Mapping[str, float]:
    """Return the quoted settings of pRMSNorm and of training, and means expected by chance."""
    return {
        "taken": UNITS * SHARE.start,
        "units": UNITS,
        "soon": CENTERING.result.specification.every,
        "wide": WIDE,
        "wide-share": at_random(WIDE),
    }
