"""Numbers quoted in the text of /recurrence."""

from __future__ import annotations

from collections.abc import Mapping

from lnviz.lessons.recurrence.bands import runs
from lnviz.topics.recurrence.train import RECURRENCE


def text_values() -> Mapping[str, float]:
    """Return the training settings and accuracies quoted in /recurrence."""
    return {
        "batch": RECURRENCE.result.specification.batch,
        "learned-small": _learned("lstm-batch"),
        "learned-one": _learned("lstm-batch-gain-1"),
    }


def _learned(kind: str) -> float:
    """Return the final test accuracy of one variant of a cell, averaged over the seeds."""
    return float(runs(kind, "accuracy")[:, -1].mean())
