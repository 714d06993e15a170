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

PRETENDING = 30


def rehearse(tx: Transaction, code: str, key: str) -> Document:
    """Have pretend students come, or leave if they are here."""
    row = tx.led(code, key)
    pretend = list(tx.session.scalars(_pretend(row.id)))
    for seat in pretend:
        mine = select(PollRow.id).where(PollRow.room_id == row.id)
        tx.session.execute(
            delete(AnswerRow).where(AnswerRow.poll_id.in_(mine), AnswerRow.seat == seat.number)
        )
        tx.get_up(row, seat)
    for _ in range(0 if pretend else PRETENDING):
        tx.sit(row, secrets.token_hex(16)).pretend = True
    row.rev += 1  # what is shown may have changed
    tx.has_deleted |= bool(pretend)
    tx.touched.add(row.id)
    return {"pretend": 0 if pretend else PRETENDING}


def answer(tx: Transaction, code: str, poll_id: int, round: int, values: Iterable[Any]) -> bool:
    """Have pretend students answer, the next of those who have not; say if some are left."""
    row, asked = tx.room(code), tx.session.get(PollRow, poll_id)
    if asked is None or not queries.poll_of(asked).accepts(round, tx.now):
        return False
    tx.answers.settle()
    given = select(AnswerRow.seat).where(AnswerRow.poll_id == poll_id, AnswerRow.round == round)
    waiting = _pretend(row.id).where(SeatRow.number.not_in(given)).order_by(SeatRow.number)
    seats = tx.session.scalars(waiting).all()
    for seat, value in zip(seats, values, strict=False):
        tx.answers.keep(poll_id, round, seat.number, value, 0)
        tx.touched.add(row.id)
    return bool(seats)


def _pretend(room_id: str) -> Select[SeatRow]:
    return select(SeatRow).where(SeatRow.room_id == room_id, SeatRow.pretend)
