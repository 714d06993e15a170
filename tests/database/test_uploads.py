"""What visitors bring: kept for a while, within bounds, and not at the cost of others."""

import secrets
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import torch
from sqlalchemy import event, select

from lnviz.data.uploads import DataTable
from lnviz.database import uploads
from lnviz.database.connection import Database
from lnviz.database.models import UploadOwnerRow, UploadRow
from lnviz.database.uploads import FILES, TABLES, QuotaExceeded
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.job import JobState
from lnviz.training.job_repository import JobRepository

SPECIFICATION = EXPERIMENTS["digits"].default


@pytest.fixture
def full_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_BYTES", 10_000)


def test_a_file_is_kept_by_its_content_one_for_each_visitor(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again = (uploads.put_upload(database, FILES, b"images", owner, "here") for owner in "ab")
    assert first == again
    assert uploads.get_upload(database, FILES, first) == b"images"
    second = uploads.put_upload(database, FILES, b"others", "a", "here")
    assert uploads.get_upload(database, FILES, first) == b"images"  # of b
    uploads.put_upload(database, FILES, b"others", "b", "here")
    assert uploads.get_upload(database, FILES, first) is None
    uploads.purge_expired(database)
    assert uploads.get_upload(database, FILES, second) == b"others"
    monkeypatch.setattr(uploads, "UPLOAD_RETENTION", timedelta())
    uploads.purge_expired(database)
    assert uploads.get_upload(database, FILES, second) is None


@pytest.mark.usefixtures("full_soon")
def test_who_holds_most_makes_room_and_no_classmate(database: Database) -> None:
    def put(owner: str, address: str, size: int = 1400) -> str:
        return uploads.put_upload(database, TABLES, secrets.token_bytes(size), owner, address)

    def there(*names: str) -> list[bool]:
        return [uploads.get_upload(database, TABLES, name) is not None for name in names]

    mates = [put(f"mate {n}", "class", 300) for n in range(3)]
    many = [put("many", "class") for _ in range(4)]
    away = [put("away", "home") for _ in range(2)]
    mates.append(put("mate", "class", 600))
    assert there(*mates, *away) == [True] * 6
    assert there(*many) == [False, True, True, True]
    # Now the other address comes to have most.
    more = [put("away", "home") for _ in range(3)]
    assert there(*mates, *more, many[-1]) == [True] * 8
    assert there(*many[:-1], *away) == [False] * 5


@pytest.mark.usefixtures("full_soon")
def test_what_a_whole_class_has_counts_once_and_what_is_needed_stays(database: Database) -> None:
    content = secrets.token_bytes(6000)
    (name,) = {
        uploads.put_upload(database, FILES, content, f"student {n}", "class") for n in range(20)
    }
    other = uploads.put_upload(database, FILES, secrets.token_bytes(3000), "a", "home")
    assert uploads.get_upload(database, FILES, name) == content
    with pytest.raises(QuotaExceeded, match=r"space for files is full\. They are kept for 7 days"):
        uploads.put_upload(database, FILES, secrets.token_bytes(8000), "b", "third", [name])
    assert (
        uploads.get_upload(database, FILES, other) is not None
    )  # who is refused has lost nobody anything
    uploads.put_upload(database, FILES, secrets.token_bytes(20_000), "")  # the command line's


def test_a_table_takes_the_room_of_what_it_says(database: Database) -> None:
    zeros = DataTable(torch.zeros(1000, 1000)).to_bytes()
    uploads.put_upload(database, TABLES, zeros, "a", "here")
    with database.session() as session:
        (size,) = session.scalars(select(UploadRow.size))
    assert size < len(zeros) / 100


def test_nothing_that_is_kept_is_looked_through_for_one_more(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(f"sqlite:///{file}")  # which says how it looks
    asked: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(database._engine, "before_cursor_execute", note)
    uploads.put_upload(database, TABLES, b"table", "a", "here")
    monkeypatch.setattr(uploads, "UPLOAD_RETENTION", timedelta())
    uploads.purge_expired(database)
    event.remove(database._engine, "before_cursor_execute", note)
    with database._engine.connect() as connection:
        plans = [
            line[3]
            for statement, parameters in asked
            for line in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        ]
    database.close()
    assert any(plan.startswith("SEARCH upload_owner USING") for plan in plans)
    tables = ("upload_owner", "upload", "blob")
    assert [plan for plan in plans if plan.startswith(tuple(f"SCAN {t}" for t in tables))] == []


def test_a_file_that_a_job_needs_stays_and_so_do_all_of_the_command_line(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "UPLOAD_RETENTION", timedelta())

    def put(content: bytes, owner: str) -> str:
        return uploads.put_upload(
            database, FILES, content, owner, "here", JobRepository(database).referenced_files()
        )

    needed = put(b"needed", "a")
    job = JobRepository(database).add(replace(SPECIFICATION, file=needed), 80, {}, owner="a")
    own = [put(content, "") for content in (b"one", b"two", b"one")]
    put(b"next", "a")
    assert uploads.get_upload(database, FILES, needed) == b"needed"
    assert [uploads.get_upload(database, FILES, name) for name in own] == [b"one", b"two", b"one"]
    JobRepository(database).transition(job.id, JobState.STOPPED, among=(JobState.QUEUED,))
    put(b"last", "a")
    assert uploads.get_upload(database, FILES, needed) is None


def test_a_table_is_found_again_by_any_process_under_a_name_that_is_kept_nowhere(
    database: Database, url: str
) -> None:
    table = DataTable(
        torch.tensor([[1.0, -2.5, 3e-9], [4.0, 5.0, 6.0]]), ("a", "b"), ("x", "y", "z")
    )
    names = [uploads.put_upload(database, TABLES, table.to_bytes(), "a", "here") for _ in range(2)]
    assert len(set(names)) == 2
    other = Database(url)
    for name in names:
        content = uploads.get_upload(other, TABLES, name)
        assert content is not None
        again = DataTable.from_bytes(content)
        assert torch.equal(again.values, table.values)
        assert (again.rows, again.columns) == (table.rows, table.columns)
    with other.session() as session:
        assert not set(session.scalars(select(UploadRow.key))) & set(names)
    other.close()
    assert uploads.get_upload(database, FILES, "unknown") is None


def test_of_a_visitor_the_latest_tables_are_kept_and_of_others_all(database: Database) -> None:
    few = replace(TABLES, max_count=2, max_bytes=30)
    others = uploads.put_upload(database, few, b"others", "b", "here")
    file = uploads.put_upload(database, FILES, b"of another kind", "a", "here")
    own = [
        uploads.put_upload(database, few, content, "a", "here") for content in (b"1", b"2", b"3")
    ]
    assert [uploads.get_upload(database, TABLES, name) for name in own] == [None, b"2", b"3"]
    large = uploads.put_upload(database, few, b"too large", "a", "here")
    assert [uploads.get_upload(database, TABLES, name) for name in (*own, large)] == [
        None,
        None,
        b"3",
        b"too large",
    ]
    last = uploads.put_upload(database, few, b"ten bytes!", "a", "here")
    assert [uploads.get_upload(database, TABLES, name) for name in (own[2], large, last)] == [
        None
    ] * 2 + [b"ten bytes!"]
    assert uploads.get_upload(database, TABLES, others) == b"others"
    assert uploads.get_upload(database, FILES, file) == b"of another kind"


def test_what_has_been_kept_for_long_enough_leaves_no_row(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = uploads.put_upload(database, TABLES, b"table", "a", "here")
    monkeypatch.setattr(uploads, "UPLOAD_RETENTION", timedelta())
    uploads.purge_expired(database)
    assert uploads.get_upload(database, TABLES, name) is None
    with database.session() as session:
        assert [*session.scalars(select(UploadRow)), *session.scalars(select(UploadOwnerRow))] == []


def test_an_upload_is_read_as_what_it_was_brought_as_alone(database: Database) -> None:
    file = uploads.put_upload(database, FILES, b"large, once unpacked", "a", "here")
    table = uploads.put_upload(database, TABLES, b"table", "a", "here")
    assert uploads.get_upload(database, TABLES, file) is None
    assert uploads.get_upload(database, FILES, table) is None


def test_a_table_that_comes_takes_no_file_from_a_job(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "UPLOAD_RETENTION", timedelta())
    file = uploads.put_upload(database, FILES, b"images", "a", "here")
    JobRepository(database).add(replace(SPECIFICATION, file=file), 80, {}, owner="a")
    uploads.put_upload(database, TABLES, b"table", "b", "here")
    assert uploads.get_upload(database, FILES, file) == b"images"
