"""Database of rooms: the app's PostgreSQL, or a separate SQLite file."""

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
"""Seconds that a write waits for another process's; phones give up after eight."""

T = TypeVar("T")


def rooms_database_url() -> str:
    """Return the URL of the rooms' database: the app's PostgreSQL, or a separate SQLite file.

    The file is separate because training jobs lock their own file for a long time.
    """
    url = make_url(database_url())
    if url.get_backend_name() != SQLITE or not url.database:
        return database_url()
    file = Path(url.database)
    rooms = url.set(database=str(file.with_name(f"{file.stem}-rooms{file.suffix}")))
    return rooms.render_as_string(hide_password=False)


class RoomStore:
    """Database of rooms; every method raises `StoreError` if the database cannot be used.

    Args:
        url: SQLAlchemy URL of the database.
        clock: Returns seconds since 1970.
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
        """Run operations in one transaction; return the result or the `RequestError` of each.

        An operation that raises `RequestError` must have changed nothing.

        Args:
            operations: Operations, in order of execution.
            shared: Whether to run concurrently with other shared batches; see `Transaction`.
        """
        with self.database.immediate_transaction() as session:
            transaction = Transaction(session, self.clock(), shared)
            results = [transaction.try_run(operation) for operation in operations]
            transaction.votes.flush()
            notify(session, transaction.changed_rooms)
        if transaction.has_deleted:
            self.database.truncate_wal()
        return results

    def execute(self, operation: Operation[T]) -> T:
        """Run one operation in a transaction; return its result.

        Raises:
            RequestError: The operation raised it.
        """
        (result,) = self.execute_batch([operation])
        if isinstance(result, RequestError):
            raise result
        value: T = result
        return value

    def read(self, read: Callable[[Session], T]) -> T:
        """Run a query in a separate transaction; return its result."""
        with self.database.session() as session:
            return read(session)

    def close(self) -> None:
        """Close all database connections."""
        self.database.close()
