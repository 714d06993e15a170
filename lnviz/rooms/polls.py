"""Repository of polls: one database row for each question asked in a room."""

from __future__ import annotations

from sqlalchemy.orm import Session

from lnviz.database.models import PollRow, RoomRow
from lnviz.rooms.queries import poll_from_row
from lnviz.rooms.state import Poll

MAX_ID = 2**31 - 1  # of an integer column


class PollRepository:
    """Repository of the polls of rooms, within one database transaction.

    Args:
        session: Database session of the transaction.
        now: Seconds since 1970.
    """

    def __init__(self, session: Session, now: float) -> None:
        self._session = session
        self._now = now
        # The session itself holds rows weakly, and would read a poll again for each vote.
        self._rows: dict[int, PollRow] = {}

    def find(self, room: RoomRow, poll_id: int) -> Poll | None:
        """Return the poll with this id, or None if the room has none; cached in the transaction."""
        if poll_id > MAX_ID:
            return None
        row = self._rows.get(poll_id) or self._session.get(PollRow, poll_id)
        if row is None:
            return None  # it may still be asked in this transaction
        self._rows[poll_id] = row
        return poll_from_row(row) if row.room_id == room.id else None

    def save(self, room: RoomRow, poll: Poll | None) -> None:
        """Insert or update a room's current poll, and close the previous poll."""
        current = self._session.get(PollRow, room.poll_id) if room.poll_id is not None else None
        is_other = current is not None and (poll is None or poll.id != current.id)
        if current is not None and is_other and current.closed is None:
            current.phase, current.closed = "closed", self._now
        if poll is None:
            room.poll_id = None
            return
        row = current
        if row is None or poll.id is None:
            row = PollRow(
                room_id=room.id,
                lesson=room.lesson,
                screen=room.screen,
                kind=poll.question.kind,
                labels=list(poll.question.labels),
                right=poll.question.right,
                controls=poll.question.controls,
            )
            self._session.add(row)
        row.round, row.phase, row.closed = poll.round, poll.phase, poll.closed
        self._session.flush()  # assigns the id of a new row
        room.poll_id = row.id
