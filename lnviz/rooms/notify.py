"""How a process hears what another has written: PostgreSQL says it, SQLite's file is asked."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator

import psycopg
from sqlalchemy import func, make_url, select
from sqlalchemy.orm import Session

from lnviz.background import report_failure
from lnviz.database.connection import SQLITE

CHANNEL = "lnviz_rooms"
POLL_S = 0.1  # between two looks at a file; each takes some 20 us
CONNECT_S = 5  # after which a database server that does not answer is given up
CLOSE_S = 2.0  # that the end of the server waits for the thread
RETRY_S = 1.0  # after which a database that is gone is tried again
LOG = logging.getLogger(__name__)


def notify(session: Session, rooms: Iterable[str]) -> None:
    """Say that these rooms have changed, once this transaction is kept.

    Whoever looks at a file sees that by itself.
    """
    if session.get_bind().dialect.name != SQLITE:
        for room in sorted(rooms):
            session.execute(select(func.pg_notify(CHANNEL, room)))


class ChangeListener:
    """A thread that says when a room has changed, whoever has changed it.

    Args:
        url: the database's address, as SQLAlchemy has it.
        tell: called in that thread with the room, or with nothing where any may have.
    """

    def __init__(self, url: str, tell: Callable[[str], None]) -> None:
        self._url = make_url(url)
        self._on_change = tell
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End."""
        self._is_closing.set()
        self._thread.join(CLOSE_S)
        if self._thread.is_alive():
            LOG.warning("the listener for room changes has not ended within %g s", CLOSE_S)

    def _run(self) -> None:
        look = (
            self._poll_sqlite if self._url.get_backend_name() == SQLITE else self._listen_postgresql
        )
        while not self._is_closing.is_set():
            try:
                for room in look():
                    self._on_change(room)
            except (sqlite3.Error, psycopg.Error):
                # Whoever reads or writes then says so to whom it matters.
                LOG.debug("rooms are not watched now", exc_info=True)
            except Exception:
                report_failure("room_changes")
            else:
                continue
            self._is_closing.wait(RETRY_S)

    def _poll_sqlite(self) -> Iterator[str]:
        connection = sqlite3.connect(self._url.database or "")
        try:
            version = None
            while not self._is_closing.wait(POLL_S):
                (found,) = connection.execute("PRAGMA data_version").fetchone()
                if found != version:
                    version = found
                    yield ""
        finally:
            connection.close()

    def _listen_postgresql(self) -> Iterator[str]:
        address = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(address, autocommit=True, connect_timeout=CONNECT_S) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            yield ""  # what was said before, nobody has heard
            while not self._is_closing.is_set():
                for said in connection.notifies(timeout=RETRY_S):
                    yield said.payload
