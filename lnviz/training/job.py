"""Training jobs: their states, and exceptions for jobs that cannot be added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from lnviz.training.experiment import TrainingSpec


class JobAlreadyActive(RuntimeError):
    """Error: the client already has a queued, running or paused job; only one is allowed.

    Attributes:
        job_id: id of the client's active job.
    """

    def __init__(self, job_id: str) -> None:
        super().__init__(
            "You already have a training that has not ended, and each visitor can have only one "
            "at a time. Wait until it ends, or stop it first."
        )
        self.job_id = job_id


class JobQueueFull(RuntimeError):
    """Error: the job queue is full, and the client's network has the most jobs in it."""


class JobState(StrEnum):
    """State of a training job, such as queued or running."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


ENDED = (JobState.STOPPED, JobState.DONE, JobState.FAILED)
"""States that a client's job does not leave."""


@dataclass(frozen=True)
class TrainingJob:
    """A training job, as read from the database at one time.

    Attributes:
        id: a random id that cannot be guessed.
        owner: the client that created the job; empty for jobs of the command line.
        specification: the specification of the training runs.
        state: the state of the job.
        detail: the reason for the state, in a sentence for the client; often empty.
        steps: total number of training steps of all run groups.
        done: number of finished steps.
        train_seconds: seconds of training so far.
        steps_per_s: recent speed in steps per second.
        worker: id of the worker that holds the job; empty if no worker does.
        environment: software versions and device of the last worker.
        created_at: time of creation.
        changed_at: time of the last change.
    """

    id: str
    owner: str
    specification: TrainingSpec
    state: JobState
    detail: str
    steps: int
    done: int
    train_seconds: float
    steps_per_s: float
    worker: str
    environment: Mapping[str, Any]
    created_at: datetime
    changed_at: datetime
