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
from pathlib import Path
from typing import Any, cast

import pytest

from lnviz import background
from lnviz.database.connection import StoreError
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training import supervisor as supervising
from lnviz.training.jobs import MAX_CRASHES, JobState, TrainingJob
from lnviz.training.store import Chunk, RunRepository
from lnviz.training.supervisor import Supervisor
from lnviz.training.worker import total_steps

DIGITS = EXPERIMENTS["digits"]
SLEEPING = (sys.executable, "-S", "-c", "import time; time.sleep(600)")


@pytest.fixture
def url(file: Path) -> str:
    return f"sqlite:///{file}"


@pytest.fixture
def supervise(store: RunRepository) -> Iterator[Callable[..., Supervisor]]:
    started: list[Supervisor] = []

    def start(turn: float = 30.0) -> Supervisor:
        started.append(Supervisor(lambda: store, SLEEPING, max_workers=1, slice_s=turn))
        return started[-1]

    yield start
    for supervisor in started:
        supervisor.close()


def ask(store: RunRepository, owner: str, *, of: int = 100_000) -> TrainingJob:
    wanted = replace(DIGITS.default, norms=("layer",), batch_sizes=(4,), seeds=(0,), steps=of)
    return store.add(wanted, total_steps(DIGITS, wanted), {}, owner=owner)


def again(store: RunRepository, job: TrainingJob) -> TrainingJob:
    known = store.find(job.id)
    assert known is not None
    return known


def advance(store: RunRepository, job: TrainingJob, seconds: float = 1.0) -> None:
    """Keep ten steps in the name of whoever works on a job."""
    at = again(store, job)
    assert store.save_chunk(job.id, at.worker, Chunk(0, at.done + 10, 10, seconds, (), b"state"))


def tend_until(supervisor: Supervisor, condition: Callable[[], bool]) -> None:
    while not condition():
        supervisor.tick()
        time.sleep(0.01)


def process_of(supervisor: Supervisor) -> int:
    (child,) = supervisor._children
    return child.process.pid


def test_a_killed_worker_and_a_killed_server_cost_a_job_nothing_that_was_kept(
    store: RunRepository, supervise: Callable[..., Supervisor]
) -> None:
    job, first = ask(store, "visitor"), supervise()
    first.tick()
    advance(store, job)
    before = again(store, job).worker
    os.kill(process_of(first), signal.SIGKILL)
    tend_until(first, lambda: again(store, job).worker not in ("", before))
    assert (again(store, job).done, store.checkpoint(job.id, 0)) == (10, b"state")

    # A server that ends ends its workers; the next server goes on.
    first.close()
    assert store.state(job.id) is JobState.QUEUED
    second = supervise()
    second.tick()
    assert store.state(job.id) is JobState.RUNNING
    assert (again(store, job).done, store.checkpoint(job.id, 0)) == (10, b"state")


def test_jobs_take_turns_where_there_is_room_for_one(
    store: RunRepository, supervise: Callable[..., Supervisor]
) -> None:
    jobs = [ask(store, name) for name in ("one", "two")]
    supervisor = supervise(turn=0.0)
    for number, turn in enumerate((0, 1, 0), 1):
        tend_until(supervisor, lambda at=turn: store.state(jobs[at].id) is JobState.RUNNING)  # type: ignore[misc]
        assert len(supervisor._children) == 1
        assert store.state(jobs[1 - turn].id) is JobState.QUEUED
        advance(store, jobs[turn], seconds=2.0 * number)  # more than the other one has had


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
    store: RunRepository, supervise: Callable[..., Supervisor], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, supervisor = ask(store, "visitor"), supervise()
    monkeypatch.setattr(subprocess, "Popen", Fork(1))
    with pytest.raises(OSError, match="Cannot allocate"):
        supervisor.tick()
    waits = again(store, job)
    assert (waits.state, waits.worker) == (JobState.QUEUED, "")
    supervisor.tick()
    assert store.state(job.id) is JobState.RUNNING


def test_the_supervisor_survives_failed_forks_and_any_error_and_counts_them(
    store: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "POLL_S", 0.01)
    monkeypatch.setattr(supervising, "RETRY_S", 0.01)
    monkeypatch.setattr(logging.getLogger(background.__name__), "handle", lambda _: None)
    monkeypatch.setattr(subprocess, "Popen", Fork(3))
    answers: list[Exception] = [KeyError("a row that is not there"), StoreError("away")]

    def opened() -> RunRepository:
        if answers:
            raise answers.pop()
        return store

    before = background.failures().get("supervisor", 0)
    job = ask(store, "visitor")
    supervisor = Supervisor(opened, SLEEPING, max_workers=1)
    supervisor.start()
    while store.state(job.id) is not JobState.RUNNING or not supervisor._children:
        assert supervisor._thread.is_alive()
        time.sleep(0.01)
    supervisor.close()
    assert background.failures()["supervisor"] == before + 5


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
    store: RunRepository,
    supervise: Callable[..., Supervisor],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job, supervisor = ask(store, "visitor"), supervise()
    for _ in range(MAX_CRASHES):
        supervisor.tick()
        (child,) = supervisor._children
        child.process.kill()
        child.process.wait()
        child.process = cast("Any", Gone(1))  # as on Windows
        if asked:
            supervisor.end()
            supervisor._closed.clear()
        supervisor._reap_children(store)
    assert store.state(job.id) is (JobState.QUEUED if asked else JobState.FAILED)


# A worker that keeps what it has after a moment, not after seconds.
KEEPING_OFTEN = """
from lnviz.topics.lab import command
from lnviz.training import worker
worker.CHECKPOINT_S = 0.05
command.main()
"""


@pytest.mark.slow
def test_a_worker_outlives_a_server_that_was_killed(store: RunRepository) -> None:
    job = ask(store, "visitor")
    program = (
        "import time\n"
        "from lnviz.training.store import Store\n"
        "from lnviz.training.supervisor import Supervisor\n"
        f"store = Store({store.url!r})\n"
        f"Supervisor(lambda: store, {(sys.executable, '-c', KEEPING_OFTEN, 'work')!r}).start()\n"
        "time.sleep(600)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program])
    try:
        while again(store, job).done == 0:
            assert server.poll() is None
            time.sleep(0.1)
    finally:
        server.kill()
        server.wait()
    kept = again(store, job).done
    while again(store, job).done == kept:
        time.sleep(0.1)
    assert store.transition(job.id, JobState.STOPPED, among=(JobState.RUNNING,))
    while again(store, job).worker:
        time.sleep(0.1)
