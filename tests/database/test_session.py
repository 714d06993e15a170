"""The app's database: opened once in a process, and not at all where no figure needs it."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Connection

from lnviz.database import connection, session
from lnviz.database.connection import Database
from lnviz.database.session import get_database


@pytest.fixture(autouse=True)
def unopened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(connection.URL_VARIABLE, f"sqlite:///{tmp_path / 'trainings.sqlite'}")
    session._database.cache_clear()
    yield
    session._database.cache_clear()


def test_a_server_reads_all_of_its_file_once_however_many_threads_ask(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reads = []

    def read(opened: Connection) -> None:
        reads.append(opened)
        # The others come while it reads; that they wait is what the test is about.
        assert session.OPENING.locked()

    monkeypatch.setattr(connection, "_check_integrity", read)
    with ThreadPoolExecutor(8) as pool:
        (database,) = set(pool.map(lambda _: get_database(), range(8)))
    database.close()
    assert len(reads) == 1


def test_a_database_that_could_not_be_opened_is_opened_at_the_next_call(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*_: object, **__: object) -> Database:
        raise connection.StoreError("away")

    with monkeypatch.context() as patch:
        patch.setattr(session, "Database", away)
        with pytest.raises(connection.StoreError):
            get_database()
    get_database().close()


FIGURE = """
import sys
import lnviz
lnviz.figure("axes", "grid")
loaded = {name.partition(".")[0] for name in sys.modules}
print(*sorted(loaded & {"sqlalchemy", "alembic", "filelock", "psycopg"}))
"""


def test_a_figure_without_a_visitors_data_loads_no_database() -> None:
    run = subprocess.run([sys.executable, "-c", FIGURE], check=True, capture_output=True, text=True)
    assert run.stdout.split() == []
