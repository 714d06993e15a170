"""Visitors' jobs are worked on, few at a time and in turns, whatever dies.

What keeps a place is a process that only sleeps, and the tests keep what it would have done; one
test has a real worker, whose server is killed.
"""

import errno
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lnviz import background
from lnviz.database.connection import Database
from lnviz.database.errors import StoreError
from lnviz.database.models import JobRow, now
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training import job_repository
from lnviz.training import supervisor as supervising
from lnviz.training.chunks import Chunk
from lnviz.training.job import JobState, TrainingJob
from lnviz.training.job_repository import MAX_CRASHES, JobRepository
from lnviz.training.run_repository import RunRepository
from lnviz.training.supervisor import Supervisor
from lnviz.training.worker import host_prefix
from lnviz.web.shutdown import SHUTDOWN_TIMEOUT_S

DIGITS = EXPERIMENTS["digits"]
SLEEPING = (sys.executable, "-S", "-c", "import time; time.sleep(600)")


@pytest.fixture
def url(file: Path) -> str:
    return f"sqlite:///{file}"


@pytest.fixture
def supervise(runs: RunRepository) -> Iterator[Callable[..., Supervisor]]:
    started: list[Supervisor] = []

    def start(slice_s: float = 30.0) -> Supervisor:
        started.append(Supervisor(lambda: runs.database, SLEEPING, max_workers=1, slice_s=slice_s))
        return started[-1]

    yield start
    for supervisor in started:
        supervisor.close()


def ask(runs: RunRepository, owner: str, *, of: int = 100_000) -> TrainingJob:
    wanted = replace(DIGITS.default, norms=("layer",), batch_sizes=(4,), seeds=(0,), steps=of)
    return runs.jobs.add(wanted, DIGITS.total_steps(wanted), {}, owner=owner)


def again(runs: RunRepository, job: TrainingJob) -> TrainingJob:
    known = runs.jobs.find(job.id)
    assert known is not None
    return known


def advance(runs: RunRepository, job: TrainingJob, seconds: float = 1.0) -> None:
    """Keep ten steps in the name of whoever works on a job."""
    at = again(runs, job)
    assert runs.save_chunk(job.id, at.worker, Chunk(0, at.done + 10, 10, seconds, (), b"state"))


def tend_until(supervisor: Supervisor, condition: Callable[[], bool]) -> None:
    while not condition():
        supervisor.tick()
        time.sleep(0.01)


def process_of(supervisor: Supervisor) -> int:
    (child,) = supervisor._children
    return child.process.pid


def test_a_killed_worker_and_a_killed_server_cost_a_job_nothing_that_was_kept(
    runs: RunRepository, supervise: Callable[..., Supervisor]
) -> None:
    job, first = ask(runs, "visitor"), supervise()
    first.tick()
    advance(runs, job)
    before = again(runs, job).worker
    os.kill(process_of(first), signal.SIGKILL)
    tend_until(first, lambda: again(runs, job).worker not in ("", before))
    assert (again(runs, job).done, runs.checkpoint(job.id, 0)) == (10, b"state")

    # A server that ends ends its workers; the next server goes on.
    first.close()
    assert runs.jobs.state(job.id) is JobState.QUEUED
    second = supervise()
    second.tick()
    assert runs.jobs.state(job.id) is JobState.RUNNING
    assert (again(runs, job).done, runs.checkpoint(job.id, 0)) == (10, b"state")


def test_jobs_take_turns_where_there_is_room_for_one(
    runs: RunRepository, supervise: Callable[..., Supervisor]
) -> None:
    jobs = [ask(runs, name) for name in ("one", "two")]
    supervisor = supervise(slice_s=0.0)
    for number, turn in enumerate((0, 1, 0), 1):
        tend_until(supervisor, lambda at=turn: runs.jobs.state(jobs[at].id) is JobState.RUNNING)  # type: ignore[misc]
        assert len(supervisor._children) == 1
        assert runs.jobs.state(jobs[1 - turn].id) is JobState.QUEUED
        advance(runs, jobs[turn], seconds=2.0 * number)  # more than the other one has had


class Fork:
    """Stands for `subprocess.Popen` where memory for another process is short at first."""

    def __init__(self, fails: int) -> None:
        self.fails = fails
        self.popen = subprocess.Popen

    def __call__(self, *args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        if self.fails:
            self.fails -= 1
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        return self.popen(*args, **kwargs)


def test_a_failed_fork_gives_the_job_back_and_the_next_round_starts_it(
    runs: RunRepository, supervise: Callable[..., Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, supervisor = ask(runs, "visitor"), supervise()
    monkeypatch.setattr(subprocess, "Popen", Fork(1))
    with pytest.raises(OSError, match="Cannot allocate"):
        supervisor.tick()
    waits = again(runs, job)
    assert (waits.state, waits.worker) == (JobState.QUEUED, "")
    supervisor.tick()
    assert runs.jobs.state(job.id) is JobState.RUNNING


def test_the_supervisor_survives_failed_forks_and_any_error_and_counts_them(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "POLL_S", 0.01)
    monkeypatch.setattr(supervising, "RETRY_S", 0.01)
    monkeypatch.setattr(logging.getLogger(background.__name__), "handle", lambda _: None)
    monkeypatch.setattr(subprocess, "Popen", Fork(3))
    answers: list[Exception] = [KeyError("a row that is not there"), StoreError("away")]

    def opened() -> Database:
        if answers:
            raise answers.pop()
        return runs.database

    before = background.failures().get("supervisor", 0)
    job = ask(runs, "visitor")
    supervisor = Supervisor(opened, SLEEPING, max_workers=1)
    supervisor.start()
    while runs.jobs.state(job.id) is not JobState.RUNNING or not supervisor._children:
        assert supervisor._thread.is_alive()
        time.sleep(0.01)
    supervisor.close()
    assert background.failures()["supervisor"] == before + 5


def test_after_a_failed_fork_no_other_server_takes_the_job_of_a_worker_that_still_starts(
    runs: RunRepository, supervise: Callable[..., Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    starting, first, second = ask(runs, "one"), supervise(), supervise()
    first.tick()
    before = again(runs, starting).worker
    ask(runs, "two")
    monkeypatch.setattr(first, "_max_workers", 2)
    monkeypatch.setattr(subprocess, "Popen", Fork(1000))
    monkeypatch.setattr(logging.getLogger(background.__name__), "handle", lambda _: None)
    passed = [0.0]
    monkeypatch.setattr(job_repository, "now", lambda: now() + timedelta(seconds=passed[0]))

    def wait(seconds: float) -> bool:
        end = passed[0] + seconds
        while passed[0] < end:
            passed[0] += supervising.POLL_S
            second.tick()
        return passed[0] > 3 * job_repository.LEASE.total_seconds()

    monkeypatch.setattr(first._closed, "wait", wait)
    first._run()
    assert (again(runs, starting).state, again(runs, starting).worker) == (
        JobState.RUNNING,
        before,
    )


@pytest.mark.parametrize(("cores", "workers"), [(1, 1), (2, 1), (4, 3)])
def test_one_core_is_left_for_pages(
    cores: int, workers: int, runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "available_cores", lambda: cores)
    for owner in range(4):
        ask(runs, str(owner))
    supervisor = Supervisor(lambda: runs.database, SLEEPING)
    supervisor.tick()
    assert len(supervisor._children) == workers
    assert runs.jobs.count_running(host_prefix()) == workers
    supervisor.close()


@pytest.mark.parametrize(("age", "state"), [(-1.0, JobState.RUNNING), (1.0, JobState.QUEUED)])
def test_a_process_that_still_starts_needs_no_heartbeat(
    age: float,
    state: JobState,
    runs: RunRepository,
    supervise: Callable[..., Supervisor],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job, supervisor = ask(runs, "visitor"), supervise()
    supervisor.tick()
    with runs.database.session() as session:
        session.get_one(JobRow, job.id).heartbeat_at -= timedelta(hours=1)
    supervisor._children[0].started_at -= supervising.STARTUP_S + age
    monkeypatch.setattr(supervisor, "_max_workers", 0)
    supervisor.tick()
    assert runs.jobs.state(job.id) is state


def test_old_jobs_are_purged_at_once_and_then_seldom(
    runs: RunRepository, supervise: Callable[..., Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    purges: list[datetime] = []
    monkeypatch.setattr(JobRepository, "purge", lambda _, before: purges.append(before))
    supervisor = supervise()
    for expected in (1, 1):
        supervisor.tick()
        assert len(purges) == expected
    supervisor._purged_at -= supervising.PURGE_S + 1
    supervisor.tick()
    assert len(purges) == 2
    assert now() - purges[0] > timedelta(days=30)


def test_a_worker_of_another_server_is_preempted_by_its_heartbeat(
    runs: RunRepository, supervise: Callable[..., Supervisor]
) -> None:
    first = ask(runs, "first")
    assert runs.jobs.claim(f"{host_prefix()}other", first.id)
    advance(runs, first, seconds=2.0)
    supervisor = supervise(slice_s=1.0)
    supervisor.tick()
    assert runs.jobs.state(first.id) is JobState.RUNNING  # nobody waits
    second = ask(runs, "second")
    supervisor.tick()
    assert not runs.jobs.heartbeat(first.id, f"{host_prefix()}other")
    supervisor.tick()
    assert runs.jobs.state(second.id) is JobState.RUNNING


class Stubborn:
    """A process that does not exit until it is killed, with a clock that it shares with others."""

    returncode = None

    def __init__(self, clock: list[float]) -> None:
        self.clock, self.events = clock, []  # type: ignore[var-annotated]

    def terminate(self) -> None:
        self.events.append("terminated")

    def kill(self) -> None:
        self.events.append("killed")
        self.returncode = -signal.SIGKILL

    def wait(self, timeout: float | None = None) -> None:
        if timeout is not None:
            self.clock[0] += timeout
            raise subprocess.TimeoutExpired("worker", timeout)

    def poll(self) -> int | None:
        return self.returncode


def test_workers_that_do_not_exit_are_killed_after_one_grace_period_for_all(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(supervising, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    supervisor = Supervisor(lambda: runs.database, SLEEPING)
    processes = [Stubborn(clock) for _ in range(3)]
    jobs = [runs.jobs.claim(f"worker {n}", ask(runs, str(n)).id) for n in range(3)]
    supervisor._children = [
        supervising._WorkerProcess(job.id, job.worker, cast("Any", process), 0.0)
        for job, process in zip(jobs, processes, strict=True)
        if job
    ]
    supervisor.terminate()
    clock[0] += 3.0  # the time that requests may take until the server closes
    supervisor.close()
    assert [process.events for process in processes] == [["terminated", "killed"]] * 3
    assert clock[0] == 100.0 + supervising.GRACE_S
    assert supervising.GRACE_S < SHUTDOWN_TIMEOUT_S
    assert {job.state for job in runs.jobs.list_jobs()} == {JobState.QUEUED}


class Gone:
    """A process that has ended with this exit code."""

    def __init__(self, returncode: int) -> None:
        self.returncode = returncode

    def poll(self) -> int:
        return self.returncode

    wait = poll
    terminate = kill = poll


@pytest.mark.parametrize("asked", [True, False])
def test_a_worker_that_was_asked_to_exit_has_not_crashed_whatever_its_exit_code(
    asked: bool,
    runs: RunRepository,
    supervise: Callable[..., Supervisor],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job, supervisor = ask(runs, "visitor"), supervise()
    for _ in range(MAX_CRASHES):
        supervisor.tick()
        (child,) = supervisor._children
        child.process.kill()
        child.process.wait()
        child.process = cast("Any", Gone(1))  # as on Windows
        if asked:
            supervisor.terminate()
            supervisor._closed.clear()
        supervisor._reap_children(runs.jobs)
    assert runs.jobs.state(job.id) is (JobState.QUEUED if asked else JobState.FAILED)


# A worker that keeps what it has after a moment, not after seconds.
KEEPING_OFTEN = """
from lnviz.topics.lab import command
from lnviz.training import chunks
chunks.CHECKPOINT_S = 0.05
command.main()
"""


@pytest.mark.slow
def test_a_worker_outlives_a_server_that_was_killed(runs: RunRepository) -> None:
    job = ask(runs, "visitor")
    program = (
        "import time\n"
        "from lnviz.database.connection import Database\n"
        "from lnviz.training.supervisor import Supervisor\n"
        f"database = Database({runs.database.url!r})\n"
        f"Supervisor(lambda: database, {(sys.executable, '-c', KEEPING_OFTEN, 'work')!r}).start()\n"
        "time.sleep(600)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program])
    try:
        while again(runs, job).done == 0:
            assert server.poll() is None
            time.sleep(0.1)
    finally:
        server.kill()
        server.wait()
    kept = again(runs, job).done
    while again(runs, job).done == kept:
        time.sleep(0.1)
    assert runs.jobs.transition(job.id, JobState.STOPPED, among=(JobState.RUNNING,))
    while again(runs, job).worker:
        time.sleep(0.1)
