"""Training in chunks of a few seconds; metrics and a checkpoint are saved after each chunk."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from lnviz.progress import ProgressCallback
from lnviz.rounding import rounded_tuples
from lnviz.training.group import RunGroup, StepMetrics
from lnviz.training.record import LoggedMetrics

DIGITS = 6
"""Significant digits of saved metrics."""
CHECKPOINT_S = 3.0
"""Seconds between two checkpoints: what a crash can cost."""
MIN_TRAIN_RATIO = 4
"""Least ratio of training time to saving time, so that a large checkpoint does not take it all."""


@dataclass(frozen=True)
class Chunk:
    """The result of a few seconds of training of a run group: new metrics and a checkpoint.

    Attributes:
        group: index of the run group within the job.
        step: number of training steps of the group so far.
        steps: number of steps in this chunk.
        seconds: duration of this chunk.
        metrics: the metrics measured in this chunk.
        state: checkpoint from which training can continue.
        test_result: loss and error on the test split, if the group has ended.
    """

    group: int
    step: int
    steps: int
    seconds: float
    metrics: Sequence[LoggedMetrics]
    state: bytes
    test_result: LoggedMetrics | None = None


def train_in_chunks(
    group: RunGroup,
    index: int,
    checkpoint: bytes | None,
    report: ProgressCallback = lambda label, step: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[Chunk]:
    """Train a run group to completion; yield a chunk of results every few seconds.

    Args:
        group: the untrained group.
        index: the group's index within the job.
        checkpoint: the state to continue from, if any.
        report: called after each step with norm and batch size, and the number of steps.
        should_stop: called after each step; if it returns True, the current chunk is the last.

    Yields:
        Chunks to save; the chunk that completes the training has the test result.
    """
    if checkpoint:
        group.restore(checkpoint)
    metrics: list[LoggedMetrics] = []
    first_step, started, save_seconds = group.step, time.monotonic(), 0.0

    def chunk(test_result: LoggedMetrics | None = None) -> Chunk:
        seconds = time.monotonic() - started
        state = b"" if test_result else group.save()
        steps = group.step - first_step
        return Chunk(index, group.step, steps, seconds, tuple(metrics), state, test_result)

    for measured in group.train():
        if measured:
            metrics.append(_logged_metrics(group, measured))
        report(f"{group.norm}, batches of {group.batch_size}", group.step)
        if should_stop():
            yield chunk()
            return
        if time.monotonic() - started > max(CHECKPOINT_S, MIN_TRAIN_RATIO * save_seconds):
            before_save = time.monotonic()
            yield chunk()
            metrics, first_step, started = [], group.step, time.monotonic()
            save_seconds = started - before_save
    test = group.test()
    yield chunk(_logged(group, {"loss": test.loss, "error": test.error}))


def _logged_metrics(group: RunGroup, metrics: StepMetrics) -> LoggedMetrics:
    values: dict[str, Any] = {
        "loss": metrics.loss,
        "validation loss": metrics.validation_loss,
        "validation error": metrics.validation_error,
        "scales": metrics.scales,
    }
    return _logged(group, values, metrics.seconds)


def _logged(group: RunGroup, values: Mapping[str, Any], seconds: float = 0.0) -> LoggedMetrics:
    return LoggedMetrics(group.norm, group.batch_size, group.step, seconds, _to_numbers(values))


def _to_numbers(value: Any) -> Any:
    """Convert tensors in nested dictionaries to lists of rounded numbers."""
    if isinstance(value, Mapping):
        return {name: _to_numbers(each) for name, each in value.items()}
    return rounded_tuples(value, DIGITS) if isinstance(value, Tensor) else value
