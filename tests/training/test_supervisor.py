"""Visitors' jobs are worked on, few at a time and in turns, whatever dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lnviz.topics.lab import EXPERIMENTS
from lnviz.topics.lab.jobs import WORK
from lnviz.training.jobs import Job, State
from lnviz.training.store import Store
from lnviz.training.supervisor import Supervisor
from lnviz.training.work import steps

DIGITS = EXPERIMENTS["digits"]
COUNT = (sys.executable, "-m", "tests.training.counting")
"""A worker that trains nothing: what is tested here is who works on what."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(f"sqlite:///{tmp_path / 'trainings.sqlite'}")
    yield opened
    opened.close()


@pytest.fixture
def supervise(store: Store) -> Iterator[Callable[..., Supervisor]]:
    started: list[Supervisor] = []

    def start(program: Sequence[str] = COUNT, **given: float) -> Supervisor:
        started.append(Supervisor(lambda: store, program, **{"places": 1} | given))  # type: ignore[arg-type]
        return started[-1]

    yield start
    for each in started:
        each.close()


def ask(store: Store, owner: str, *, of: int = 100_000, rate: float = 0.001) -> Job:
    wanted = replace(
        DIGITS.default, norms=("layer",), batch_sizes=(4,), seeds=(0,), rates=(rate,), steps=of
    )
    return store.add(wanted, steps(DIGITS, wanted), {}, owner=owner)


def tend_until(supervisor: Supervisor, condition: Callable[[], bool]) -> None:
    while not condition():
        supervisor.tend()
        time.sleep(0.05)


def found(store: Store, job: Job) -> Job:
    again = store.job(job.id)
    assert again is not None
    return again


def process_of(supervisor: Supervisor) -> int:
    (child,) = supervisor._children
    return child.process.pid


@pytest.mark.slow
def test_a_killed_worker_and_a_killed_server_cost_a_job_nothing_that_was_kept(
    store: Store, supervise: Callable[..., Supervisor]
) -> None:
    job = ask(store, "visitor")
    first = supervise()
    tend_until(first, lambda: found(store, job).done > 0)
    os.kill(process_of(first), signal.SIGKILL)
    kept = found(store, job).done
    tend_until(first, lambda: found(store, job).done > kept)

    # A server that ends lets its worker keep what it has; the next server goes on.
    first.close()
    assert store.state(job.id) is State.QUEUED
    kept = found(store, job).done
    second = supervise()
    tend_until(second, lambda: found(store, job).done > kept)
    assert store.move(job.id, State.STOPPED, among=(State.RUNNING,))
    tend_until(second, lambda: not second._children)
    assert found(store, job).worker == ""


@pytest.mark.slow
def test_jobs_take_turns_where_there_is_room_for_one(
    store: Store, supervise: Callable[..., Supervisor]
) -> None:
    jobs = [ask(store, name) for name in ("one", "two")]
    supervisor = supervise(WORK, turn=0.0)
    most = 0

    def both_have_begun() -> bool:
        nonlocal most
        states = [store.state(job.id) for job in jobs]
        most = max(most, states.count(State.RUNNING))
        return all(found(store, job).done > 0 for job in jobs)

    tend_until(supervisor, both_have_begun)
    assert most == 1


@pytest.mark.slow
def test_a_worker_outlives_a_server_that_was_killed(store: Store, tmp_path: Path) -> None:
    job = ask(store, "visitor")
    program = (
        "import time\n"
        "from lnviz.training.store import Store\n"
        "from lnviz.training.supervisor import Supervisor\n"
        f"store = Store({store.url!r})\n"
        "from lnviz.topics.lab.jobs import WORK\n"
        "Supervisor(lambda: store, WORK).start()\n"
        "time.sleep(600)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program])
    try:
        while found(store, job).done == 0:
            assert server.poll() is None
            time.sleep(0.1)
    finally:
        server.kill()
        server.wait()
    kept = found(store, job).done
    while found(store, job).done == kept:
        time.sleep(0.1)
    assert store.move(job.id, State.STOPPED, among=(State.RUNNING,))
    while found(store, job).worker:
        time.sleep(0.1)


@pytest.mark.slow
def test_a_job_that_cannot_be_run_has_failed_and_says_why(
    store: Store, supervise: Callable[..., Supervisor]
) -> None:
    wanted = replace(DIGITS.default, experiment="alchemy")
    job = store.add(wanted, 1, {}, owner="visitor")
    supervisor = supervise(WORK)
    tend_until(supervisor, lambda: store.state(job.id) is State.FAILED)
    assert "no experiment 'alchemy'" in found(store, job).detail
