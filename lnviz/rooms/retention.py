"""What makes way: rooms that nobody uses, and seats of those who have left without a word."""

from __future__ import annotations

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from lnviz.database.models import AnswerRow, PollRow, RoomRow, SeatRow
from lnviz.rooms.queries import AWAY_AFTER_S

MAX_ROOMS = 50
IDLE_AFTER_S = 12 * 3600.0
KEEP_ENDED_S = 24 * 3600.0
USE_INTERVAL_S = 60.0  # between two times that it is kept that somebody watches, or answers
EVICTABLE_AFTER_S = (
    3600.0  # without use, after which a room makes way for another where there is no place
)


def is_idle(now: float) -> ColumnElement[bool]:
    """Whether a room is to end: nobody uses it."""
    before = now - IDLE_AFTER_S
    return RoomRow.ended.is_(None) & (RoomRow.used < before) & (RoomRow.watched < before)


def is_expired(now: float) -> ColumnElement[bool]:
    """Whether a room is to be deleted: it has ended long ago."""
    return RoomRow.ended < now - KEEP_ENDED_S


def is_full(session: Session) -> bool:
    """Whether there is no place for one more room."""
    going_on = select(func.count()).select_from(RoomRow).where(RoomRow.ended.is_(None))
    return session.scalars(going_on).one() >= MAX_ROOMS


def evictable_room(session: Session, now: float) -> RoomRow | None:
    """Return the room that makes way for another one: the longest unused that nobody needs.

    One without seats goes first; one with answers never does, nor one where somebody is, or whose
    wall or remote is open.
    """
    going_on = select(RoomRow).where(RoomRow.ended.is_(None)).order_by(RoomRow.used)
    rooms = session.scalars(going_on).all()
    answered = set(session.scalars(select(PollRow.room_id).join(AnswerRow)))
    here = SeatRow.seen >= now - AWAY_AFTER_S
    present = set(session.scalars(select(SeatRow.room_id).where(here)))
    present |= {row.id for row in rooms if row.watched >= now - 2 * USE_INTERVAL_S}
    empty = [
        row
        for row in rooms
        if row.id not in answered | present
        and (not row.numbers or now - row.used > EVICTABLE_AFTER_S)
    ]
    return min(empty, key=lambda row: (row.numbers > 0, row.used), default=None)


def evictable_seat(session: Session, row: RoomRow, now: float) -> SeatRow | None:
    """Return a seat that makes way for another one: of somebody away who never answered."""
    polls = select(PollRow.id).where(PollRow.room_id == row.id)
    answered = select(AnswerRow.seat).where(AnswerRow.poll_id.in_(polls))
    own = (SeatRow.room_id == row.id) & ~SeatRow.pretend & (SeatRow.seen < now - AWAY_AFTER_S)
    silent = select(SeatRow).where(own, SeatRow.number.not_in(answered))
    return session.scalar(silent.order_by(SeatRow.seen).limit(1))
