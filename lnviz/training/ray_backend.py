"""Work off a job on a Ray cluster: its groups side by side, kept here as they go."""

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
from lnviz.training.experiment import Experiment, TrainingSpec
from lnviz.training.group import RunGroup
from lnviz.training.jobs import MAX_CRASHES, JobState, TrainingJob
from lnviz.training.store import Chunk, RunRepository
from lnviz.training.worker import train_in_chunks, with_heartbeat

PACKAGE = Path(__file__).parents[1]
LOCAL = "local"
POLL_S = 0.5  # between two looks whether the job is still wanted


@ray.remote(num_cpus=1, max_retries=0)
def _train(
    experiment: Experiment,
    specification: TrainingSpec,
    at: int,
    norm: str,
    batch_size: int,
    saved: bytes | None,
) -> Iterator[Chunk]:
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() and ray.get_gpu_ids() else "cpu"
    yield from train_in_chunks(
        RunGroup(experiment, specification, norm, batch_size, device), at, saved
    )


def run_job(
    store: RunRepository,
    job: TrainingJob,
    experiment: Experiment,
    *,
    report: ProgressCallback,
    stop_event: threading.Event,
) -> JobState:
    """Run what is left of a job on a Ray cluster, each group as a task of its own.

    The cluster is the one that the environment variable `RAY_ADDRESS` names, else one that is
    started on this machine for as long as the job takes. This package travels with the job; the
    cluster's machines need PyTorch and scikit-learn.

    Args:
        store: where it is kept, by this process alone.
        job: the job, which has been given to the worker that it names.
        experiment: the experiment that its specification names.
        report: called whenever something is kept, with norm and batch size, and the steps done.
        stop_event: set where the job shall be left.

    Returns:
        Where it stands now. A group whose process ends before its time goes on from where it was
        kept, a few times.

    Raises:
        SpecificationError: the specification cannot be run.
        RayError: the cluster cannot do its part.
    """
    experiment.check(job.specification)
    # Ray prints what becomes of its processes; standard output is for results.
    with redirect_stdout(sys.stderr), _cluster():
        groups = _RayGroups(store, job, experiment, report)
        return with_heartbeat(store, job, stop_event, lambda: groups.train(stop_event))


@contextmanager
def _cluster() -> Iterator[None]:
    address = os.environ.get("RAY_ADDRESS")
    if address == "":
        print(
            "RAY_ADDRESS is empty: a cluster is started on this machine. Name one in it, or unset "
            "it.",
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
    """The groups of a job that are being trained, by what yields their stretches."""

    def __init__(
        self,
        store: RunRepository,
        job: TrainingJob,
        experiment: Experiment,
        report: ProgressCallback,
    ) -> None:
        self._store, self._job, self._report = store, job, report
        self._groups = experiment.groups(job.specification)
        self._shared = ray.put(experiment)  # sent once to each machine
        self._ends = dict.fromkeys(range(len(self._groups)), 0)
        self._going: dict[Any, int] = {}

    def train(self, leave: threading.Event) -> bool:
        """Train all to their ends; False where the job has been left before."""
        ended = self._store.test_results(self._job.id)
        for at, group in enumerate(self._groups):
            if group not in ended:
                self._begin(at)
        while self._going and not leave.is_set():
            ready, _ = ray.wait(list(self._going), num_returns=1, timeout=POLL_S)
            for stretches_of in ready:
                if not self._take(stretches_of):
                    leave.set()
        for stretches_of in self._going:
            ray.cancel(stretches_of)
        return not self._going

    def _begin(self, at: int) -> None:
        norm, size = self._groups[at]
        saved = self._store.checkpoint(self._job.id, at)
        task = _train.options(num_returns="streaming", name=f"{norm}, batches of {size}")
        self._going[task.remote(self._shared, self._job.specification, at, norm, size, saved)] = at

    def _take(self, stretches_of: Any) -> bool:
        """Keep a stretch; False where the job has been given to somebody else."""
        at = self._going[stretches_of]
        try:
            stretch: Chunk = ray.get(next(stretches_of))
        except StopIteration:
            del self._going[stretches_of]
            return True
        except RayTaskError:
            raise  # it would come again
        except RayError:
            self._ends[at] += 1
            if self._ends[at] >= MAX_CRASHES:
                raise
            del self._going[stretches_of]
            self._begin(at)
            return True
        norm, size = self._groups[at]
        kept = self._store.save_chunk(self._job.id, self._job.worker, stretch)
        self._report(f"{norm}, batches of {size}", stretch.step)
        return kept
