"""Where rooms are kept: in PostgreSQL, or in a file of their own."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import make_url
from sqlalchemy.orm import Session

from lnviz.database.connection import SQLITE, Database, database_url
from lnviz.errors import RequestError
from lnviz.rooms.notify import notify
from lnviz.rooms.transactions import Operation, Transaction

LOCK_TIMEOUT_S = 5.0
"""Seconds that a write waits for another process's: phones give up after eight."""

T = TypeVar("T")


def rooms_database_url() -> str:
    """Return the database's address: PostgreSQL where that is used, else a file of its own.

    Trainings hold the lock of theirs for long, whoever waits.
    """
    url = make_url(database_url())
    if url.get_backend_name() != SQLITE or not url.database:
        return database_url()
    file = Path(url.database)
    own = url.set(database=str(file.with_name(f"{file.stem}-rooms{file.suffix}")))
    return own.render_as_string(hide_password=False)


class RoomStore:
    """Rooms in a database.

    Args:
        url: its address, as SQLAlchemy has it.
        clock: seconds since 1970.

    Raises:
        StoreError: it cannot be used; as everything here, where it cannot be any more.
    """

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.database = Database(
            url,
            integrity_check=True,
            timeout_s=LOCK_TIMEOUT_S,
            secure_delete=True,
            lock_timeout=True,
        )

    def execute_batch(
        self, operations: Sequence[Operation[Any]], shared: bool = False
    ) -> list[Any]:
        """Do several things in one transaction; return what each gives, or why it was refused.

        What is refused has changed nothing.

        Args:
            operations: what is done.
            shared: whether all of it may be done while others do the same; see `Transaction`.
        """
        with self.database.immediate_transaction() as session:
            transaction = Transaction(session, self.clock(), shared)
            given = [transaction.try_run(work) for work in operations]
            transaction.votes.flush()
            notify(session, transaction.changed_rooms)
        if transaction.has_deleted:
            self.database.truncate_wal()
        return given

    def execute(self, operation: Operation[T]) -> T:
        """Do one thing.

        Raises:
            RequestError: it cannot be done.
        """
        (given,) = self.execute_batch([operation])
        if isinstance(given, RequestError):
            raise given
        done: T = given
        return done

    def read(self, read: Callable[[Session], T]) -> T:
        """Return what is read in one transaction."""
        with self.database.session() as session:
            return read(session)

    def close(self) -> None:
        """Let go of all connections."""
        self.database.close()
