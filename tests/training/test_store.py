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
from lnviz.database.models import Base, JobRow, ServedRow, now
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training import jobs as storing
from lnviz.training.jobs import AtWork, NoPlace, State
from lnviz.training.record import Measured
from lnviz.training.store import Store, Stretch

SPECIFICATION = EXPERIMENTS["digits"].default


def point(step: int, norm: str = "layer") -> Measured:
    return Measured(norm, 4, step, 0.5, {"loss": [1.0, None], "scales": {"gains": {"1": [1, 2]}}})


def stretch(*points: Measured, group: int = 0, steps: int = 10, **given: Any) -> Stretch:
    return Stretch(group, steps, steps, 0.5, points, **{"state": b"state"} | given)


@contextmanager
def logged(what: str) -> Iterator[Any]:
    """Has this in the log alone."""
    with TestCase().assertLogs() as log:
        yield log
    assert re.search(what, "\n".join(log.output)), log.output


def test_what_goes_in_comes_out(store: Store, url: str) -> None:
    job = store.add(SPECIFICATION, 80, {"torch": "2"}, owner="somebody", worker="me")
    assert store.keep(job.id, "me", stretch(point(0), point(10), steps=20))
    assert store.checkpoint(job.id, 0) == b"state"
    tested = Measured("layer", 4, 20, 0, {"e": [1]})
    assert store.keep(job.id, "me", stretch(point(20), steps=20, state=b"", outcome=tested))
    assert store.keep(job.id, "me", stretch(point(0, "rms"), group=1, steps=0, state=b"next"))
    again = Store(url)
    found = again.job(job.id)
    assert found is not None
    assert found.specification == SPECIFICATION
    assert (found.owner, found.steps, found.done) == ("somebody", 80, 40)
    assert (found.trained, found.pace) == (1.5, 40)
    record = again.record(found)
    assert record.made_with == {"torch": "2"}
    assert record.points == (point(0), point(10), point(20), point(0, "rms"))
    assert record.outcomes == {("layer", 4): {"e": [1]}}
    assert again.measured(job.id) == 5
    assert [again.checkpoint(job.id, group) for group in (0, 1, 2)] == [None, b"next", None]
    again.close()


def test_a_job_is_found_by_how_it_begins_if_there_is_one(store: Store) -> None:
    jobs = []
    for n in range(17):
        jobs.append(store.add(SPECIFICATION, 80, {}, owner=str(n % 2), worker="me"))
        store.leave(jobs[n].id, "me", State.DONE)
    found = store.job(jobs[3].id)
    assert found is not None
    assert found.id == jobs[3].id
    assert store.job("") is None
    assert store.job("%") is None
    assert any(store.job(digit) is None for digit in "0123456789abcdef")
    assert {job.id for job in store.jobs("1")} == {job.id for job in jobs[1::2]}
    assert len(store.jobs()) == 17


def test_a_state_changes_only_from_where_it_stands(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {})
    assert not store.move(job.id, State.DONE, among=(State.RUNNING,))
    assert store.move(job.id, State.PAUSED, among=(State.QUEUED, State.RUNNING))
    assert store.state(job.id) is State.PAUSED
    assert store.state("nobody") is None


def test_of_many_takers_one_gets_a_job(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {}, owner="visitor")
    with ThreadPoolExecutor(8) as pool:
        taken = [
            found for found in pool.map(lambda n: store.take(f"worker {n}"), range(16)) if found
        ]
    assert [found.id for found in taken] == [job.id]
    assert taken[0].state is State.RUNNING
    assert store.take("late", job.id) is None


def test_a_visitor_has_one_job_that_has_not_ended(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {}, owner="visitor")
    for state in (State.QUEUED, State.PAUSED, State.RUNNING):
        store.move(job.id, state, among=tuple(State))
        with pytest.raises(AtWork, match="one such request at a time"):
            store.add(SPECIFICATION, 80, {}, owner="visitor")
    store.add(SPECIFICATION, 80, {}, owner="another")
    for _ in range(2):
        store.add(SPECIFICATION, 80, {})  # the command line is nobody
    assert store.move(job.id, State.STOPPED, among=(State.RUNNING,))
    store.add(SPECIFICATION, 80, {}, owner="visitor")


def test_who_has_been_served_least_lately_comes_next(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    greedy = store.add(SPECIFICATION, 80, {}, owner="greedy")
    assert store.take("worker", greedy.id)
    for _ in range(2):
        store.keep(greedy.id, "worker", stretch())
    store.leave(greedy.id, "worker", State.QUEUED)
    later = [store.add(SPECIFICATION, 80, {}, owner=name) for name in ("one", "two")]
    store.add(SPECIFICATION, 80, {})  # nobody's: the command line begins with its own at once
    assert store.waiting() == [later[0].id, later[1].id, greedy.id]
    # How old a job is does not matter; how long ago it was worked on does.
    slots = storing._SLOTS
    monkeypatch.setattr(storing, "_SLOTS", -1)
    assert store.waiting() == [greedy.id, later[0].id, later[1].id]
    monkeypatch.setattr(storing, "_SLOTS", slots)
    taken = [store.take(f"worker {n}") for n in range(4)]
    assert [job and job.id for job in taken] == [later[0].id, later[1].id, greedy.id, None]
    assert store.working("worker") == 3
    assert store.working("nobody") == 0
    store.made(greedy.id, "worker 2", {"device": "this one"})
    (found,) = (job for job in store.jobs() if job.id == greedy.id)
    assert found.made_with == {"device": "this one"}


def test_a_job_outstays_its_turn_where_somebody_waits_who_has_had_less(store: Store) -> None:
    first, own = (store.add(SPECIFICATION, 80, {}, owner=o, worker="here:1") for o in ("a", ""))
    for job in (first, own):
        store.keep(job.id, "here:1", stretch())
    assert store.outstaying("here:", 0.2) is None  # nobody waits
    store.add(SPECIFICATION, 80, {}, owner="b")
    assert store.outstaying("here:", 0.2) == first.id
    assert store.outstaying("here:", 2.0) is None
    assert store.outstaying("there:", 0.2) is None
    store.leave(first.id, "here:1", State.QUEUED)
    assert store.take("here:2", first.id) is not None
    assert store.outstaying("here:", 0.2) is None  # its turn has just begun


def test_an_address_that_has_been_served_comes_after_another_whatever_its_names(
    store: Store,
) -> None:
    def ask(owner: str, address: str) -> str:
        return store.add(SPECIFICATION, 80, {}, owner=owner, address=address).id

    first = ask("a", "here")
    assert store.take("here:1", first)
    store.keep(first, "here:1", stretch())
    fresh, other = ask("b", "here"), ask("c", "there")
    assert store.waiting() == [other, fresh]
    assert store.outstaying("here:", 0.2) == first  # for the one that is there
    assert store.take("here:2", other)
    store.keep(other, "here:2", stretch())
    store.keep(other, "here:2", stretch(point(20)))
    assert store.waiting() == [fresh]
    assert store.outstaying("here:1", 0.2) == first  # for the one at the same address
    assert store.outstaying("here:2", 0.2) == other


def ask(store: Store, owner: str, address: str, steps: int = 80) -> str:
    """Asks for one of three places."""
    return store.add(SPECIFICATION, steps, {}, owner=owner, address=address, places=3).id


def test_of_too_many_that_wait_the_most_served_of_the_address_with_most_is_stopped(
    store: Store,
) -> None:
    served, away = ask(store, "a", "here", steps=1), ask(store, "d", "there", 5000)
    store.take("worker", served)
    store.keep(served, "worker", stretch(point(0)))
    store.leave(served, "worker", State.QUEUED)
    # However many ask for little, who has asked for much before keeps a place.
    long = ask(store, "b", "here", steps=9000)
    newcomer = ask(store, "c", "here", steps=1)
    found = store.job(served)
    assert found is not None
    assert (found.state, "More trainings waited" in found.detail) == (State.STOPPED, True)
    assert store.checkpoint(served, 0) is None
    with pytest.raises(NoPlace, match="3 trainings wait already"):
        ask(store, "e", "here", steps=1)
    assert set(store.waiting()) == {away, long, newcomer}
    other = ask(store, "f", "elsewhere")
    assert set(store.waiting()) == {away, long, other}  # of as much served, the newest goes
    assert len(store.jobs()) == 5  # who was refused has left nothing


def test_a_paused_job_keeps_its_place_and_as_many_as_needed_make_way(store: Store) -> None:
    first, second, third = (ask(store, owner, "here") for owner in "abc")
    for job in (first, second):
        store.move(job, State.PAUSED, among=(State.QUEUED,))
    with pytest.raises(NoPlace):
        ask(store, "d", "here")
    assert store.move(first, State.QUEUED, among=(State.PAUSED,))
    assert store.take("worker", third)
    fourth = ask(store, "e", "here")
    store.leave(third, "worker", State.QUEUED)  # now there are four
    away = ask(store, "f", "there")
    standing = [store.state(job) for job in (first, second, third, fourth, away)]
    stopped = State.STOPPED
    assert standing == [State.QUEUED, State.PAUSED, stopped, stopped, State.QUEUED]


@pytest.mark.parametrize("url", [pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_two_jobs_of_an_address_are_counted_at_the_same_moment(store: Store, url: str) -> None:
    jobs = [
        store.add(SPECIFICATION, 80, {}, owner=owner, address="here", worker=owner)
        for owner in "ab"
    ]
    other, under_way = Store(url), Event()
    event.listen(
        *(other._engine, "before_cursor_execute"),
        lambda _c, _cursor, statement, *_: (
            under_way.set() if statement.startswith("INSERT INTO served") else None
        ),
    )
    with ThreadPoolExecutor(1) as pool:
        with store.session() as session:
            storing.serve(session, session.get_one(JobRow, jobs[0].id), 2.0)
            session.flush()
            kept = pool.submit(other.keep, jobs[1].id, "b", stretch(point(0)))
            assert under_way.wait()
        assert kept.result()
    other.close()
    with store.session() as session:
        seconds = {row.owner: row.seconds for row in session.scalars(select(ServedRow))}
    assert seconds == {"a": 2.0, "b": 0.5, "at here": 2.5}


def test_a_job_that_nobody_could_work_on_does_not_wait_for_ever(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, own = (store.add(SPECIFICATION, 80, {}, owner=owner) for owner in ("a", ""))
    store.tidy(now())
    assert store.state(waits.id) is State.QUEUED
    monkeypatch.setattr(storing, "WAITS", timedelta())
    store.tidy(now())
    assert (store.state(waits.id), store.state(own.id)) == (State.STOPPED, State.QUEUED)


def test_a_worker_that_gives_no_sign_of_life_loses_its_jobs(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitors, own = (store.add(SPECIFICATION, 80, {}, owner=o, worker="w" + o) for o in ("v", ""))
    store.lost()
    assert store.beat(visitors.id, "wv")
    monkeypatch.setattr(storing, "LEASE", timedelta())
    store.lost()
    assert store.state(visitors.id) is State.QUEUED
    assert store.state(own.id) is State.PAUSED
    assert not store.beat(visitors.id, "wv")
    assert not store.keep(visitors.id, "wv", stretch(point(0)))
    assert store.points(visitors.id) == []
    store.made(visitors.id, "wv", {"device": "another"})
    store.leave(visitors.id, "wv", State.FAILED)
    assert store.state(visitors.id) is State.QUEUED


def test_a_job_whose_workers_die_again_and_again_has_failed(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {}, owner="visitor")
    for end in range(4):
        assert store.state(job.id) is State.QUEUED
        store.take("worker")
        if end == 1:  # it has got further
            store.keep(job.id, "worker", stretch(point(0)))
        store.lost("worker")
    found = store.job(job.id)
    assert found is not None
    assert found.state is State.FAILED
    assert "ended 3 times without getting any further" in found.detail
    assert found.pace == 0
    assert store.checkpoint(job.id, 0) is None
    assert store.take("worker", job.id) is None


def test_what_was_stopped_has_ended_and_needs_no_checkpoint(store: Store) -> None:
    visitors, own = (store.add(SPECIFICATION, 80, {}, owner=o, worker="me") for o in ("v", ""))
    for job in (visitors, own):
        store.keep(job.id, "me", stretch(point(0)))
        assert store.move(job.id, State.STOPPED, among=(State.RUNNING,))
        assert store.keep(job.id, "me", stretch(point(10)))  # its worker has not noticed yet
        store.leave(job.id, "me", State.QUEUED)
        assert store.state(job.id) is State.STOPPED
        assert [p.step for p in store.points(job.id)] == [0, 10]
    assert [store.checkpoint(job.id, 0) for job in (visitors, own)] == [None, b"state"]


def test_old_jobs_of_visitors_are_dropped_and_those_paused_long_are_stopped(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, own, running, paused = (
        store.add(SPECIFICATION, 80, {}, owner=owner, worker="me") for owner in ("a", "", "b", "c")
    )
    for job, state in ((old, State.DONE), (own, State.DONE), (paused, State.PAUSED)):
        store.keep(job.id, "me", stretch(point(0)))
        store.leave(job.id, "me", state)
    store.tidy(now() - timedelta(days=1))
    assert len(store.jobs()) == 4
    monkeypatch.setattr(storing, "HELD", timedelta())
    store.tidy(now())
    assert {job.id for job in store.jobs()} == {own.id, running.id, paused.id}
    assert store.points(old.id) == []
    assert (store.state(paused.id), store.checkpoint(paused.id, 0)) == (State.STOPPED, None)


def test_writers_wait_for_each_other(url: str) -> None:
    def write(number: int) -> None:
        own = Store(url)
        job = own.add(SPECIFICATION, 80, {}, owner=str(number), worker="me")
        for step in range(10):
            assert own.keep(job.id, "me", stretch(point(step), state=bytes(1000)))
        own.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    store = Store(url)
    jobs = store.jobs()
    assert len(jobs) == 6
    assert all(len(store.points(job.id)) == 10 for job in jobs)
    store.close()


def test_a_point_is_kept_once_and_all_or_nothing_is(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {}, worker="me")
    store.keep(job.id, "me", stretch(point(0), state=b"first"))
    with pytest.raises(StoreError), logged(r"(?i)unique"):
        store.keep(job.id, "me", stretch(point(10), point(0), state=b"second"))
    assert [m.step for m in store.points(job.id)] == [0]
    assert store.checkpoint(job.id, 0) == b"first"
    assert [found.done for found in store.jobs()] == [10]


def test_a_database_with_later_steps_is_left_as_it_is(store: Store, url: str) -> None:
    job = store.add(SPECIFICATION, 80, {})
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'later'")
    engine.dispose()
    with pytest.raises(StoreError, match="another version"), logged("move it away, or name"):
        Store(url)
    assert store.job(job.id) == job


def test_a_file_that_is_no_database_is_kept_beside(file: Path) -> None:
    file.write_text("no database, but somebody's only copy")
    with pytest.raises(StoreError) as found, logged("cannot be used"):
        Store(f"sqlite:///{file}")
    assert "only copy" in file.read_text()  # a server alone moves it
    with pytest.raises(StoreError, match="begins anew"), logged("kept as"):
        Store(f"sqlite:///{file}", whole=True)
    assert str(file.parent) not in str(found.value)
    (kept,) = file.parent.glob("*.broken-*")
    assert "only copy" in kept.read_text()
    with closing(Store(f"sqlite:///{file}")) as store:
        assert store.jobs() == []


def test_a_file_that_is_damaged_inside_is_kept_beside(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    for _ in range(200):
        store.add(SPECIFICATION, 80, {})
    store.close()
    whole = file.read_bytes()
    half = len(whole) // 2
    file.write_bytes(whole[:half] + b"\xa5" * 8192 + whole[half + 8192 :])
    with pytest.raises(StoreError, match="damaged"), logged("damaged"):
        Store(f"sqlite:///{file}", whole=True)
    assert len(list(file.parent.glob("*.broken-*"))) >= 1
    with closing(Store(f"sqlite:///{file}", whole=True)) as store:
        assert store.jobs() == []


def test_while_all_of_a_file_is_read_others_open_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = []

    def read(_: Any) -> None:
        # Each of the two would keep others waiting.
        free.append(not database.MIGRATING.locked())
        with FileLock(f"{file}.lock", blocking=False):
            free.append(True)

    monkeypatch.setattr(database, "_check", read)
    Store(f"sqlite:///{file}", whole=True).close()
    assert free == [True, True]
    Store(f"sqlite:///{file}").close()
    assert len(free) == 2  # a worker, which is one of many, does not read


def test_a_damaged_file_that_another_has_moved_away_by_now_costs_no_other(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, looks = Store(f"sqlite:///{file}"), []

    def read(_: Any) -> None:
        looks.append(database.MIGRATING.locked())
        if len(looks) == 1:
            raise DatabaseError("PRAGMA quick_check", None, RuntimeError("as it was before"))

    monkeypatch.setattr(database, "_check", read)
    job = store.add(SPECIFICATION, 80, {})
    with closing(Store(f"sqlite:///{file}", whole=True)) as other:
        assert other.jobs() == [job]
    store.close()
    assert looks == [False, True]
    assert list(file.parent.glob("*.broken-*")) == []


def test_a_full_disk_is_said_in_words_and_costs_nothing_kept(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    job = store.add(SPECIFICATION, 80, {}, worker="me")
    store.keep(job.id, "me", stretch(point(0), state=b"first"))
    # The file may not grow: to SQLite that is a full disk.
    with store._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        connection.commit()
    with pytest.raises(StoreError), logged("full"):
        store.keep(job.id, "me", stretch(point(10), state=bytes(1_000_000)))
    store.close()
    with closing(Store(f"sqlite:///{file}")) as store:
        assert store.checkpoint(job.id, 0) == b"first"


def test_the_steps_lead_to_the_tables(store: Store, url: str) -> None:
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
    store = Store(url)
    assert store.jobs() == []
    store.close()
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").all()
    engine.dispose()


def test_what_cannot_be_reached_is_said_without_where_it_is_and_logged_without_its_password() -> (
    None
):
    address = "postgresql+psycopg://somebody:secret@localhost:1/none"
    with logged(r"somebody:\*\*\*@localhost:1/") as log, pytest.raises(StoreError) as caught:
        Store(address)
    assert not any(word in str(caught.value) for word in ("somebody", "localhost", "1/none"))
    assert "secret" not in log.output[0]
    with pytest.raises(StoreError), logged("LNVIZ_DATABASE_URL"):
        Store("nonsense")
