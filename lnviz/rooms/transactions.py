"""Unit of work: operations on rooms in one database transaction, which locks these rooms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from lnviz.database.connection import LOCK_ID, SQLITE
from lnviz.database.models import RoomRow
from lnviz.errors import RequestError
from lnviz.rooms import queries
from lnviz.rooms.auth import NO_KEY, NO_ROOM, ROOM_ENDED, is_presenter_key
from lnviz.rooms.polls import PollRepository
from lnviz.rooms.queries import Document
from lnviz.rooms.seats import SeatRepository
from lnviz.rooms.votes import VoteBuffer

T = TypeVar("T")
Operation = Callable[["Transaction"], T]
"""A change of one room, or of several, that runs within a transaction."""


class Transaction:
    """Unit of work: access to rooms, seats, polls and votes within one database transaction.

    Rows that several operations of a batch need are read only once.

    Args:
        session: Database session of the transaction.
        now: Seconds since 1970.
        shared: Whether to take shared locks. Transactions with shared locks may only add votes;
            they run concurrently with each other, but not with other operations on the same room.

    Attributes:
        changed_rooms: Ids of the rooms that have changed.
        has_deleted: Whether rows were deleted, whose bytes must then be overwritten.
        seats: Seats of the rooms.
        polls: Polls of the rooms.
        votes: Votes that are not written yet; call `votes.flush` before reading any.
    """

    def __init__(self, session: Session, now: float, shared: bool = False) -> None:
        self.session = session
        self.now = now
        self.changed_rooms: set[str] = set()
        self.has_deleted = False
        self.seats = SeatRepository(session, now)
        self.polls = PollRepository(session, now)
        self.votes = VoteBuffer(session)
        self._shared = shared
        self._rooms: dict[str, RoomRow] = {}
        self._states: dict[tuple[str, int], Document] = {}

    def try_run(self, operation: Operation[T]) -> T | RequestError:
        """Run an operation; return its result, or the `RequestError` that it raised."""
        try:
            return operation(self)
        except RequestError as error:
            return error

    def get_room(self, code: str) -> RoomRow:
        """Lock a room until the end of the transaction, and return its row.

        Raises:
            RequestError: No room has this code.
        """
        row = self._rooms.get(code)
        if row is None:
            self._lock(code)
            row = self.session.scalar(select(RoomRow).where(RoomRow.code == code))
        if row is None:
            raise RequestError(NO_ROOM, 404)
        self._rooms[code] = row
        return row

    def get_active_room(self, code: str) -> RoomRow:
        """Lock a room like `get_room`, and return its row; raise an error if the room has ended."""
        row = self.get_room(code)
        if row.ended is not None:
            raise RequestError(ROOM_ENDED, 410)
        return row

    def require_presenter(self, code: str, key: str) -> RoomRow:
        """Check a presenter's key, write all buffered votes, and return the room's row.

        Raises:
            RequestError: No room has this code, or the key is not one of the room's.
        """
        row = self.get_room(code)
        self.votes.flush()
        if not is_presenter_key(row, key):
            raise RequestError(NO_KEY, 403)
        return row

    def matching_rooms(self, condition: ColumnElement[bool]) -> Iterator[RoomRow]:
        """Lock and yield the rooms that meet a condition, one after another."""
        codes = select(RoomRow.code).where(condition).order_by(RoomRow.code)
        for code in self.session.scalars(codes).all():
            self._lock(code)
            row = self.session.scalar(select(RoomRow).where(RoomRow.code == code, condition))
            if row is not None:
                yield row

    def participant_view(self, row: RoomRow) -> Document:
        """Return a room's state as participants see it, computed once for each revision."""
        view = self._states.get((row.id, row.rev))
        if view is None:
            view = queries.participant_view(queries.room_state(self.session, row))
            self._states[row.id, row.rev] = view
        return view

    def delete_room(self, row: RoomRow) -> None:
        """Delete a room with its seats, polls and answers."""
        self.changed_rooms.add(row.id)
        self._rooms.pop(row.code, None)
        self.has_deleted = True
        self.session.delete(row)
        self.session.flush()

    def _lock(self, code: str) -> None:
        """Wait for the room's lock and hold it; SQLite, which has a single writer, needs no lock.

        It is an advisory lock, not a row lock: PostgreSQL lets new shared row locks overtake a
        transaction that waits for an exclusive lock, so that a presenter would wait as long as
        votes come in.
        """
        if self.session.get_bind().dialect.name != SQLITE:
            lock = func.pg_advisory_xact_lock_shared if self._shared else func.pg_advisory_xact_lock
            self.session.execute(select(lock(LOCK_ID, func.hashtext(code))))
