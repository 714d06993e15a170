"""Connections to the database: whose errors are translated, who may read its files."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text

from lnviz.database import connection
from lnviz.database.connection import Database
from lnviz.database.errors import StoreError


@pytest.fixture
def url(file: Path) -> str:
    return f"sqlite:///{file}"


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger(connection.__name__), "handle", lambda _: None)


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


@pytest.mark.parametrize("error", [FileNotFoundError("/no/such/file"), ImportError("no module")])
def test_an_error_of_the_callers_own_block_stays_what_it_is(
    error: Exception, database: Database
) -> None:
    with pytest.raises(type(error), match="no"), database.session():
        raise error


def test_an_error_of_a_statement_is_translated(database: Database) -> None:
    with pytest.raises(StoreError), database.session() as session:
        session.execute(text("SELECT 1 FROM nowhere"))


def test_an_error_of_the_system_while_connecting_is_translated(database: Database) -> None:
    def fail(*_: object) -> None:
        raise OSError(24, "Too many open files")

    database._engine.dispose()
    event.listen(database._engine, "do_connect", fail)
    with pytest.raises(StoreError), database.session():
        pytest.fail("the block runs without a connection")


@pytest.mark.parametrize(("query", "seconds"), [("", 10), ("?connect_timeout=3", 3)])
def test_connecting_to_postgresql_has_a_time_limit(query: str, seconds: int) -> None:
    limits = []

    def connect(
        _dialect: object, _record: object, _args: object, options: dict[str, object]
    ) -> None:
        limits.append(int(options["connect_timeout"]))
        raise OSError("as far as this goes")

    event.listen(Engine, "do_connect", connect)
    try:
        with pytest.raises(StoreError):
            Database(f"postgresql+psycopg://localhost:1/none{query}")
    finally:
        event.remove(Engine, "do_connect", connect)
    assert limits == [seconds]


@pytest.mark.usefixtures("usual_umask")
def test_the_files_of_a_database_can_be_read_by_their_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "trainings.sqlite"
    database = Database(f"sqlite:///{file}")
    with database.session() as session:
        session.execute(text("SELECT count(*) FROM signing_key"))
        modes = {each.name: mode(each) for each in file.parent.iterdir()}
    database.close()
    assert {"trainings.sqlite", "trainings.sqlite-wal", "trainings.sqlite-shm"} <= set(modes)
    assert set(modes.values()) == {0o600}
    assert mode(file.parent) == 0o700


@pytest.mark.usefixtures("usual_umask")
def test_a_damaged_file_that_is_set_aside_can_be_read_by_its_owner_alone(file: Path) -> None:
    file.write_text("no database, but perhaps secrets")
    assert mode(file) == 0o644
    with pytest.raises(StoreError):
        Database(f"sqlite:///{file}", integrity_check=True)
    (aside,) = file.parent.glob("*.broken-*")
    assert mode(aside) == 0o600
