"""Metrics and chunks of a training that never ran."""

from typing import Any

from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.chunks import Chunk
from lnviz.training.record import LoggedMetrics

SPECIFICATION = EXPERIMENTS["digits"].default


def metrics(step: int, norm: str = "layer") -> LoggedMetrics:
    return LoggedMetrics(
        norm, 4, step, 0.5, {"loss": [1.0, None], "scales": {"gains": {"1": [1, 2]}}}
    )


def chunk(*points: LoggedMetrics, group: int = 0, steps: int = 10, **given: Any) -> Chunk:
    return Chunk(group, steps, steps, 0.5, points, **{"state": b"state"} | given)
