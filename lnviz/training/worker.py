"""Work off a job: group by group, kept often enough that a sudden end costs seconds."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import torch
from torch import Tensor

from lnviz.background import survives
from lnviz.database.connection import StoreError
from lnviz.progress import ProgressCallback
from lnviz.rounding import rounded_tuples
from lnviz.training.experiment import Experiment, TrainingSpec
from lnviz.training.group import RunGroup, StepMetrics
from lnviz.training.jobs import JobState, TrainingJob
from lnviz.training.record import LoggedMetrics
from lnviz.training.store import Chunk, RunRepository

DIGITS = 6  # that a number is kept with
CHECKPOINT_S = 3.0  # between two times that a job is kept: what a sudden end can cost
MIN_TRAIN_RATIO = (
    4  # of what the last keeping took, at least: a large checkpoint shall not take all time
)
HEARTBEAT_S = 1.0  # between two signs of life


def host_prefix() -> str:
    """Return how the names of all workers of this machine begin."""
    return f"{socket.gethostname()[:40]}:"


def new_worker_id() -> str:
    """Return a name for a worker of this machine, unlike any other's."""
    return f"{host_prefix()}{os.getpid()}:{secrets.token_hex(8)}"


def run_job(
    store: RunRepository,
    job: TrainingJob,
    experiment: Experiment,
    *,
    device: torch.device | str = "cpu",
    report: ProgressCallback = lambda label, step: None,
    stop_event: threading.Event | None = None,
) -> JobState:
    """Run what is left of a job, until it is done, or its worker is to leave it.

    Args:
        store: where it is kept.
        job: the job, which has been given to the worker that it names.
        experiment: the experiment that its specification names.
        device: the device to train on.
        report: called after each step, with norm and batch size, and the steps done of them.
        stop_event: set where the worker shall leave the job: it waits for another one then.

    Returns:
        Where it stands now.

    Raises:
        SpecificationError: the specification cannot be run.
    """
    experiment.check(job.specification)
    stop_event = stop_event or threading.Event()
    return with_heartbeat(
        store, job, stop_event, lambda: _train(store, job, experiment, device, report, stop_event)
    )


def with_heartbeat(
    store: RunRepository, job: TrainingJob, leave: threading.Event, train: Callable[[], bool]
) -> JobState:
    """Give signs of life while a job is trained, then leave it; return where it stands now.

    Args:
        store: where it is kept.
        job: the job, which has been given to the worker that it names.
        leave: is set where the worker is not wanted any more.
        train: trains all groups to their ends; says False where it has left the job before.
    """
    state = JobState.QUEUED if job.owner else JobState.PAUSED
    with _heartbeat(store, job, leave):
        if train():
            state = JobState.DONE
    store.release(job.id, job.worker, state)
    return store.state(job.id) or JobState.STOPPED


def _train(
    store: RunRepository,
    job: TrainingJob,
    experiment: Experiment,
    device: torch.device | str,
    report: ProgressCallback,
    leave: threading.Event,
) -> bool:
    """Train all groups to their ends; False where the job has been left before."""
    ended = store.test_results(job.id)
    for at, (norm, size) in enumerate(experiment.groups(job.specification)):
        if (norm, size) in ended:
            continue
        group = RunGroup(experiment, job.specification, norm, size, device=device)
        for stretch in train_in_chunks(
            group, at, store.checkpoint(job.id, at), report, leave.is_set
        ):
            if not store.save_chunk(job.id, job.worker, stretch):
                return False
        if leave.is_set():
            return False
    return True


def train_in_chunks(
    group: RunGroup,
    at: int,
    saved: bytes | None,
    report: ProgressCallback = lambda label, step: None,
    leave: Callable[[], bool] = lambda: False,
) -> Iterator[Chunk]:
    """Train a group to its end, a few seconds at a time.

    Args:
        group: untrained.
        at: its number within the job.
        saved: the state from which it goes on.
        report: as in `work`.
        leave: asked after each step; where it says so, the stretch that has begun is the last one.

    Yields:
        What there is to keep, each time.
    """
    if saved:
        group.restore(saved)
    fresh: list[LoggedMetrics] = []
    before, begun, spent = group.step, time.monotonic(), 0.0

    def stretch(outcome: LoggedMetrics | None = None) -> Chunk:
        spent = time.monotonic() - begun
        state = b"" if outcome else group.save()
        return Chunk(at, group.step, group.step - before, spent, tuple(fresh), state, outcome)

    for point in group.train():
        if point:
            fresh.append(_logged_metrics(group, point))
        report(f"{group.norm}, batches of {group.batch_size}", group.step)
        if leave():
            yield stretch()
            return
        if time.monotonic() - begun > max(CHECKPOINT_S, MIN_TRAIN_RATIO * spent):
            asked = time.monotonic()
            yield stretch()
            fresh, before, begun = [], group.step, time.monotonic()
            spent = begun - asked
    tested = group.test()
    yield stretch(_logged(group, {"loss": tested.loss, "error": tested.error}))


@contextmanager
def _heartbeat(store: RunRepository, job: TrainingJob, leave: threading.Event) -> Iterator[None]:
    """Signs of life, however long a step takes; a worker that is not wanted any more leaves."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(HEARTBEAT_S):
            # A database that does not answer says so at the next keeping.
            with survives("heartbeat"), suppress(StoreError):
                if not store.heartbeat(job.id, job.worker):
                    leave.set()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _logged_metrics(group: RunGroup, point: StepMetrics) -> LoggedMetrics:
    values: dict[str, Any] = {
        "loss": point.loss,
        "validation loss": point.validation_loss,
        "validation error": point.validation_error,
        "scales": point.scales,
    }
    return _logged(group, values, point.seconds)


def _logged(group: RunGroup, values: Mapping[str, Any], seconds: float = 0.0) -> LoggedMetrics:
    return LoggedMetrics(group.norm, group.batch_size, group.step, seconds, _to_numbers(values))


def _to_numbers(value: Any) -> Any:
    """Tensors as the numbers that are kept, at any depth."""
    if isinstance(value, Mapping):
        return {name: _to_numbers(each) for name, each in value.items()}
    return rounded_tuples(value, DIGITS) if isinstance(value, Tensor) else value


def total_steps(experiment: Experiment, specification: TrainingSpec) -> int:
    """Return the steps of all groups together."""
    return specification.steps * len(experiment.groups(specification))
