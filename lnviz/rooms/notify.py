"""Change notifications between processes: PostgreSQL's NOTIFY, or polling of an SQLite file."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator

from sqlalchemy import func, make_url, select
from sqlalchemy.orm import Session

from lnviz.background import report_failure
from lnviz.database.connection import SQLITE

CHANNEL = "lnviz_rooms"
POLL_S = 0.1  # between two polls of an SQLite file; each takes some 20 us
CONNECT_S = 5  # timeout of a connection to PostgreSQL
CLOSE_S = 2.0  # for which `ChangeListener.close` waits for the thread
RETRY_S = 1.0  # after an error
LOG = logging.getLogger(__name__)


def notify(session: Session, room_ids: Iterable[str]) -> None:
    """Notify all processes that rooms have changed, once the transaction commits.

    With SQLite there is nothing to do: its listeners poll the file for changes.
    """
    if session.get_bind().dialect.name != SQLITE:
        for room_id in sorted(room_ids):
            session.execute(select(func.pg_notify(CHANNEL, room_id)))


class ChangeListener:
    """Thread that reports changes of rooms, made by any process, to a callback.

    Args:
        url: SQLAlchemy URL of the database.
        on_change: Called in the thread with the id of the changed room, or with "" if any room may
            have changed.
    """

    def __init__(self, url: str, on_change: Callable[[str], None]) -> None:
        self._url = make_url(url)
        self._on_change = on_change
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the listener thread, and wait for it for a limited time."""
        self._is_closing.set()
        self._thread.join(CLOSE_S)
        if self._thread.is_alive():
            LOG.warning(
                "The listener for room changes did not stop within %g s; shutdown continues.",
                CLOSE_S,
            )

    def _run(self) -> None:
        changes: Callable[[], Iterator[str]] = self._poll_sqlite
        interruption: type[Exception] = sqlite3.Error
        if self._url.get_backend_name() != SQLITE:
            import psycopg  # only those who use PostgreSQL have it

            changes, interruption = self._listen_postgresql, psycopg.Error
        while not self._is_closing.is_set():
            try:
                for room_id in changes():
                    self._on_change(room_id)
            except interruption:
                # Requests report the error to the clients that it concerns.
                LOG.debug("Room changes are not received; retrying.", exc_info=True)
            except Exception:
                report_failure("room_changes")
            else:
                continue
            self._is_closing.wait(RETRY_S)

    def _poll_sqlite(self) -> Iterator[str]:
        connection = sqlite3.connect(self._url.database or "")
        try:
            last = None
            while not self._is_closing.wait(POLL_S):
                (version,) = connection.execute("PRAGMA data_version").fetchone()
                if version != last:
                    last = version
                    yield ""
        finally:
            connection.close()

    def _listen_postgresql(self) -> Iterator[str]:
        import psycopg

        url = self._url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_S) as connection:
            connection.execute(f"LISTEN {CHANNEL}")
            yield ""  # changes before the connection were missed
            while not self._is_closing.is_set():
                for notification in connection.notifies(timeout=RETRY_S):
                    yield notification.payload
