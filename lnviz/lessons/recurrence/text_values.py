"""The numbers that the text of /recurrence says."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.recurrence.bands import runs
from lnviz.topics.recurrence.train import RECURRENCE


def text_values() -> Mapping[str, float]:
    """Say how the networks learned."""
    return {
        "batch": RECURRENCE.result.specification.batch,
        "learned-small": _learned("lstm-batch"),
        "learned-one": _learned("lstm-batch-gain-1"),
    }


def _learned(kind: str) -> float:
    """The accuracy on test images at the end of training, over all seeds."""
    return float(runs(kind, "accuracy")[:, -1].mean())
