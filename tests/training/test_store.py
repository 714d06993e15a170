"""The store of trainings: what goes in comes out, whoever else writes and whatever is broken."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any
from unittest import TestCase

import pytest
from alembic import command
from alembic.config import Config
from filelock import FileLock
from sqlalchemy import create_engine, event, inspect, select
from sqlalchemy.exc import DatabaseError

from lnviz.database import connection as database
from lnviz.database.connection import MIGRATIONS, StoreError
from lnviz.database.models import Base, JobRow, UsageRow, now
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training import jobs as storing
from lnviz.training.jobs import JobAlreadyActive, JobQueueFull, JobState
from lnviz.training.record import LoggedMetrics
from lnviz.training.store import Chunk, RunRepository

SPECIFICATION = EXPERIMENTS["digits"].default


def point(step: int, norm: str = "layer") -> LoggedMetrics:
    return LoggedMetrics(
        norm, 4, step, 0.5, {"loss": [1.0, None], "scales": {"gains": {"1": [1, 2]}}}
    )


def stretch(*points: LoggedMetrics, group: int = 0, steps: int = 10, **given: Any) -> Chunk:
    return Chunk(group, steps, steps, 0.5, points, **{"state": b"state"} | given)


@contextmanager
def logged(what: str) -> Iterator[Any]:
    """Has this in the log alone."""
    with TestCase().assertLogs() as log:
        yield log
    assert re.search(what, "\n".join(log.output)), log.output


def test_what_goes_in_comes_out(store: RunRepository, url: str) -> None:
    job = store.add(SPECIFICATION, 80, {"torch": "2"}, owner="somebody", worker="me")
    assert store.save_chunk(job.id, "me", stretch(point(0), point(10), steps=20))
    assert store.checkpoint(job.id, 0) == b"state"
    tested = LoggedMetrics("layer", 4, 20, 0, {"e": [1]})
    assert store.save_chunk(
        job.id, "me", stretch(point(20), steps=20, state=b"", test_result=tested)
    )
    assert store.save_chunk(job.id, "me", stretch(point(0, "rms"), group=1, steps=0, state=b"next"))
    again = RunRepository(url)
    found = again.find(job.id)
    assert found is not None
    assert found.specification == SPECIFICATION
    assert (found.owner, found.steps, found.done) == ("somebody", 80, 40)
    assert (found.train_seconds, found.steps_per_s) == (1.5, 40)
    record = again.record(found)
    assert record.environment == {"torch": "2"}
    assert record.metrics == (point(0), point(10), point(20), point(0, "rms"))
    assert record.test_results == {("layer", 4): {"e": [1]}}
    assert again.count_measurements(job.id) == 5
    assert [again.checkpoint(job.id, group) for group in (0, 1, 2)] == [None, b"next", None]
    again.close()


def test_a_job_is_found_by_how_it_begins_if_there_is_one(store: RunRepository) -> None:
    jobs = []
    for n in range(17):
        jobs.append(store.add(SPECIFICATION, 80, {}, owner=str(n % 2), worker="me"))
        store.release(jobs[n].id, "me", JobState.DONE)
    found = store.find(jobs[3].id)
    assert found is not None
    assert found.id == jobs[3].id
    assert store.find("") is None
    assert store.find("%") is None
    assert any(store.find(digit) is None for digit in "0123456789abcdef")
    assert {job.id for job in store.list_jobs("1")} == {job.id for job in jobs[1::2]}
    assert len(store.list_jobs()) == 17


def test_a_state_changes_only_from_where_it_stands(store: RunRepository) -> None:
    job = store.add(SPECIFICATION, 80, {})
    assert not store.transition(job.id, JobState.DONE, among=(JobState.RUNNING,))
    assert store.transition(job.id, JobState.PAUSED, among=(JobState.QUEUED, JobState.RUNNING))
    assert store.state(job.id) is JobState.PAUSED
    assert store.state("nobody") is None


def test_of_many_takers_one_gets_a_job(store: RunRepository) -> None:
    job = store.add(SPECIFICATION, 80, {}, owner="visitor")
    with ThreadPoolExecutor(8) as pool:
        taken = [
            found for found in pool.map(lambda n: store.claim(f"worker {n}"), range(16)) if found
        ]
    assert [found.id for found in taken] == [job.id]
    assert taken[0].state is JobState.RUNNING
    assert store.claim("late", job.id) is None


def test_a_visitor_has_one_job_that_has_not_ended(store: RunRepository) -> None:
    job = store.add(SPECIFICATION, 80, {}, owner="visitor")
    for state in (JobState.QUEUED, JobState.PAUSED, JobState.RUNNING):
        store.transition(job.id, state, among=tuple(JobState))
        with pytest.raises(JobAlreadyActive, match="one such request at a time"):
            store.add(SPECIFICATION, 80, {}, owner="visitor")
    store.add(SPECIFICATION, 80, {}, owner="another")
    for _ in range(2):
        store.add(SPECIFICATION, 80, {})  # the command line is nobody
    assert store.transition(job.id, JobState.STOPPED, among=(JobState.RUNNING,))
    store.add(SPECIFICATION, 80, {}, owner="visitor")


def test_who_has_been_served_least_lately_comes_next(
    store: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy = store.add(SPECIFICATION, 80, {}, owner="greedy")
    assert store.claim("worker", greedy.id)
    for _ in range(2):
        store.save_chunk(greedy.id, "worker", stretch())
    store.release(greedy.id, "worker", JobState.QUEUED)
    later = [store.add(SPECIFICATION, 80, {}, owner=name) for name in ("one", "two")]
    store.add(SPECIFICATION, 80, {})  # nobody's: the command line begins with its own at once
    assert store.queued() == [later[0].id, later[1].id, greedy.id]
    # How old a job is does not matter; how long ago it was worked on does.
    slots = storing._WINDOW_SLOTS
    monkeypatch.setattr(storing, "_WINDOW_SLOTS", -1)
    assert store.queued() == [greedy.id, later[0].id, later[1].id]
    monkeypatch.setattr(storing, "_WINDOW_SLOTS", slots)
    taken = [store.claim(f"worker {n}") for n in range(4)]
    assert [job and job.id for job in taken] == [later[0].id, later[1].id, greedy.id, None]
    assert store.count_running("worker") == 3
    assert store.count_running("nobody") == 0
    store.set_environment(greedy.id, "worker 2", {"device": "this one"})
    (found,) = (job for job in store.list_jobs() if job.id == greedy.id)
    assert found.environment == {"device": "this one"}


def test_a_job_outstays_its_turn_where_somebody_waits_who_has_had_less(
    store: RunRepository,
) -> None:
    first, own = (store.add(SPECIFICATION, 80, {}, owner=o, worker="here:1") for o in ("a", ""))
    for job in (first, own):
        store.save_chunk(job.id, "here:1", stretch())
    assert store.preemptible("here:", 0.2) is None  # nobody waits
    store.add(SPECIFICATION, 80, {}, owner="b")
    assert store.preemptible("here:", 0.2) == first.id
    assert store.preemptible("here:", 2.0) is None
    assert store.preemptible("there:", 0.2) is None
    store.release(first.id, "here:1", JobState.QUEUED)
    assert store.claim("here:2", first.id) is not None
    assert store.preemptible("here:", 0.2) is None  # its turn has just begun


def test_an_address_that_has_been_served_comes_after_another_whatever_its_names(
    store: RunRepository,
) -> None:
    def ask(owner: str, address: str) -> str:
        return store.add(SPECIFICATION, 80, {}, owner=owner, network=address).id

    first = ask("a", "here")
    assert store.claim("here:1", first)
    store.save_chunk(first, "here:1", stretch())
    fresh, other = ask("b", "here"), ask("c", "there")
    assert store.queued() == [other, fresh]
    assert store.preemptible("here:", 0.2) == first  # for the one that is there
    assert store.claim("here:2", other)
    store.save_chunk(other, "here:2", stretch())
    store.save_chunk(other, "here:2", stretch(point(20)))
    assert store.queued() == [fresh]
    assert store.preemptible("here:1", 0.2) == first  # for the one at the same address
    assert store.preemptible("here:2", 0.2) == other


def ask(store: RunRepository, owner: str, address: str, steps: int = 80) -> str:
    """Asks for one of three places."""
    return store.add(SPECIFICATION, steps, {}, owner=owner, network=address, capacity=3).id


def test_of_too_many_that_wait_the_newest_of_the_address_with_most_is_stopped(
    store: RunRepository,
) -> None:
    first, second = (ask(store, owner, "here") for owner in "ab")
    away = ask(store, "c", "there")
    with pytest.raises(JobQueueFull, match="3 trainings wait already"):
        ask(store, "d", "here")
    other = ask(store, "e", "elsewhere")
    assert set(store.queued()) == {first, away, other}
    found = store.find(second)
    assert found is not None
    assert (found.state, "More trainings waited" in found.detail) == (JobState.STOPPED, True)
    assert len(store.list_jobs()) == 4  # who was refused has left nothing


def test_a_paused_job_keeps_its_place_and_as_many_as_needed_make_way(store: RunRepository) -> None:
    first, second, third = (ask(store, owner, "here") for owner in "abc")
    for job in (first, second):
        store.transition(job, JobState.PAUSED, among=(JobState.QUEUED,))
    with pytest.raises(JobQueueFull):
        ask(store, "d", "here")
    assert store.transition(first, JobState.QUEUED, among=(JobState.PAUSED,))
    assert store.claim("worker", third)
    fourth = ask(store, "e", "here")
    store.release(third, "worker", JobState.QUEUED)  # now there are four
    away = ask(store, "f", "there")
    standing = [store.state(job) for job in (first, second, third, fourth, away)]
    stopped = JobState.STOPPED
    assert standing == [JobState.QUEUED, JobState.PAUSED, stopped, stopped, JobState.QUEUED]


@pytest.mark.parametrize("url", [pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_two_jobs_of_an_address_are_counted_at_the_same_moment(
    store: RunRepository, url: str
) -> None:
    jobs = [
        store.add(SPECIFICATION, 80, {}, owner=owner, network="here", worker=owner)
        for owner in "ab"
    ]
    other, under_way = RunRepository(url), Event()
    event.listen(
        *(other._engine, "before_cursor_execute"),
        lambda _c, _cursor, statement, *_: (
            under_way.set() if statement.startswith("INSERT INTO served") else None
        ),
    )
    with ThreadPoolExecutor(1) as pool:
        with store.session() as session:
            storing.record_usage(session, session.get_one(JobRow, jobs[0].id), 2.0)
            session.flush()
            kept = pool.submit(other.save_chunk, jobs[1].id, "b", stretch(point(0)))
            assert under_way.wait()
        assert kept.result()
    other.close()
    with store.session() as session:
        seconds = {row.owner: row.seconds for row in session.scalars(select(UsageRow))}
    assert seconds == {"a": 2.0, "b": 0.5, "at here": 2.5}


def test_a_job_that_nobody_could_work_on_does_not_wait_for_ever(
    store: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, own = (store.add(SPECIFICATION, 80, {}, owner=owner) for owner in ("a", ""))
    store.purge(now())
    assert store.state(waits.id) is JobState.QUEUED
    monkeypatch.setattr(storing, "QUEUE_LIMIT", timedelta())
    store.purge(now())
    assert (store.state(waits.id), store.state(own.id)) == (JobState.STOPPED, JobState.QUEUED)


def test_a_worker_that_gives_no_sign_of_life_loses_its_jobs(
    store: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors, own = (store.add(SPECIFICATION, 80, {}, owner=o, worker="w" + o) for o in ("v", ""))
    store.requeue_dead()
    assert store.heartbeat(visitors.id, "wv")
    monkeypatch.setattr(storing, "LEASE", timedelta())
    store.requeue_dead()
    assert store.state(visitors.id) is JobState.QUEUED
    assert store.state(own.id) is JobState.PAUSED
    assert not store.heartbeat(visitors.id, "wv")
    assert not store.save_chunk(visitors.id, "wv", stretch(point(0)))
    assert store.metrics(visitors.id) == []
    store.set_environment(visitors.id, "wv", {"device": "another"})
    store.release(visitors.id, "wv", JobState.FAILED)
    assert store.state(visitors.id) is JobState.QUEUED


def test_a_job_whose_workers_die_again_and_again_has_failed(store: RunRepository) -> None:
    job = store.add(SPECIFICATION, 80, {}, owner="visitor")
    for end in range(4):
        assert store.state(job.id) is JobState.QUEUED
        store.claim("worker")
        if end == 1:  # it has got further
            store.save_chunk(job.id, "worker", stretch(point(0)))
        store.requeue_dead("worker")
    found = store.find(job.id)
    assert found is not None
    assert found.state is JobState.FAILED
    assert "ended 3 times without getting any further" in found.detail
    assert found.steps_per_s == 0
    assert store.checkpoint(job.id, 0) is None
    assert store.claim("worker", job.id) is None


def test_what_was_stopped_has_ended_and_needs_no_checkpoint(store: RunRepository) -> None:
    visitors, own = (store.add(SPECIFICATION, 80, {}, owner=o, worker="me") for o in ("v", ""))
    for job in (visitors, own):
        store.save_chunk(job.id, "me", stretch(point(0)))
        assert store.transition(job.id, JobState.STOPPED, among=(JobState.RUNNING,))
        assert store.save_chunk(job.id, "me", stretch(point(10)))  # its worker has not noticed yet
        store.release(job.id, "me", JobState.QUEUED)
        assert store.state(job.id) is JobState.STOPPED
        assert [p.step for p in store.metrics(job.id)] == [0, 10]
    assert [store.checkpoint(job.id, 0) for job in (visitors, own)] == [None, b"state"]


def test_old_jobs_of_visitors_are_dropped_and_those_paused_long_are_stopped(
    store: RunRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, own, running, paused = (
        store.add(SPECIFICATION, 80, {}, owner=owner, worker="me") for owner in ("a", "", "b", "c")
    )
    for job, state in ((old, JobState.DONE), (own, JobState.DONE), (paused, JobState.PAUSED)):
        store.save_chunk(job.id, "me", stretch(point(0)))
        store.release(job.id, "me", state)
    store.purge(now() - timedelta(days=1))
    assert len(store.list_jobs()) == 4
    monkeypatch.setattr(storing, "PAUSE_LIMIT", timedelta())
    store.purge(now())
    assert {job.id for job in store.list_jobs()} == {own.id, running.id, paused.id}
    assert store.metrics(old.id) == []
    assert (store.state(paused.id), store.checkpoint(paused.id, 0)) == (JobState.STOPPED, None)


def test_writers_wait_for_each_other(url: str) -> None:
    def write(number: int) -> None:
        own = RunRepository(url)
        job = own.add(SPECIFICATION, 80, {}, owner=str(number), worker="me")
        for step in range(10):
            assert own.save_chunk(job.id, "me", stretch(point(step), state=bytes(1000)))
        own.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    store = RunRepository(url)
    jobs = store.list_jobs()
    assert len(jobs) == 6
    assert all(len(store.metrics(job.id)) == 10 for job in jobs)
    store.close()


def test_a_point_is_kept_once_and_all_or_nothing_is(store: RunRepository) -> None:
    job = store.add(SPECIFICATION, 80, {}, worker="me")
    store.save_chunk(job.id, "me", stretch(point(0), state=b"first"))
    with pytest.raises(StoreError), logged(r"(?i)unique"):
        store.save_chunk(job.id, "me", stretch(point(10), point(0), state=b"second"))
    assert [m.step for m in store.metrics(job.id)] == [0]
    assert store.checkpoint(job.id, 0) == b"first"
    assert [found.done for found in store.list_jobs()] == [10]


def test_a_database_with_later_steps_is_left_as_it_is(store: RunRepository, url: str) -> None:
    job = store.add(SPECIFICATION, 80, {})
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'later'")
    engine.dispose()
    with pytest.raises(StoreError, match="another version"), logged("move it away, or name"):
        RunRepository(url)
    assert store.find(job.id) == job


def test_a_file_that_is_no_database_is_kept_beside(file: Path) -> None:
    file.write_text("no database, but somebody's only copy")
    with pytest.raises(StoreError) as found, logged("cannot be used"):
        RunRepository(f"sqlite:///{file}")
    assert "only copy" in file.read_text()  # a server alone moves it
    with pytest.raises(StoreError, match="begins anew"), logged("kept as"):
        RunRepository(f"sqlite:///{file}", integrity_check=True)
    assert str(file.parent) not in str(found.value)
    (kept,) = file.parent.glob("*.broken-*")
    assert "only copy" in kept.read_text()
    with closing(RunRepository(f"sqlite:///{file}")) as store:
        assert store.list_jobs() == []


def test_a_file_that_is_damaged_inside_is_kept_beside(file: Path) -> None:
    store = RunRepository(f"sqlite:///{file}")
    for _ in range(200):
        store.add(SPECIFICATION, 80, {})
    store.close()
    whole = file.read_bytes()
    half = len(whole) // 2
    file.write_bytes(whole[:half] + b"\xa5" * 8192 + whole[half + 8192 :])
    with pytest.raises(StoreError, match="damaged"), logged("damaged"):
        RunRepository(f"sqlite:///{file}", integrity_check=True)
    assert len(list(file.parent.glob("*.broken-*"))) >= 1
    with closing(RunRepository(f"sqlite:///{file}", integrity_check=True)) as store:
        assert store.list_jobs() == []


def test_while_all_of_a_file_is_read_others_open_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = []

    def read(_: Any) -> None:
        # Each of the two would keep others waiting.
        free.append(not database.MIGRATION_LOCK.locked())
        with FileLock(f"{file}.lock", blocking=False):
            free.append(True)

    monkeypatch.setattr(database, "_check_integrity", read)
    RunRepository(f"sqlite:///{file}", integrity_check=True).close()
    assert free == [True, True]
    RunRepository(f"sqlite:///{file}").close()
    assert len(free) == 2  # a worker, which is one of many, does not read


def test_a_damaged_file_that_another_has_moved_away_by_now_costs_no_other(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, looks = RunRepository(f"sqlite:///{file}"), []

    def read(_: Any) -> None:
        looks.append(database.MIGRATION_LOCK.locked())
        if len(looks) == 1:
            raise DatabaseError("PRAGMA quick_check", None, RuntimeError("as it was before"))

    monkeypatch.setattr(database, "_check_integrity", read)
    job = store.add(SPECIFICATION, 80, {})
    with closing(RunRepository(f"sqlite:///{file}", integrity_check=True)) as other:
        assert other.list_jobs() == [job]
    store.close()
    assert looks == [False, True]
    assert list(file.parent.glob("*.broken-*")) == []


def test_a_full_disk_is_said_in_words_and_costs_nothing_kept(file: Path) -> None:
    store = RunRepository(f"sqlite:///{file}")
    job = store.add(SPECIFICATION, 80, {}, worker="me")
    store.save_chunk(job.id, "me", stretch(point(0), state=b"first"))
    # The file may not grow: to SQLite that is a full disk.
    with store._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        connection.commit()
    with pytest.raises(StoreError), logged("full"):
        store.save_chunk(job.id, "me", stretch(point(10), state=bytes(1_000_000)))
    store.close()
    with closing(RunRepository(f"sqlite:///{file}")) as store:
        assert store.checkpoint(job.id, 0) == b"first"


def test_the_steps_lead_to_the_tables(store: RunRepository, url: str) -> None:
    engine = create_engine(url)
    found, tables = inspect(engine), Base.metadata.tables
    assert set(found.get_table_names()) == {*tables, "alembic_version"}
    for name, table in tables.items():
        columns = {c["name"]: c["nullable"] for c in found.get_columns(name)}
        assert columns == {c.name: bool(c.nullable) for c in table.columns}
    engine.dispose()


def test_a_database_whose_tables_were_taken_away_gets_them_again(url: str) -> None:
    config, engine = Config(), create_engine(url)
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        command.downgrade(config, "base")
    store = RunRepository(url)
    assert store.list_jobs() == []
    store.close()
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").all()
    engine.dispose()


def test_what_cannot_be_reached_is_said_without_where_it_is_and_logged_without_its_password() -> (
    None
):
    address = "postgresql+psycopg://somebody:secret@localhost:1/none"
    with logged(r"somebody:\*\*\*@localhost:1/") as log, pytest.raises(StoreError) as caught:
        RunRepository(address)
    assert not any(word in str(caught.value) for word in ("somebody", "localhost", "1/none"))
    assert "secret" not in log.output[0]
    with pytest.raises(StoreError), logged("LNVIZ_DATABASE_URL"):
        RunRepository("nonsense")
