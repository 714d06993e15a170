"""Retention of rooms: the conditions under which rooms end, are deleted or may be evicted."""

from __future__ import annotations

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from lnviz.database.models import AnswerRow, PollRow, RoomRow, SeatRow
from lnviz.rooms.queries import AWAY_AFTER_S

MAX_ROOMS = 50
IDLE_AFTER_S = 12 * 3600.0
KEEP_ENDED_S = 24 * 3600.0
USE_INTERVAL_S = 60.0
"""Minimal time between two updates of when a room was last used or watched."""

EVICTABLE_AFTER_S = 3600.0
"""Time without use after which a room with seats, but without answers, may be evicted."""


def is_idle(now: float) -> ColumnElement[bool]:
    """Return the SQL condition for rooms that must end: long unused and without connections."""
    before = now - IDLE_AFTER_S
    return RoomRow.ended.is_(None) & (RoomRow.used < before) & (RoomRow.watched < before)


def is_expired(now: float) -> ColumnElement[bool]:
    """Return the SQL condition for rooms that must be deleted, since they ended long ago."""
    return RoomRow.ended < now - KEEP_ENDED_S


def is_full(session: Session) -> bool:
    """Return whether `MAX_ROOMS` rooms are active, so that a new room needs an eviction."""
    active = select(func.count()).select_from(RoomRow).where(RoomRow.ended.is_(None))
    return session.scalars(active).one() >= MAX_ROOMS


def evictable_room(session: Session, now: float) -> RoomRow | None:
    """Return the room to delete for a new one: never joined, or the least recently used.

    Rooms with answers, with a participant present, or with a projector or remote connected are
    never evicted.
    """
    active = select(RoomRow).where(RoomRow.ended.is_(None)).order_by(RoomRow.used)
    rooms = session.scalars(active).all()
    answered = set(session.scalars(select(PollRow.room_id).join(AnswerRow)))
    is_here = SeatRow.seen >= now - AWAY_AFTER_S
    present = set(session.scalars(select(SeatRow.room_id).where(is_here)))
    present |= {row.id for row in rooms if row.watched >= now - 2 * USE_INTERVAL_S}
    evictable = [
        row
        for row in rooms
        if row.id not in answered | present
        and (not row.last_seat_number or now - row.used > EVICTABLE_AFTER_S)
    ]
    return min(evictable, key=lambda row: (row.last_seat_number > 0, row.used), default=None)


def evictable_seat(session: Session, row: RoomRow, now: float) -> SeatRow | None:
    """Return the seat to evict for a new participant (absent longest, no answers), or None."""
    polls = select(PollRow.id).where(PollRow.room_id == row.id)
    answered = select(AnswerRow.seat).where(AnswerRow.poll_id.in_(polls))
    is_away = ~SeatRow.simulated & (SeatRow.seen < now - AWAY_AFTER_S)
    seats = select(SeatRow).where(
        SeatRow.room_id == row.id, is_away, SeatRow.number.not_in(answered)
    )
    return session.scalar(seats.order_by(SeatRow.seen).limit(1))
