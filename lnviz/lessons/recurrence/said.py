"""The numbers that the text says."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.recurrence.comparison import stored


def values() -> Mapping[str, float]:
    """How the networks learned."""
    return {"batch": stored().specification.batch}
