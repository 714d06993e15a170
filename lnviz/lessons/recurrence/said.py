"""The numbers that the text of /recurrence says."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.topics.recurrence.train import RECURRENCE


def values() -> Mapping[str, float]:
    """Say how the networks learned."""
    return {"batch": RECURRENCE.result.specification.batch}
