"""Sees to it that visitors' jobs are worked on: few at a time, in turns, whatever dies."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from lnviz.background import report_failure
from lnviz.cores import available_cores
from lnviz.database import uploads
from lnviz.database.connection import URL_VARIABLE, StoreError
from lnviz.database.models import now
from lnviz.training.jobs import JobState, TrainingJob
from lnviz.training.store import RunRepository
from lnviz.training.worker import host_prefix, new_worker_id

POLL_S = 0.5  # between two looks at the queue
RETRY_S = 10.0  # likewise, where the database has not answered
PURGE_S = 600.0  # between two times that old jobs are dropped
STARTUP_S = 60.0  # that a worker may take until it gives signs of life itself
SLICE_S = 30.0  # that a job keeps its place while others wait
GRACE_S = 5.0  # that workers have to keep what they have when the server ends
RETENTION = timedelta(days=30)  # that a job which has ended is kept


@dataclass(eq=False)
class _WorkerProcess:
    """A worker process.

    Attributes:
        job: id of its job.
        worker: id of the worker.
        process: the process.
        begun: `time.monotonic()` at its start.
        terminated: whether this supervisor has asked it to exit. The exit code does not tell:
            `terminate()` gives 1 on Windows.
    """

    job: str
    worker: str
    process: subprocess.Popen[bytes]
    started_at: float
    terminated: bool = False

    def terminate(self) -> None:
        """Ask the process to save its state and exit."""
        self.terminated = True
        self.process.terminate()


class Supervisor:
    """Gives visitors' jobs to processes of their own, a bounded number on this machine.

    Several servers may share a store, and each has a supervisor: together they keep to the number.
    A worker whose server has died goes on by itself; a job whose worker has died is given to
    another one. While more jobs wait than there is room for, each has turns.

    Args:
        store: opens the store whose queue it works off, again and again: it may be away at times.
        program: the command that works on a job; the names of job and worker follow it.
        places: how many jobs are worked on at a time; as many as there are cores but one, if not
            said.
        turn: seconds that a job keeps its place while others wait.
    """

    def __init__(
        self,
        store: Callable[[], RunRepository],
        command: Sequence[str],
        *,
        max_workers: int | None = None,
        slice_s: float = SLICE_S,
    ) -> None:
        self._open = store
        self._command = command
        self._max_workers = max_workers or max(1, available_cores() - 1)
        self._slice_s = slice_s
        self._children: list[_WorkerProcess] = []
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._purged_at = -PURGE_S

    def start(self) -> None:
        """Begin; `close` ends it."""
        self._thread.start()

    def end(self) -> None:
        """Ask all workers of this server to keep what they have done and to leave; do not wait."""
        self._closed.set()
        for child in list(self._children):
            child.terminate()

    def close(self) -> None:
        """End all workers of this server; what they have done is kept, and their jobs wait."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(GRACE_S)  # it may wait for a database that does not answer
        self.end()
        if not self._children:
            return
        ends = time.monotonic() + GRACE_S
        for child in self._children:
            try:
                child.process.wait(max(0.0, ends - time.monotonic()))
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()
        try:
            self._reap_children(self._open())
        except StoreError:
            # The workers' leases run out; the next server takes their jobs up.
            logging.getLogger(__name__).exception("The workers' jobs were not given back")

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
        """Have one look: at workers that have ended, at turns that are over, and at the queue."""
        store = self._open()
        self._reap_children(store)
        for child in self._children:
            # A process that still loads its packages cannot beat yet.
            if time.monotonic() - child.started_at < STARTUP_S:
                store.heartbeat(child.job, child.worker)
        store.requeue_dead()
        working = store.count_running(host_prefix())
        if working >= self._max_workers:
            self._preempt(store)
        if time.monotonic() - self._purged_at > PURGE_S:
            store.purge(now() - RETENTION)
            uploads.purge_expired(store, store.referenced_files())
            self._purged_at = time.monotonic()
        # Last: where no process can be started, all the rest is done.
        while working < self._max_workers and not self._closed.is_set():
            job = store.claim(new_worker_id())
            if job is None:
                break
            try:
                self._children.append(self._start_worker(job, store.url))
            except Exception:
                store.release(job.id, job.worker, JobState.QUEUED)
                raise
            working += 1

    def _start_worker(self, job: TrainingJob, url: str) -> _WorkerProcess:
        # The address may hold a password, which a list of processes would show.
        environment = os.environ | {URL_VARIABLE: url, "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [*self._command, job.id, job.worker],
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C at the server's terminal is the server's business
        )
        return _WorkerProcess(job.id, job.worker, process, time.monotonic())

    def _preempt(self, store: RunRepository) -> None:
        """Let a job give up its place that has had its turn, where others have had less.

        Its worker may be another server's, or one whose server has died.
        """
        job = store.preemptible(host_prefix(), self._slice_s)
        if job is None:
            return
        own = next((child for child in self._children if child.job == job), None)
        if own is None:
            store.transition(job, JobState.QUEUED, among=(JobState.RUNNING,))
        else:
            own.terminate()

    def _reap_children(self, store: RunRepository) -> None:
        """Take back the jobs of workers that have ended without leaving them."""
        ended = [child for child in self._children if child.process.poll() is not None]
        for child in ended:
            # Asked to exit before it could handle the signal, by this supervisor or by another
            # program: it has not crashed.
            if child.terminated or child.process.returncode == -signal.SIGTERM:
                store.release(child.job, child.worker, JobState.QUEUED)
            store.requeue_dead(child.worker)
            self._children.remove(child)
