"""Pretend students in a room, with whom a teacher rehearses."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Select, delete, select

from lnviz.database.models import AnswerRow, PollRow, SeatRow
from lnviz.rooms import queries
from lnviz.rooms.queries import Document
from lnviz.rooms.transactions import Transaction

SIMULATED_STUDENTS = 30


def toggle_simulated(tx: Transaction, code: str, key: str) -> Document:
    """Have pretend students come, or leave if they are here."""
    row = tx.require_presenter(code, key)
    pretend = list(tx.session.scalars(_simulated_seats(row.id)))
    for seat in pretend:
        mine = select(PollRow.id).where(PollRow.room_id == row.id)
        tx.session.execute(
            delete(AnswerRow).where(AnswerRow.poll_id.in_(mine), AnswerRow.seat == seat.number)
        )
        tx.remove_seat(row, seat)
    for _ in range(0 if pretend else SIMULATED_STUDENTS):
        tx.add_seat(row, secrets.token_hex(16)).pretend = True
    row.rev += 1  # what is shown may have changed
    tx.has_deleted |= bool(pretend)
    tx.changed_rooms.add(row.id)
    return {"pretend": 0 if pretend else SIMULATED_STUDENTS}


def submit_simulated_answers(
    tx: Transaction, code: str, poll_id: int, round: int, values: Iterable[Any]
) -> bool:
    """Have pretend students answer, the next of those who have not; say if some are left."""
    row, asked = tx.get_room(code), tx.session.get(PollRow, poll_id)
    if asked is None or not queries.poll_from_row(asked).accepts(round, tx.now):
        return False
    tx.votes.flush()
    given = select(AnswerRow.seat).where(AnswerRow.poll_id == poll_id, AnswerRow.round == round)
    waiting = _simulated_seats(row.id).where(SeatRow.number.not_in(given)).order_by(SeatRow.number)
    seats = tx.session.scalars(waiting).all()
    for seat, value in zip(seats, values, strict=False):
        tx.votes.add(poll_id, round, seat.number, value, 0)
        tx.changed_rooms.add(row.id)
    return bool(seats)


def _simulated_seats(room_id: str) -> Select[SeatRow]:
    return select(SeatRow).where(SeatRow.room_id == room_id, SeatRow.pretend)
