"""The numbers that the text says."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.recurrence.train import RECURRENCE


def values() -> Mapping[str, float]:
    """How the networks learned."""
    return {"batch": RECURRENCE.result.specification.batch}
