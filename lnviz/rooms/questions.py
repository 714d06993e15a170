"""Questions that participants ask without their names, and that others can second."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from lnviz.database.models import ParticipantQuestionRow, RoomRow, SecondRow
from lnviz.errors import RequestError
from lnviz.rooms.queries import Document
from lnviz.rooms.schema import parse_int, parse_line
from lnviz.rooms.transactions import Transaction

MAX_LENGTH = 140
MAX_PER_SEAT = 3
MAX_PER_ROOM = 200
MAX_LISTED = 50
"""Maximum number of questions in a list, those with the most seconds first."""

CLOSED = "The teacher does not take questions now."


def ask(tx: Transaction, code: str, client_id: str, text: Any) -> Document:
    """Store a participant's question; return its `id`.

    Raises:
        RequestError: The client has no seat, the room takes no questions or has too many, or the
            text is invalid.
    """
    row = tx.get_active_room(code)
    seat = tx.seats.find(row, client_id)
    _require_open(row)
    text = parse_line(text, MAX_LENGTH, "A question")
    if not text:
        raise RequestError("Write a question first.", 422)
    of_room = ParticipantQuestionRow.room_id == row.id
    if _count(tx.session, of_room & (ParticipantQuestionRow.seat == seat.number)) >= MAX_PER_SEAT:
        raise RequestError(f"You have asked {MAX_PER_SEAT} questions, the most that fit.", 409)
    if _count(tx.session, of_room) >= MAX_PER_ROOM:
        raise RequestError("This room has as many questions as fit. Second one of them.", 409)
    question = ParticipantQuestionRow(room_id=row.id, seat=seat.number, text=text, hidden=False)
    tx.session.add(question)
    tx.session.flush()
    tx.changed_rooms.add(row.id)
    return {"id": question.id}


def second(tx: Transaction, code: str, client_id: str, question_id: int, wanted: bool) -> None:
    """Store whether a participant seconds a question of the room.

    Raises:
        RequestError: The client has no seat, or the room takes no questions or has no such one.
    """
    row = tx.get_active_room(code)
    seat = tx.seats.find(row, client_id)
    _require_open(row)
    question = _find(tx, row, question_id)
    stored = tx.session.get(SecondRow, (question.id, seat.number))
    if wanted and stored is None:
        tx.session.add(SecondRow(question_id=question.id, seat=seat.number))
    elif not wanted and stored is not None:
        tx.session.delete(stored)
    tx.changed_rooms.add(row.id)


def set_hidden(tx: Transaction, code: str, key: str, question_id: Any, hidden: bool) -> None:
    """Hide a question from the class and the projector, or list it again.

    Checks the presenter key.
    """
    row = tx.require_presenter(code, key)
    question = _find(tx, row, parse_int(question_id, 2**31 - 1, "A question’s id"))
    question.hidden = hidden
    if hidden and row.featured_id == question.id:
        row.featured_id = None
    row.rev += 1
    tx.changed_rooms.add(row.id)


def list_questions(session: Session, row: RoomRow, seat: int | None) -> list[Document]:
    """Return the questions of a room as JSON data, those with the most seconds first.

    Args:
        session: Database session.
        row: The room.
        seat: Number of the participant's seat, who does not see hidden questions; None for a
            presenter.
    """
    counted = (
        select(SecondRow.question_id, func.count())
        .join(ParticipantQuestionRow)
        .where(ParticipantQuestionRow.room_id == row.id)
        .group_by(SecondRow.question_id)
    )
    seconds = {question: count for question, count in session.execute(counted)}
    own = set(session.scalars(select(SecondRow.question_id).where(SecondRow.seat == seat)))
    of_room = select(ParticipantQuestionRow).where(ParticipantQuestionRow.room_id == row.id)
    questions: list[Document] = [
        {
            "id": question.id,
            "text": question.text,
            "seconds": seconds.get(question.id, 0),
            "hidden": question.hidden,
            "own": question.seat == seat,
            "seconded": question.id in own,
        }
        for question in session.scalars(of_room.order_by(ParticipantQuestionRow.id))
        if seat is None or not question.hidden
    ]
    return sorted(questions, key=lambda question: -question["seconds"])[:MAX_LISTED]


def forget_seats(session: Session, row: RoomRow, seats: list[int]) -> None:
    """Delete the questions and seconds of seats of a room."""
    questions = select(ParticipantQuestionRow.id).where(ParticipantQuestionRow.room_id == row.id)
    of_seats = SecondRow.seat.in_(seats) & SecondRow.question_id.in_(questions)
    session.execute(delete(SecondRow).where(of_seats))
    asked = ParticipantQuestionRow.seat.in_(seats) & (ParticipantQuestionRow.room_id == row.id)
    session.execute(delete(ParticipantQuestionRow).where(asked))


def _require_open(row: RoomRow) -> None:
    if not row.questions_open:
        raise RequestError(CLOSED, 409)


def _find(tx: Transaction, row: RoomRow, question_id: int) -> ParticipantQuestionRow:
    question = tx.session.get(ParticipantQuestionRow, question_id)
    if question is None or question.room_id != row.id:
        raise RequestError("This question is no longer there.", 404)
    return question


def _count(session: Session, condition: Any) -> int:
    count = select(func.count()).select_from(ParticipantQuestionRow).where(condition)
    return session.scalars(count).one()
