"""Damaged files are set aside by servers; an unavailable database is reported and logged."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from sqlalchemy.exc import DatabaseError

from lnviz.database import connection
from lnviz.database.connection import Database
from lnviz.database.errors import StoreError
from lnviz.training.job_repository import JobRepository
from tests.databases import logged
from tests.training.samples import SPECIFICATION


def test_a_file_that_is_no_database_is_kept_beside(file: Path) -> None:
    file.write_text("no database, but somebody's only copy")
    with pytest.raises(StoreError) as found, logged("cannot be used"):
        Database(f"sqlite:///{file}")
    assert "only copy" in file.read_text()  # a server alone moves it
    with pytest.raises(StoreError, match="starts with an empty store"), logged("kept as"):
        Database(f"sqlite:///{file}", integrity_check=True)
    assert str(file.parent) not in str(found.value)
    (kept,) = file.parent.glob("*.broken-*")
    assert "only copy" in kept.read_text()
    with closing(Database(f"sqlite:///{file}")) as opened:
        assert JobRepository(opened).list_jobs() == []


def test_a_file_that_is_damaged_inside_is_kept_beside(file: Path) -> None:
    database = Database(f"sqlite:///{file}")
    for _ in range(200):
        JobRepository(database).add(SPECIFICATION, 80, {})
    database.close()
    whole = file.read_bytes()
    half = len(whole) // 2
    file.write_bytes(whole[:half] + b"\xa5" * 8192 + whole[half + 8192 :])
    with pytest.raises(StoreError, match="damaged"), logged("damaged"):
        Database(f"sqlite:///{file}", integrity_check=True)
    assert len(list(file.parent.glob("*.broken-*"))) >= 1
    with closing(Database(f"sqlite:///{file}", integrity_check=True)) as opened:
        assert JobRepository(opened).list_jobs() == []


def test_while_all_of_a_file_is_read_others_open_it(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = []

    def read(_: Any) -> None:
        # Each of the two would keep others waiting.
        free.append(not connection.MIGRATION_LOCK.locked())
        with FileLock(f"{file}.lock", blocking=False):
            free.append(True)

    monkeypatch.setattr(connection, "_check_integrity", read)
    Database(f"sqlite:///{file}", integrity_check=True).close()
    assert free == [True, True]
    Database(f"sqlite:///{file}").close()
    assert len(free) == 2  # a worker, which is one of many, does not read


def test_a_damaged_file_that_another_has_moved_away_by_now_costs_no_other(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, looks = Database(f"sqlite:///{file}"), []

    def read(_: Any) -> None:
        looks.append(connection.MIGRATION_LOCK.locked())
        if len(looks) == 1:
            raise DatabaseError("PRAGMA quick_check", None, RuntimeError("as it was before"))

    monkeypatch.setattr(connection, "_check_integrity", read)
    job = JobRepository(database).add(SPECIFICATION, 80, {})
    with closing(Database(f"sqlite:///{file}", integrity_check=True)) as opened:
        assert JobRepository(opened).list_jobs() == [job]
    database.close()
    assert looks == [False, True]
    assert list(file.parent.glob("*.broken-*")) == []


def test_what_cannot_be_reached_is_said_without_where_it_is_and_logged_without_its_password() -> (
    None
):
    address = "postgresql+psycopg://somebody:secret@localhost:1/none"
    with logged(r"somebody:\*\*\*@localhost:1/") as log, pytest.raises(StoreError) as caught:
        Database(address)
    assert not any(word in str(caught.value) for word in ("somebody", "localhost", "1/none"))
    assert "secret" not in log.output[0]
    with pytest.raises(StoreError), logged("LNVIZ_DATABASE_URL"):
        Database("nonsense")
