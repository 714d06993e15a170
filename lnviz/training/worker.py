"""Worker that trains the run groups of a job, with checkpoints and heartbeats."""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import torch

from lnviz.background import survives
from lnviz.database.errors import StoreError
from lnviz.progress import ProgressCallback
from lnviz.training.chunks import train_in_chunks
from lnviz.training.experiment import Experiment
from lnviz.training.group import RunGroup
from lnviz.training.job import JobState, TrainingJob
from lnviz.training.job_repository import JobRepository
from lnviz.training.run_repository import RunRepository

HEARTBEAT_S = 1.0
"""Seconds between two heartbeats."""


def host_prefix() -> str:
    """Return the prefix shared by the ids of all workers on this machine."""
    return f"{socket.gethostname()[:40]}:"


def new_worker_id() -> str:
    """Return a unique id for a worker on this machine."""
    return f"{host_prefix()}{os.getpid()}:{secrets.token_hex(8)}"


def run_job(
    runs: RunRepository,
    job: TrainingJob,
    experiment: Experiment,
    *,
    device: torch.device | str = "cpu",
    report: ProgressCallback = lambda label, step: None,
    stop_event: threading.Event | None = None,
) -> JobState:
    """Train the rest of a job until the job is done or the worker must stop.

    Args:
        runs: the repository that holds the job.
        job: the job, claimed by the worker with the id `job.worker`.
        experiment: the experiment that the job's specification names.
        device: the device to train on.
        report: called after each step with norm and batch size, and the number of steps done.
        stop_event: set to make the worker save its state and release the job.

    Returns:
        The state of the job afterwards.

    Raises:
        SpecificationError: the specification is invalid.
    """
    experiment.check(job.specification)
    stop_event = stop_event or threading.Event()
    return with_heartbeat(
        runs.jobs,
        job,
        stop_event,
        lambda: _train(runs, job, experiment, device, report, stop_event),
    )


def with_heartbeat(
    jobs: JobRepository, job: TrainingJob, stop_event: threading.Event, train: Callable[[], bool]
) -> JobState:
    """Train a job while sending heartbeats to the database, then release the job.

    Args:
        jobs: the repository that holds the job.
        job: the job, claimed by the worker with the id `job.worker`.
        stop_event: event that this function sets when a heartbeat finds that the worker must stop.
        train: trains all run groups to completion; returns False if it stopped earlier.

    Returns:
        The state of the job afterwards.
    """
    state = JobState.QUEUED if job.owner else JobState.PAUSED
    with _heartbeat(jobs, job, stop_event):
        if train():
            state = JobState.DONE
    jobs.release(job.id, job.worker, state)
    return jobs.state(job.id) or JobState.STOPPED


def _train(
    runs: RunRepository,
    job: TrainingJob,
    experiment: Experiment,
    device: torch.device | str,
    report: ProgressCallback,
    stop_event: threading.Event,
) -> bool:
    """Train all run groups to completion; return False if the worker had to stop first."""
    ended = runs.test_results(job.id)
    for index, (norm, batch_size) in enumerate(experiment.groups(job.specification)):
        if (norm, batch_size) in ended:
            continue
        group = RunGroup(experiment, job.specification, norm, batch_size, device=device)
        checkpoint = runs.checkpoint(job.id, index)
        for chunk in train_in_chunks(group, index, checkpoint, report, stop_event.is_set):
            if not runs.save_chunk(job.id, job.worker, chunk):
                return False
        if stop_event.is_set():
            return False
    return True


@contextmanager
def _heartbeat(
    jobs: JobRepository, job: TrainingJob, stop_event: threading.Event
) -> Iterator[None]:
    """Context manager: send heartbeats from a separate thread, even during long training steps."""
    over = threading.Event()

    def send() -> None:
        while not over.wait(HEARTBEAT_S):
            # A database that does not answer is reported when the next chunk is saved.
            with survives("heartbeat"), suppress(StoreError):
                if not jobs.heartbeat(job.id, job.worker):
                    stop_event.set()

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
