"""Ray backend, which trains a job's run groups in parallel on a cluster."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import ray
import torch
from ray.exceptions import RayError, RayTaskError

from lnviz.progress import ProgressCallback
from lnviz.training.chunks import Chunk, train_in_chunks
from lnviz.training.experiment import Experiment, TrainingSpec
from lnviz.training.group import RunGroup
from lnviz.training.job import JobState, TrainingJob
from lnviz.training.job_repository import MAX_CRASHES
from lnviz.training.run_repository import RunRepository
from lnviz.training.worker import with_heartbeat

PACKAGE = Path(__file__).parents[1]
LOCAL = "local"
POLL_S = 0.5
"""Seconds between two checks whether the worker must stop."""


@ray.remote(num_cpus=1, max_retries=0)
def _train(
    experiment: Experiment,
    specification: TrainingSpec,
    index: int,
    norm: str,
    batch_size: int,
    checkpoint: bytes | None,
) -> Iterator[Chunk]:
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() and ray.get_gpu_ids() else "cpu"
    group = RunGroup(experiment, specification, norm, batch_size, device)
    yield from train_in_chunks(group, index, checkpoint)


def run_job_on_ray(
    runs: RunRepository,
    job: TrainingJob,
    experiment: Experiment,
    *,
    report: ProgressCallback,
    stop_event: threading.Event,
) -> JobState:
    """Train the rest of a job on a Ray cluster, with a Ray task for each run group.

    The environment variable `RAY_ADDRESS` names the cluster; without it, a cluster is started on
    this machine until the job ends. This package is sent to the cluster, whose machines need
    what `lnviz[ray]` installs. A run group whose process dies continues from its last checkpoint,
    up to `MAX_CRASHES` times.

    Args:
        runs: the repository that holds the job; only this process writes to it.
        job: the job, claimed by the worker with the id `job.worker`.
        experiment: the experiment that the job's specification names.
        report: called at each checkpoint with norm and batch size, and the number of steps done.
        stop_event: set to make the worker release the job.

    Returns:
        The state of the job afterwards.

    Raises:
        SpecificationError: the specification is invalid.
        RayError: the cluster failed.
    """
    experiment.check(job.specification)
    # Ray prints the state of its processes; standard output is for results.
    with redirect_stdout(sys.stderr), _cluster():
        groups = _RayGroups(runs, job, experiment, report)
        return with_heartbeat(runs.jobs, job, stop_event, lambda: groups.train(stop_event))


@contextmanager
def _cluster() -> Iterator[None]:
    address = os.environ.get("RAY_ADDRESS")
    if address == "":
        print(
            "RAY_ADDRESS is empty, so a cluster is started on this machine. Set RAY_ADDRESS to a "
            "cluster, or unset it.",
            file=sys.stderr,
        )
    ray.init(
        address=address or LOCAL,
        include_dashboard=False,
        runtime_env={"py_modules": [str(PACKAGE)]},
    )
    try:
        yield
    finally:
        ray.shutdown()


class _RayGroups:
    """A job's run groups as Ray tasks; each task returns a stream of training chunks."""

    def __init__(
        self,
        runs: RunRepository,
        job: TrainingJob,
        experiment: Experiment,
        report: ProgressCallback,
    ) -> None:
        self._runs, self._job, self._report = runs, job, report
        self._groups = experiment.groups(job.specification)
        self._shared = ray.put(experiment)  # sent once to each machine
        self._crashes = dict.fromkeys(range(len(self._groups)), 0)
        self._streams: dict[Any, int] = {}

    def train(self, stop_event: threading.Event) -> bool:
        """Train all run groups to completion; return False if the worker had to stop first."""
        ended = self._runs.test_results(self._job.id)
        for index, group in enumerate(self._groups):
            if group not in ended:
                self._start(index)
        while self._streams and not stop_event.is_set():
            ready, _ = ray.wait(list(self._streams), num_returns=1, timeout=POLL_S)
            for stream in ready:
                if not self._save_next(stream):
                    stop_event.set()
        for stream in self._streams:
            ray.cancel(stream)
        return not self._streams

    def _start(self, index: int) -> None:
        norm, batch_size = self._groups[index]
        checkpoint = self._runs.checkpoint(self._job.id, index)
        task = _train.options(num_returns="streaming", name=f"{norm}, batches of {batch_size}")
        stream = task.remote(
            *(self._shared, self._job.specification, index, norm, batch_size, checkpoint)
        )
        self._streams[stream] = index

    def _save_next(self, stream: Any) -> bool:
        """Save a stream's next training chunk; return False if another worker holds the job."""
        index = self._streams[stream]
        try:
            chunk: Chunk = ray.get(next(stream))
        except StopIteration:
            del self._streams[stream]
            return True
        except RayTaskError:
            raise  # an exception of the training: it would be raised again
        except RayError:
            self._crashes[index] += 1
            if self._crashes[index] >= MAX_CRASHES:
                raise
            del self._streams[stream]
            self._start(index)
            return True
        norm, batch_size = self._groups[index]
        saved = self._runs.save_chunk(self._job.id, self._job.worker, chunk)
        self._report(f"{norm}, batches of {batch_size}", chunk.step)
        return saved
