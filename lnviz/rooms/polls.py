"""Repository of polls: one database row for each question asked in a room."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.orm import Session

from lnviz.database.models import PollRow, RoomRow
from lnviz.rooms.queries import poll_from_row, slide_polls
from lnviz.rooms.state import Poll, Room

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

    def latest(self, row: RoomRow, room: Room, task: str | None) -> Poll | None:
        """Return the latest poll of a slide's own question, closed; None without one.

        Args:
            row: The room.
            room: The room's state on the slide.
            task: The presenter's task on the slide; None for any.
        """
        for stored in slide_polls(self._session, row.id, room):
            if not stored.text and task in (None, stored.task):
                return self._closed(stored)
        return None

    def recall(self, row: RoomRow, room: Room, poll_id: object) -> Poll | None:
        """Return a poll of a room's present slide, closed; None if the slide has no such poll."""
        for stored in slide_polls(self._session, row.id, room):
            if stored.id == poll_id:
                return self._closed(stored)
        return None

    def _closed(self, stored: PollRow) -> Poll:
        poll = poll_from_row(stored).at(self._now)
        is_over = poll.phase in ("closed", "shown")
        return poll if is_over else replace(poll, phase="closed", closed=poll.closed or self._now)

    def save(self, room: RoomRow, poll: Poll | None) -> None:
        """Insert or update a room's current poll, and close the previous poll."""
        current = self._session.get(PollRow, room.poll_id) if room.poll_id is not None else None
        is_other = current is not None and (poll is None or poll.id != current.id)
        if current is not None and is_other and current.closed is None:
            current.phase, current.closed = "closed", self._now
        if poll is None:
            room.poll_id = None
            return
        row = self._session.get(PollRow, poll.id) if poll.id is not None else None
        if row is None:
            row = PollRow(
                room_id=room.id,
                lesson=room.lesson,
                screen=room.screen,
                slide=room.slide,
                pose=poll.figure_state,
                kind=poll.question.kind,
                labels=list(poll.question.labels),
                right=poll.question.right,
                controls=poll.question.controls,
                text=poll.question.text,
                options=list(poll.question.options),
                task=poll.task,
            )
            self._session.add(row)
        row.round, row.phase = poll.round, poll.phase
        row.closed, row.deadline = poll.closed, poll.deadline
        self._session.flush()  # assigns the id of a new row
        room.poll_id = row.id
