"""Supervisor that starts worker processes for clients' training jobs, and preempts them."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lnviz.background import report_failure
from lnviz.cores import available_cores
from lnviz.database import uploads
from lnviz.database.connection import URL_VARIABLE, Database
from lnviz.database.errors import StoreError
from lnviz.database.models import now
from lnviz.database.retention import JOB_RETENTION
from lnviz.training.job import JobState, TrainingJob
from lnviz.training.job_repository import JobRepository
from lnviz.training.worker import host_prefix, new_worker_id

POLL_S = 0.5
"""Seconds between two rounds."""
RETRY_S = 2.0
"""Seconds until the next round after one that failed. A round is also the heartbeat of the workers
that still start: several of them fit into a lease."""
PURGE_S = 600.0
"""Seconds between two purges of old jobs and uploads."""
STARTUP_S = 60.0
"""Seconds in which a new process, which still imports its packages, needs no heartbeat."""
SLICE_S = 30.0
"""Seconds of work that a job is granted while others wait."""
GRACE_S = 4.0
"""Seconds in which workers can save their state when the server ends; before its forced exit."""


@dataclass(eq=False)
class _WorkerProcess:
    """A worker process that this supervisor has started.

    Attributes:
        job: id of its job.
        worker: id of the worker.
        process: the process.
        started_at: `time.monotonic()` at its start.
        terminated: whether this supervisor has asked the process to exit. The exit code does not
            show this, since on Windows it is 1 after `terminate()`.
    """

    job: str
    worker: str
    process: subprocess.Popen[bytes]
    started_at: float
    terminated: bool = False

    def terminate(self) -> None:
        """Ask the worker process to save its state and exit."""
        self.terminated = True
        self.process.terminate()


class Supervisor:
    """Supervisor that runs clients' training jobs in a limited number of worker processes.

    Several servers may share a database, each with a supervisor; together they do not exceed the
    limit. A worker survives the end of its server; the job of a worker that dies is queued again.
    If more jobs are waiting than can run, jobs are time-sliced.

    Args:
        database: returns the database; called in each round, since the database may be unavailable
            at times.
        command: the command that runs a worker; the ids of job and worker are appended.
        max_workers: number of jobs to run at the same time; by default one less than the number of
            cores.
        slice_s: seconds of training after which a job can be preempted if other jobs are waiting.
    """

    def __init__(
        self,
        database: Callable[[], Database],
        command: Sequence[str],
        *,
        max_workers: int | None = None,
        slice_s: float = SLICE_S,
    ) -> None:
        self._get_database = database
        self._command = command
        self._max_workers = max_workers or max(1, available_cores() - 1)
        self._slice_s = slice_s
        self._children: list[_WorkerProcess] = []
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._purged_at = -PURGE_S
        self._deadline: float | None = None  # of the workers, once they have been asked to exit

    def start(self) -> None:
        """Start the supervisor's thread; `close` ends it."""
        self._thread.start()

    def terminate(self) -> None:
        """Ask all workers of this server to save their state and exit; do not wait for them."""
        self._closed.set()
        if self._deadline is None:
            self._deadline = time.monotonic() + GRACE_S
        for child in list(self._children):
            if not child.terminated:
                child.terminate()

    def close(self) -> None:
        """Stop all workers of this server; their state is saved and their jobs are queued again."""
        self.terminate()
        deadline = self._deadline or 0.0
        if self._thread.is_alive():
            # It may wait for a database that does not answer.
            self._thread.join(max(0.0, deadline - time.monotonic()))
        self.terminate()  # workers that it has started meanwhile
        if not self._children:
            return
        for child in self._children:
            try:
                child.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()
        try:
            self._reap_children(JobRepository(self._get_database()))
        except StoreError:
            logging.getLogger(__name__).exception(
                "jobs of ended workers were not released; their leases expire, and the next "
                "server continues them"
            )

    def _run(self) -> None:
        wait = POLL_S
        while not self._closed.wait(wait):
            try:
                self.tick()
                wait = POLL_S
            except Exception:
                # Such as a database that does not answer, or no memory for another process.
                report_failure("supervisor")
                wait = RETRY_S

    def tick(self) -> None:
        """Run one round: reap exited workers, requeue, purge and preempt jobs, and start workers.

        Raises:
            StoreError: the database is unavailable.
            OSError: a process could not be started; its job is queued again.
        """
        database = self._get_database()
        jobs = JobRepository(database)
        self._reap_children(jobs)
        for child in self._children:
            if time.monotonic() - child.started_at < STARTUP_S:
                jobs.heartbeat(child.job, child.worker)
        jobs.requeue_dead()
        running = jobs.count_running(host_prefix())
        if running >= self._max_workers:
            self._preempt(jobs)
        if time.monotonic() - self._purged_at > PURGE_S:
            jobs.purge(now() - JOB_RETENTION)
            uploads.purge_expired(database, jobs.referenced_files())
            self._purged_at = time.monotonic()
        # Last, so that all else is done where no process can be started.
        while running < self._max_workers and not self._closed.is_set():
            job = jobs.claim(new_worker_id())
            if job is None:
                break
            try:
                self._children.append(self._start_worker(job, database.url))
            except Exception:
                jobs.release(job.id, job.worker, JobState.QUEUED)
                raise
            running += 1

    def _start_worker(self, job: TrainingJob, url: str) -> _WorkerProcess:
        # Not as an argument: the URL may hold a password, which a list of processes would show.
        environment = os.environ | {URL_VARIABLE: url, "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [*self._command, job.id, job.worker],
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # so that Ctrl-C at the server's terminal does not reach it
        )
        return _WorkerProcess(job.id, job.worker, process, time.monotonic())

    def _preempt(self, jobs: JobRepository) -> None:
        """Preempt a running job in favor of the next job in the queue.

        Its worker may belong to another server, or to a server that has ended.
        """
        job = jobs.preemptible(host_prefix(), self._slice_s)
        if job is None:
            return
        child = next((child for child in self._children if child.job == job), None)
        if child is None:
            jobs.transition(job, JobState.QUEUED, among=(JobState.RUNNING,))
        else:
            child.terminate()

    def _reap_children(self, jobs: JobRepository) -> None:
        """Requeue the jobs of workers that have exited without releasing them."""
        exited = [child for child in self._children if child.process.poll() is not None]
        for child in exited:
            # A worker that was asked to exit before it handled signals has not crashed, whether
            # this supervisor or another program asked.
            if child.terminated or child.process.returncode == -signal.SIGTERM:
                jobs.release(child.job, child.worker, JobState.QUEUED)
            jobs.requeue_dead(child.worker)
            self._children.remove(child)
