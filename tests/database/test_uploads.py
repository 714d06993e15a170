"""What visitors bring: kept for a while, within bounds, and not at the cost of others."""

from dataclasses import replace
from datetime import timedelta

import pytest
import torch
from sqlalchemy import select

from lnviz.data.uploads import Table
from lnviz.database import uploads
from lnviz.database.connection import Database
from lnviz.database.rows import HolderRow, UploadRow
from lnviz.database.uploads import FILES, TABLES, NoRoom
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.jobs import State
from lnviz.training.store import Store

SPECIFICATION = EXPERIMENTS["digits"].default


@pytest.fixture
def full_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "ROOM_BYTES", 10)
    monkeypatch.setattr(uploads, "MOST_BYTES", 15)


def test_a_file_is_kept_by_its_content_one_for_each_visitor(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again = (uploads.put(store, FILES, b"images", owner, "here") for owner in "ab")
    assert first == again
    assert uploads.get(store, FILES, first) == b"images"
    second = uploads.put(store, FILES, b"others", "a", "here")
    assert uploads.get(store, FILES, first) == b"images"  # of b
    uploads.put(store, FILES, b"others", "b", "here")
    assert uploads.get(store, FILES, first) is None
    uploads.tidy(store)
    assert uploads.get(store, FILES, second) == b"others"
    monkeypatch.setattr(uploads, "KEPT", timedelta())
    uploads.tidy(store)
    assert uploads.get(store, FILES, second) is None


@pytest.mark.usefixtures("full_soon")
def test_a_class_fills_the_room_with_one_file_once_and_an_address_its_share_alone(
    store: Database,
) -> None:
    (name,) = {uploads.put(store, FILES, b"0123456", f"student {n}", "school") for n in range(20)}
    with pytest.raises(NoRoom, match="many files from your address as it may, each for 7 days"):
        uploads.put(store, FILES, b"others", "made up", "school")
    elsewhere = uploads.put(store, FILES, b"others", "a", "home")
    with pytest.raises(NoRoom, match="for its visitors as it may"):
        uploads.put(store, FILES, b"more", "b", "third")
    with pytest.raises(NoRoom, match="oldest are gone"):
        uploads.put(store, FILES, b"a much larger file", "a", "home")
    assert uploads.get(store, FILES, elsewhere) == b"others"  # who is refused has lost nothing
    uploads.put(store, FILES, b"replaced", "a", "home")  # what goes makes room for what comes
    uploads.put(store, FILES, b"of the command line", "")
    uploads.put(store, TABLES, b"1234567", "b", "third")
    assert uploads.get(store, FILES, name) == b"0123456"


def test_a_file_that_a_job_needs_stays_and_so_do_all_of_the_command_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "KEPT", timedelta())

    def put(content: bytes, owner: str) -> str:
        return uploads.put(store, FILES, content, owner, "here", store.needed())

    needed = put(b"needed", "a")
    job = store.add(replace(SPECIFICATION, file=needed), 80, {}, owner="a")
    own = [put(content, "") for content in (b"one", b"two", b"one")]
    put(b"next", "a")
    assert uploads.get(store, FILES, needed) == b"needed"
    assert [uploads.get(store, FILES, name) for name in own] == [b"one", b"two", b"one"]
    store.move(job.id, State.STOPPED, among=(State.QUEUED,))
    put(b"last", "a")
    assert uploads.get(store, FILES, needed) is None


def test_a_table_is_found_again_by_any_process_under_a_name_that_is_kept_nowhere(
    store: Database, url: str
) -> None:
    table = Table(torch.tensor([[1.0, -2.5, 3e-9], [4.0, 5.0, 6.0]]), ("a", "b"), ("x", "y", "z"))
    names = [uploads.put(store, TABLES, table.to_bytes(), "a", "here") for _ in range(2)]
    assert len(set(names)) == 2
    other = Database(url)
    for name in names:
        content = uploads.get(other, TABLES, name)
        assert content is not None
        again = Table.from_bytes(content)
        assert torch.equal(again.values, table.values)
        assert (again.rows, again.columns) == (table.rows, table.columns)
    with other.session() as session:
        assert not set(session.scalars(select(UploadRow.key))) & set(names)
    other.close()
    assert uploads.get(store, FILES, "unknown") is None


def test_of_a_visitor_the_latest_tables_are_kept_and_of_others_all(store: Database) -> None:
    few = replace(TABLES, most=2, most_bytes=10)
    others = uploads.put(store, few, b"others", "b", "here")
    file = uploads.put(store, FILES, b"of another kind", "a", "here")
    own = [uploads.put(store, few, content, "a", "here") for content in (b"1", b"2", b"3")]
    assert [uploads.get(store, TABLES, name) for name in own] == [None, b"2", b"3"]
    large = uploads.put(store, few, b"too large", "a", "here")
    assert [uploads.get(store, TABLES, name) for name in (*own, large)] == [
        None,
        None,
        b"3",
        b"too large",
    ]
    last = uploads.put(store, few, b"ten bytes!", "a", "here")
    assert [uploads.get(store, TABLES, name) for name in (own[2], large, last)] == [None] * 2 + [
        b"ten bytes!"
    ]
    assert uploads.get(store, TABLES, others) == b"others"
    assert uploads.get(store, FILES, file) == b"of another kind"


@pytest.mark.usefixtures("full_soon")
def test_an_address_fills_its_share_alone_and_what_is_there_stays(store: Database) -> None:
    before = [uploads.put(store, TABLES, b"12345", owner, "here") for owner in "ab"]
    with pytest.raises(NoRoom, match="many tables from your address"):
        uploads.put(store, TABLES, b"1", "made up", "here")
    before.append(uploads.put(store, TABLES, b"12345", "c", "there"))
    with pytest.raises(NoRoom, match="for its visitors"):
        uploads.put(store, TABLES, b"1", "d", "elsewhere")
    assert all(uploads.get(store, TABLES, name) for name in before)


def test_what_has_been_kept_for_long_enough_leaves_no_row(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = uploads.put(store, TABLES, b"table", "a", "here")
    monkeypatch.setattr(uploads, "KEPT", timedelta())
    uploads.tidy(store)
    assert uploads.get(store, TABLES, name) is None
    with store.session() as session:
        assert [*session.scalars(select(UploadRow)), *session.scalars(select(HolderRow))] == []


def test_an_upload_is_read_as_what_it_was_brought_as_alone(store: Database) -> None:
    file = uploads.put(store, FILES, b"large, once unpacked", "a", "here")
    table = uploads.put(store, TABLES, b"table", "a", "here")
    assert uploads.get(store, TABLES, file) is None
    assert uploads.get(store, FILES, table) is None


def test_a_table_that_comes_takes_no_file_from_a_job(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "KEPT", timedelta())
    file = uploads.put(store, FILES, b"images", "a", "here")
    store.add(replace(SPECIFICATION, file=file), 80, {}, owner="a")
    uploads.put(store, TABLES, b"table", "b", "here")
    assert uploads.get(store, FILES, file) == b"images"
