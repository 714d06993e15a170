"""Simulated students in a classroom room, for a teacher's rehearsal."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from sqlalchemy import Select, select

from lnviz.database.models import AnswerRow, SeatRow
from lnviz.rooms.moderation import remove_seats
from lnviz.rooms.queries import Document
from lnviz.rooms.schema import AnswerValue
from lnviz.rooms.transactions import Transaction

SIMULATED_STUDENTS = 30


def toggle_simulated(tx: Transaction, code: str, key: str) -> Document:
    """Add simulated students to a room; if there are any already, remove them and their answers."""
    row = tx.require_presenter(code, key)
    seats = list(tx.session.scalars(_simulated_seats(row.id)))
    remove_seats(tx, row, seats)
    added = 0 if seats else SIMULATED_STUDENTS
    for _ in range(added):
        tx.seats.add(row, secrets.token_hex(16), simulated=True)
    row.rev += 1  # the results that are shown may have changed
    tx.has_deleted |= bool(seats)
    tx.changed_rooms.add(row.id)
    return {"simulated": added}


def submit_simulated_answers(
    tx: Transaction, code: str, poll_id: int, round: int, values: Iterable[AnswerValue]
) -> bool:
    """Store answers of simulated students who have not answered; return whether there were any."""
    row = tx.get_room(code)
    poll = tx.polls.find(row, poll_id)
    if poll is None or not poll.accepts(round, tx.now):
        return False
    tx.votes.flush()
    answered = select(AnswerRow.seat).where(AnswerRow.poll_id == poll_id, AnswerRow.round == round)
    waiting = _simulated_seats(row.id).where(SeatRow.number.not_in(answered))
    seats = tx.session.scalars(waiting.order_by(SeatRow.number)).all()
    for seat, value in zip(seats, values, strict=False):
        tx.votes.add(poll_id, round, seat.number, value, 0)
        tx.changed_rooms.add(row.id)
    return bool(seats)


def _simulated_seats(room_id: str) -> Select[SeatRow]:
    return select(SeatRow).where(SeatRow.room_id == room_id, SeatRow.simulated)
