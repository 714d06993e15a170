"""Jobs: claimed once, held by heartbeats, in one state at a time."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import select

from lnviz.database.models import UsageRow, now
from lnviz.training import fair_share, job_repository, run_repository
from lnviz.training.job import JobAlreadyActive, JobState
from lnviz.training.run_repository import RunRepository
from lnviz.training.worker import HEARTBEAT_S
from tests.training.samples import SPECIFICATION, chunk, metrics


def test_a_job_is_found_by_how_it_begins_if_there_is_one(runs: RunRepository) -> None:
    jobs = []
    for n in range(17):
        jobs.append(runs.jobs.add(SPECIFICATION, 80, {}, owner=str(n % 2), worker="me"))
        runs.jobs.release(jobs[n].id, "me", JobState.DONE)
    found = runs.jobs.find(jobs[3].id)
    assert found is not None
    assert found.id == jobs[3].id
    assert runs.jobs.find("") is None
    assert runs.jobs.find("%") is None
    assert any(runs.jobs.find(digit) is None for digit in "0123456789abcdef")
    assert {job.id for job in runs.jobs.list_jobs("1")} == {job.id for job in jobs[1::2]}
    assert len(runs.jobs.list_jobs()) == 17


def test_a_state_changes_only_from_where_it_stands(runs: RunRepository) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {})
    assert not runs.jobs.transition(job.id, JobState.DONE, among=(JobState.RUNNING,))
    assert runs.jobs.transition(job.id, JobState.PAUSED, among=(JobState.QUEUED, JobState.RUNNING))
    assert runs.jobs.state(job.id) is JobState.PAUSED
    assert runs.jobs.state("nobody") is None


def test_of_many_takers_one_gets_a_job(runs: RunRepository) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor")
    with ThreadPoolExecutor(8) as pool:
        taken = [
            found
            for found in pool.map(lambda n: runs.jobs.claim(f"worker {n}"), range(16))
            if found
        ]
    assert [found.id for found in taken] == [job.id]
    assert taken[0].state is JobState.RUNNING
    assert runs.jobs.claim("late", job.id) is None


def test_a_visitor_has_one_job_that_has_not_ended(runs: RunRepository) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor")
    for state in (JobState.QUEUED, JobState.PAUSED, JobState.RUNNING):
        runs.jobs.transition(job.id, state, among=tuple(JobState))
        with pytest.raises(JobAlreadyActive, match="only one at a time"):
            runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor")
    runs.jobs.add(SPECIFICATION, 80, {}, owner="another")
    for _ in range(2):
        runs.jobs.add(SPECIFICATION, 80, {})  # the command line is nobody
    assert runs.jobs.transition(job.id, JobState.STOPPED, among=(JobState.RUNNING,))
    runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor")


def test_a_job_that_nobody_could_work_on_does_not_wait_for_ever(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, own = (runs.jobs.add(SPECIFICATION, 80, {}, owner=owner) for owner in ("a", ""))
    runs.jobs.purge(now())
    assert runs.jobs.state(waits.id) is JobState.QUEUED
    monkeypatch.setattr(job_repository, "QUEUE_LIMIT", timedelta())
    runs.jobs.purge(now())
    assert (runs.jobs.state(waits.id), runs.jobs.state(own.id)) == (
        JobState.STOPPED,
        JobState.QUEUED,
    )


def test_a_worker_that_gives_no_sign_of_life_loses_its_jobs(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors, own = (
        runs.jobs.add(SPECIFICATION, 80, {}, owner=o, worker="w" + o) for o in ("v", "")
    )
    runs.jobs.requeue_dead()
    assert runs.jobs.heartbeat(visitors.id, "wv")
    monkeypatch.setattr(job_repository, "LEASE", timedelta())
    runs.jobs.requeue_dead()
    assert runs.jobs.state(visitors.id) is JobState.QUEUED
    assert runs.jobs.state(own.id) is JobState.PAUSED
    assert not runs.jobs.heartbeat(visitors.id, "wv")
    assert not runs.save_chunk(visitors.id, "wv", chunk(metrics(0)))
    assert runs.metrics(visitors.id) == []
    runs.jobs.set_environment(visitors.id, "wv", {"device": "another"})
    runs.jobs.release(visitors.id, "wv", JobState.FAILED)
    assert runs.jobs.state(visitors.id) is JobState.QUEUED


def test_a_job_whose_workers_die_again_and_again_has_failed(runs: RunRepository) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor")
    for end in range(4):
        assert runs.jobs.state(job.id) is JobState.QUEUED
        runs.jobs.claim("worker")
        if end == 1:  # it has got further
            runs.save_chunk(job.id, "worker", chunk(metrics(0)))
        runs.jobs.requeue_dead("worker")
    found = runs.jobs.find(job.id)
    assert found is not None
    assert found.state is JobState.FAILED
    assert "crashed 3 times without progress" in found.detail
    assert found.steps_per_s == 0
    assert runs.checkpoint(job.id, 0) is None
    assert runs.jobs.claim("worker", job.id) is None


def test_what_was_stopped_has_ended_and_needs_no_checkpoint(runs: RunRepository) -> None:
    visitors, own = (runs.jobs.add(SPECIFICATION, 80, {}, owner=o, worker="me") for o in ("v", ""))
    for job in (visitors, own):
        runs.save_chunk(job.id, "me", chunk(metrics(0)))
        assert runs.jobs.transition(job.id, JobState.STOPPED, among=(JobState.RUNNING,))
        assert runs.save_chunk(job.id, "me", chunk(metrics(10)))  # its worker has not noticed yet
        runs.jobs.release(job.id, "me", JobState.QUEUED)
        assert runs.jobs.state(job.id) is JobState.STOPPED
        assert [p.step for p in runs.metrics(job.id)] == [0, 10]
    assert [runs.checkpoint(job.id, 0) for job in (visitors, own)] == [None, b"state"]


def test_old_jobs_of_visitors_are_dropped_and_those_paused_long_are_stopped(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, own, running, paused = (
        runs.jobs.add(SPECIFICATION, 80, {}, owner=owner, worker="me")
        for owner in ("a", "", "b", "c")
    )
    for job, state in ((old, JobState.DONE), (own, JobState.DONE), (paused, JobState.PAUSED)):
        runs.save_chunk(job.id, "me", chunk(metrics(0)))
        runs.jobs.release(job.id, "me", state)
    runs.jobs.purge(now() - timedelta(days=1))
    assert len(runs.jobs.list_jobs()) == 4
    ended = runs.jobs.get(old.id)
    assert ended is not None
    runs.jobs.purge(ended.changed_at)
    assert len(runs.jobs.list_jobs()) == 4
    monkeypatch.setattr(job_repository, "PAUSE_LIMIT", timedelta())
    runs.jobs.purge(now())
    assert {job.id for job in runs.jobs.list_jobs()} == {own.id, running.id, paused.id}
    assert runs.metrics(old.id) == []
    assert (runs.jobs.state(paused.id), runs.checkpoint(paused.id, 0)) == (JobState.STOPPED, None)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[timedelta]:
    """Time that has passed, to be set."""
    passed = [timedelta()]
    start = now()
    for module in (job_repository, fair_share, run_repository):
        monkeypatch.setattr(module, "now", lambda: start + passed[0])
    return passed


@pytest.mark.parametrize(
    ("state", "limit", "detail"),
    [
        (JobState.PAUSED, timedelta(days=1), "for more than a day"),
        (JobState.QUEUED, timedelta(hours=3), "within three hours"),
    ],
)
def test_a_job_waits_for_as_long_as_its_message_says(
    state: JobState, limit: timedelta, detail: str, runs: RunRepository, clock: list[timedelta]
) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor")
    runs.jobs.transition(job.id, state, among=(JobState.QUEUED,))
    for late, expected in ((timedelta(minutes=-1), state), (timedelta(minutes=1), "stopped")):
        clock[0] = limit + late
        runs.jobs.purge(now() - timedelta(days=30))
        assert runs.jobs.state(job.id) == expected
    found = runs.jobs.get(job.id)
    assert found is not None
    assert detail in found.detail


def test_a_worker_loses_its_job_when_several_heartbeats_are_missing(
    runs: RunRepository, clock: list[timedelta]
) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor")
    assert runs.jobs.claim("worker")
    clock[0] = timedelta(seconds=5 * HEARTBEAT_S)
    runs.jobs.requeue_dead()
    assert runs.jobs.state(job.id) is JobState.RUNNING
    assert runs.jobs.heartbeat(job.id, "worker")
    clock[0] *= 2
    runs.jobs.requeue_dead()
    assert runs.jobs.state(job.id) is JobState.RUNNING
    clock[0] *= 2
    runs.jobs.requeue_dead()
    assert runs.jobs.state(job.id) is JobState.QUEUED


def test_a_chunk_renews_the_lease(runs: RunRepository, clock: list[timedelta]) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor", worker="worker")
    clock[0] = timedelta(hours=1)
    runs.save_chunk(job.id, "worker", chunk(metrics(0)))
    runs.jobs.requeue_dead()
    assert runs.jobs.state(job.id) is JobState.RUNNING


def test_usage_counts_for_an_hour(runs: RunRepository, clock: list[timedelta]) -> None:
    first = runs.jobs.add(SPECIFICATION, 80, {}, owner="a", network="here", worker="worker")
    runs.save_chunk(first.id, "worker", chunk(metrics(0)))
    runs.jobs.release(first.id, "worker", JobState.QUEUED)
    second = runs.jobs.add(SPECIFICATION, 80, {}, owner="b", network="there")
    for minutes, expected in ((50, [second.id, first.id]), (71, [first.id, second.id])):
        clock[0] = timedelta(minutes=minutes)
        assert runs.jobs.queued() == expected
        runs.jobs.purge(now() - timedelta(days=30))
        with runs.database.session() as session:
            assert bool(session.scalars(select(UsageRow)).all()) == (minutes == 50)


def test_a_job_without_progress_keeps_its_crashes_and_its_speed(runs: RunRepository) -> None:
    job = runs.jobs.add(SPECIFICATION, 80, {}, owner="visitor", worker="worker")
    assert runs.save_chunk(job.id, "worker", chunk(metrics(0), steps=0))
    found = runs.jobs.get(job.id)
    assert found is not None
    assert (found.done, found.steps_per_s, found.train_seconds) == (0, 0.0, 0.5)
    runs.jobs.requeue_dead("worker")
    for _ in range(2):  # a chunk without a step is no progress
        assert runs.jobs.claim("worker")
        assert runs.save_chunk(job.id, "worker", chunk(group=1, steps=0))
        runs.jobs.requeue_dead("worker")
    assert runs.jobs.state(job.id) is JobState.FAILED
