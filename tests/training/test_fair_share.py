"""Fair shares: who has used less recently comes first, and who has most makes room."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from sqlalchemy import event, select

from lnviz.database.connection import Database
from lnviz.database.models import JobRow, UsageRow
from lnviz.training import fair_share
from lnviz.training.job import JobQueueFull, JobState
from lnviz.training.run_repository import RunRepository
from tests.training.samples import SPECIFICATION, chunk, metrics


def test_who_has_been_served_least_lately_comes_next(
    runs: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy = runs.jobs.add(SPECIFICATION, 80, {}, owner="greedy")
    assert runs.jobs.claim("worker", greedy.id)
    for _ in range(2):
        runs.save_chunk(greedy.id, "worker", chunk())
    runs.jobs.release(greedy.id, "worker", JobState.QUEUED)
    later = [runs.jobs.add(SPECIFICATION, 80, {}, owner=name) for name in ("one", "two")]
    runs.jobs.add(SPECIFICATION, 80, {})  # nobody's: the command line begins with its own at once
    assert runs.jobs.queued() == [later[0].id, later[1].id, greedy.id]
    # How old a job is does not matter; how long ago it was worked on does.
    slots = fair_share._WINDOW_SLOTS
    monkeypatch.setattr(fair_share, "_WINDOW_SLOTS", -1)
    assert runs.jobs.queued() == [greedy.id, later[0].id, later[1].id]
    monkeypatch.setattr(fair_share, "_WINDOW_SLOTS", slots)
    taken = [runs.jobs.claim(f"worker {n}") for n in range(4)]
    assert [job and job.id for job in taken] == [later[0].id, later[1].id, greedy.id, None]
    assert runs.jobs.count_running("worker") == 3
    assert runs.jobs.count_running("nobody") == 0
    assert runs.jobs.count_running("worke_") == 0
    runs.jobs.set_environment(greedy.id, "worker 2", {"device": "this one"})
    (found,) = (job for job in runs.jobs.list_jobs() if job.id == greedy.id)
    assert found.environment == {"device": "this one"}


def test_a_job_outstays_its_turn_where_somebody_waits_who_has_had_less(
    runs: RunRepository,
) -> None:
    first, own = (runs.jobs.add(SPECIFICATION, 80, {}, owner=o, worker="here:1") for o in ("a", ""))
    for job in (first, own):
        runs.save_chunk(job.id, "here:1", chunk())
    assert runs.jobs.preemptible("here:", 0.2) is None  # nobody waits
    runs.jobs.add(SPECIFICATION, 80, {}, owner="b")
    assert runs.jobs.preemptible("here:", 0.2) == first.id
    assert runs.jobs.preemptible("here:", 2.0) is None
    assert runs.jobs.preemptible("there:", 0.2) is None
    assert runs.jobs.preemptible("her_:", 0.2) is None  # a host name is no pattern
    runs.jobs.release(first.id, "here:1", JobState.QUEUED)
    assert runs.jobs.claim("here:2", first.id) is not None
    assert runs.jobs.preemptible("here:", 0.2) is None  # its turn has just begun


def test_an_address_that_has_been_served_comes_after_another_whatever_its_names(
    runs: RunRepository,
) -> None:
    def ask(owner: str, address: str) -> str:
        return runs.jobs.add(SPECIFICATION, 80, {}, owner=owner, network=address).id

    first = ask("a", "here")
    assert runs.jobs.claim("here:1", first)
    runs.save_chunk(first, "here:1", chunk())
    fresh, other = ask("b", "here"), ask("c", "there")
    assert runs.jobs.queued() == [other, fresh]
    assert runs.jobs.preemptible("here:", 0.2) == first  # for the one that is there
    assert runs.jobs.claim("here:2", other)
    runs.save_chunk(other, "here:2", chunk())
    runs.save_chunk(other, "here:2", chunk(metrics(20)))
    assert runs.jobs.queued() == [fresh]
    assert runs.jobs.preemptible("here:1", 0.2) == first  # for the one at the same address
    assert runs.jobs.preemptible("here:2", 0.2) == other


@pytest.mark.parametrize("network", ["here", "there"])
def test_a_job_is_not_preempted_for_one_of_a_client_with_the_same_usage(
    network: str, runs: RunRepository
) -> None:
    waits, works = (
        runs.jobs.add(SPECIFICATION, 80, {}, owner=owner, network=where, worker=f"host:{owner}").id
        for owner, where in (("a", network), ("b", "here"))
    )
    for job, owner in ((waits, "a"), (works, "b")):
        assert runs.save_chunk(job, f"host:{owner}", chunk(metrics(0)))
    runs.jobs.release(waits, "host:a", JobState.QUEUED)
    assert runs.jobs.preemptible("host:", 0.2) is None
    assert runs.save_chunk(works, "host:b", chunk(metrics(20)))
    assert runs.jobs.preemptible("host:", 0.2) == works


def ask(runs: RunRepository, owner: str, address: str, steps: int = 80) -> str:
    """Asks for one of three places."""
    return runs.jobs.add(SPECIFICATION, steps, {}, owner=owner, network=address, capacity=3).id


def test_of_too_many_that_wait_the_newest_of_the_network_with_most_is_stopped(
    runs: RunRepository,
) -> None:
    first, second = (ask(runs, owner, "here") for owner in "ab")
    away = ask(runs, "c", "there")
    with pytest.raises(JobQueueFull, match="3 trainings are waiting"):
        ask(runs, "d", "here")
    other = ask(runs, "e", "elsewhere")
    assert set(runs.jobs.queued()) == {first, away, other}
    found = runs.jobs.get(second)
    assert found is not None
    assert (found.state, "queue of trainings was full" in found.detail) == (JobState.STOPPED, True)
    assert len(runs.jobs.list_jobs()) == 4  # the refused one is not kept


def test_a_paused_job_keeps_its_place_and_as_many_as_needed_make_way(runs: RunRepository) -> None:
    first, second, third = (ask(runs, owner, "here") for owner in "abc")
    for job in (first, second):
        runs.jobs.transition(job, JobState.PAUSED, among=(JobState.QUEUED,))
    with pytest.raises(JobQueueFull):
        ask(runs, "d", "here")
    assert runs.jobs.transition(first, JobState.QUEUED, among=(JobState.PAUSED,))
    assert runs.jobs.claim("worker", third)
    fourth = ask(runs, "e", "here")
    runs.jobs.release(third, "worker", JobState.QUEUED)  # now there are four
    away = ask(runs, "f", "there")
    standing = [runs.jobs.state(job) for job in (first, second, third, fourth, away)]
    stopped = JobState.STOPPED
    assert standing == [JobState.QUEUED, JobState.PAUSED, stopped, stopped, JobState.QUEUED]


@pytest.mark.parametrize("url", [pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_two_jobs_of_an_address_are_counted_at_the_same_moment(
    runs: RunRepository, url: str
) -> None:
    jobs = [
        runs.jobs.add(SPECIFICATION, 80, {}, owner=owner, network="here", worker=owner)
        for owner in "ab"
    ]
    other, under_way = RunRepository(Database(url)), Event()
    event.listen(
        *(other.database._engine, "before_cursor_execute"),
        lambda _c, _cursor, statement, *_: (
            under_way.set() if statement.startswith("INSERT INTO usage") else None
        ),
    )
    with ThreadPoolExecutor(1) as pool:
        with runs.database.session() as session:
            fair_share.record_usage(session, session.get_one(JobRow, jobs[0].id), 2.0)
            session.flush()
            kept = pool.submit(other.save_chunk, jobs[1].id, "b", chunk(metrics(0)))
            assert under_way.wait()
        assert kept.result()
    other.database.close()
    with runs.database.session() as session:
        seconds = {row.client: row.seconds for row in session.scalars(select(UsageRow))}
    assert seconds == {"a": 2.0, "b": 0.5, "at here": 2.5}
