"""Retention of rooms: the conditions under which rooms end, are deleted or may be evicted."""

from __future__ import annotations

import os
from collections import Counter

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from lnviz.database.models import AnswerRow, PollRow, RoomRow, SeatRow
from lnviz.rooms.queries import AWAY_AFTER_S

MAX_ROOMS = 50
ROOM_DAYS_ENV = "LNVIZ_ROOM_DAYS"
"""Environment variable with the days after which an unused room ends; 14 by default."""

IDLE_AFTER_S = float(os.environ.get(ROOM_DAYS_ENV, "14")) * 24 * 3600
KEEP_ENDED_S = 24 * 3600.0
USE_INTERVAL_S = 60.0
"""Minimal time between two updates of when a room was last used or watched."""

EVICTABLE_AFTER_S = 3600.0
"""Time without use after which a room with seats, but without answers, may be evicted."""

CONNECTS_WITHIN_S = 4.0
"""Time after joining within which a phone asks for the room's state; it does so at once."""


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


def evictable_room(session: Session, now: float, network: str = "") -> RoomRow | None:
    """Return the room to delete for a new one: one that nobody joined, or the least recently used.

    Rooms with answers, with a participant present, or with a projector or remote connected are
    evicted only if their network has opened at least two more rooms than the new room's.

    Args:
        session: Database session.
        now: Seconds since 1970.
        network: Hash of the network from which the new room is opened.
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
    if evictable:
        return min(evictable, key=lambda row: (row.last_seat_number > 0, row.used))
    counts = Counter(row.network for row in rooms)
    largest = max(counts, key=lambda each: counts[each], default="")
    if counts[largest] < counts[network] + 2:
        return None
    of_largest = [row for row in rooms if row.network == largest]
    return min(of_largest, key=lambda row: (row.last_seat_number, row.used))


def evictable_seat(session: Session, row: RoomRow, now: float) -> SeatRow | None:
    """Return a seat without answers to evict for a new participant, or None.

    It is one whose phone never connected, or else the one that has been absent the longest.
    """
    polls = select(PollRow.id).where(PollRow.room_id == row.id)
    answered = select(AnswerRow.seat).where(AnswerRow.poll_id.in_(polls))
    is_away = SeatRow.seen < now - AWAY_AFTER_S
    never_connected = ~SeatRow.connected & (SeatRow.seen < now - CONNECTS_WITHIN_S)
    seats = select(SeatRow).where(
        SeatRow.room_id == row.id,
        ~SeatRow.simulated,
        or_(is_away, never_connected),
        SeatRow.number.not_in(answered),
    )
    return session.scalar(seats.order_by(SeatRow.connected, SeatRow.seen).limit(1))
