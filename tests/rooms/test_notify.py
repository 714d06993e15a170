"""Changes of rooms: what one process writes, another hears."""

import socket
import threading
from queue import Queue
from unittest import TestCase

import pytest
from sqlalchemy import select

from lnviz.background import failures
from lnviz.database.models import RoomRow
from lnviz.rooms import lifecycle, notify, participation
from lnviz.rooms.notify import ChangeListener
from lnviz.rooms.store import RoomStore


def test_a_write_of_another_process_is_heard(store: RoomStore, url: str) -> None:
    opened = store.execute(lambda tx: lifecycle.open_room(tx, "axes", 1))
    heard: Queue[str] = Queue()
    watch = ChangeListener(url, heard.put)
    assert heard.get() == ""  # whatever was before
    store.execute(lambda tx: participation.join(tx, opened["code"], "ann"))
    room = store.read(lambda session: session.scalars(select(RoomRow.id)).one())
    assert heard.get() == ("" if store.database.is_sqlite else room)
    watch.close()


def test_a_listener_for_changes_survives_an_unexpected_error(
    url: str, store: RoomStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "RETRY_S", 0.01)
    heard: Queue[str] = Queue()
    errors, before = [KeyError("room")], failures().get("room_changes", 0)

    def tell(room: str) -> None:
        if errors:
            raise errors.pop()
        heard.put(room)

    watch = ChangeListener(url, tell)
    assert heard.get(timeout=30.0) == ""
    assert failures()["room_changes"] == before + 1
    watch.close()


def test_closing_does_not_wait_for_a_listener_that_is_stuck(
    url: str, store: RoomStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notify, "CLOSE_S", 0.05)
    is_stuck, may_go_on = threading.Event(), threading.Event()
    fallback = threading.Timer(30.0, may_go_on.set)

    def tell(room: str) -> None:
        is_stuck.set()
        may_go_on.wait()

    watch = ChangeListener(url, tell)
    is_stuck.wait()
    fallback.start()
    with TestCase().assertLogs(notify.LOG, "WARNING"):
        watch.close()
    assert not may_go_on.is_set()
    fallback.cancel()
    may_go_on.set()


def test_a_database_server_that_does_not_answer_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(notify, "CONNECT_S", 2)  # the least that libpq takes
    monkeypatch.setattr(notify, "RETRY_S", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(30.0)
        watch = ChangeListener(f"postgresql://127.0.0.1:{silent.getsockname()[1]}/rooms", print)
        tries = [silent.accept()[0] for _ in range(2)]  # it tries again, so it has given one up
        for connection in tries:
            connection.close()
        watch.close()
