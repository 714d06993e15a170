"""The numbers that the text of /rmsnorm says."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.rmsnorm.offset import SHARE, UNITS
from lnviz.topics.transformer.centering import CENTERING


def values() -> Mapping[str, float]:
    """Say how many numbers pRMSNorm starts with, and when the means were first looked at."""
    return {
        "taken": UNITS * SHARE.start,
        "units": UNITS,
        "soon": CENTERING.result.specification.every,
    }
