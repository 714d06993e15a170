"""What visitors bring: kept for a while, within bounds, and not at the cost of others."""

from dataclasses import replace
from datetime import timedelta

import pytest
import torch
from sqlalchemy import select

from lnviz.data.uploads import Table
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training import files, room, uploads
from lnviz.training.jobs import State
from lnviz.training.store import Store
from lnviz.training.tables import UploadRow

SPECIFICATION = EXPERIMENTS["digits"].default
SMALL = Table(torch.tensor([[1.0, -2.5, 3e-9], [4.0, 5.0, 6.0]]), ("a", "b"), ("x", "y", "z"))


def test_a_file_is_kept_by_its_content_one_for_each_visitor(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again = (files.put(store, b"images", owner, "here") for owner in ("a", "b"))
    assert first == again
    assert files.get(store, first) == b"images"
    second = files.put(store, b"others", "a", "here")
    assert files.get(store, first) == b"images"  # of b
    files.put(store, b"others", "b", "here")
    assert files.get(store, first) is None
    monkeypatch.setattr(room, "KEPT", timedelta())
    files.tidy(store)
    assert files.get(store, second) is None


def test_a_class_fills_the_room_with_one_file_once_and_an_address_its_share_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "ROOM_BYTES", 10)
    monkeypatch.setattr(room, "MOST_BYTES", 15)
    (name,) = {files.put(store, b"0123456", f"student {n}", "school") for n in range(200)}
    with pytest.raises(room.NoRoom, match="from your address as it may, each for 7 days"):
        files.put(store, b"others", "made up", "school")
    elsewhere = files.put(store, b"others", "a", "home")
    with pytest.raises(room.NoRoom, match="for its visitors as it may"):
        files.put(store, b"more", "b", "third")
    with pytest.raises(room.NoRoom, match="oldest are gone"):
        files.put(store, b"a much larger file", "a", "home")
    assert files.get(store, elsewhere) == b"others"  # a visitor who is refused has lost nothing
    files.put(store, b"replaced", "a", "home")  # what goes makes room for what comes
    files.put(store, b"of the command line", "")
    assert files.get(store, name) == b"0123456"


def test_a_file_that_a_job_needs_stays_and_so_do_all_of_the_command_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "KEPT", timedelta())
    needed = files.put(store, b"needed", "a", "here")
    job = store.add(replace(SPECIFICATION, file=needed), 80, {}, owner="a")
    own = [files.put(store, content, "") for content in (b"one", b"two", b"one")]
    files.put(store, b"next", "a", "here")
    assert files.get(store, needed) == b"needed"
    assert [files.get(store, name) for name in own] == [b"one", b"two", b"one"]
    store.move(job.id, State.STOPPED, among=(State.QUEUED,))
    files.put(store, b"last", "a", "here")
    assert files.get(store, needed) is None


def test_a_table_is_found_again_by_any_process_under_a_name_that_is_kept_nowhere(
    store: Store, url: str
) -> None:
    names = [uploads.put(store, SMALL, "a", "here") for _ in range(2)]
    assert len(set(names)) == 2
    other = Store(url)
    for name in names:
        found = uploads.get(other, name)
        assert found is not None
        assert torch.equal(found.values, SMALL.values)
        assert (found.rows, found.columns) == (SMALL.rows, SMALL.columns)
    with other.session() as session:
        rows = session.scalars(select(UploadRow)).all()
        assert not {row.hash for row in rows} & set(names)
    other.close()
    assert uploads.get(store, "unknown") is None


def test_of_a_visitor_the_latest_tables_are_kept_and_of_others_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "OWN_TABLES", 2)
    others = uploads.put(store, SMALL, "b", "here")
    own = [uploads.put(store, SMALL, "a", "here") for _ in range(3)]
    assert [uploads.get(store, name) is not None for name in own] == [False, True, True]
    monkeypatch.setattr(uploads, "OWN_BYTES", 300)
    large = uploads.put(store, Table(torch.zeros(8, 8)), "a", "here")
    assert [uploads.get(store, name) is not None for name in (*own, large)] == [False] * 3 + [True]
    assert uploads.get(store, others) is not None


def test_an_address_fills_its_share_alone_and_what_is_there_stays(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "ROOM_BYTES", 250)
    monkeypatch.setattr(room, "MOST_BYTES", 450)
    table = Table(torch.zeros(4, 6))
    before = [uploads.put(store, table, owner, "here") for owner in "ab"]
    with pytest.raises(room.NoRoom, match="from your address"):
        uploads.put(store, table, "made up", "here")
    before.append(uploads.put(store, table, "c", "there"))
    with pytest.raises(room.NoRoom, match="for its visitors"):
        uploads.put(store, table, "d", "elsewhere")
    assert all(uploads.get(store, name) for name in before)


def test_a_table_is_kept_for_a_while(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    name = uploads.put(store, SMALL, "a", "here")
    uploads.tidy(store)
    assert uploads.get(store, name) is not None
    monkeypatch.setattr(room, "KEPT", timedelta())
    assert uploads.get(store, name) is None
    uploads.tidy(store)
    with store.session() as session:
        assert session.scalars(select(UploadRow)).all() == []
