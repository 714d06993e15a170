"""Queries of rooms: JSON data for participants, projector and remote, and a table of answers."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from lnviz.database.models import AnswerRow, PollRow, RoomRow, SeatRow
from lnviz.rooms.schema import AnswerValue, PollQuestion
from lnviz.rooms.state import Poll, Room

AWAY_AFTER_S = 25.0
"""Seconds since a participant was last seen after which they count as away; see `HEARTBEAT_S`."""

CONFUSED_FOR_S = 300.0
"""Seconds for which a participant who signals that they are lost counts as such."""

MAX_LISTED_VALUES = 100
"""Maximal number of different answers in a document, the most frequent first."""

Document = dict[str, Any]
"""A JSON document of the HTTP API."""


@dataclass(frozen=True)
class VoteCounts:
    """Number of votes for each distinct answer in one round of a poll.

    Attributes:
        values: The `MAX_LISTED_VALUES` most frequent answers with their counts, in descending
            order.
        answered: Number of seats that have answered.
        unlisted: Number of seats whose answer is not in `values`.
    """

    values: tuple[tuple[AnswerValue, int], ...]
    answered: int
    unlisted: int

    def by_option(self, poll: Poll) -> list[int]:
        """Return the number of votes for each option of a multiple-choice poll."""
        counts = {value: count for value, count in self.values if isinstance(value, int)}
        return [counts.get(option, 0) for option in range(len(poll.question.labels))]


def room_from_row(session: Session, row: RoomRow) -> Room:
    """Return the `Room` stored in a database row."""
    poll = session.get(PollRow, row.poll_id) if row.poll_id is not None else None
    return Room(
        row.lesson,
        row.screen,
        row.rev,
        row.mode,  # type: ignore[arg-type]  # a stored Literal
        row.pose,
        row.task,
        tuple(row.counted),
        row.locked,
        poll_from_row(poll) if poll else None,
    )


def poll_from_row(row: PollRow) -> Poll:
    """Return the `Poll` stored in a database row."""
    return Poll(
        question_from_row(row),
        row.round,
        row.phase,  # type: ignore[arg-type]
        row.closed,
        row.id,
    )


def question_from_row(row: PollRow) -> PollQuestion:
    """Return the `PollQuestion` stored in a poll's database row."""
    controls = {
        name: None if values is None else tuple(values) for name, values in row.controls.items()
    }
    return PollQuestion(row.kind, tuple(row.labels), row.right, controls)  # type: ignore[arg-type]


def room_state(session: Session, row: RoomRow) -> Document:
    """Return a room's state as presenters see it; the state depends only on the revision."""
    room = room_from_row(session, row)
    poll = room.poll
    document: Document = {
        "rev": room.rev,
        "code": row.code,
        "mode": room.mode,
        "lesson": room.lesson,
        "screen": room.screen,
        "pose": room.figure_state,
        "task": room.task,
        "counted": room.screen_index,
        "locked": room.locked,
        "poll": None,
        "shown": None,
    }
    if poll is None:
        return document
    document["poll"] = {
        "id": poll.id,
        "kind": poll.question.kind,
        "round": poll.round,
        "phase": poll.phase,
        "labels": list(poll.question.labels),
    }
    if poll.phase == "shown":
        document |= _shown_results(session, poll)
    return document


def participant_view(state: Document) -> Document:
    """Return a room's state as participants see it, without the answers of other participants."""
    shown = state["shown"]
    if not shown or "values" not in shown:
        return state
    return state | {"shown": {"right": shown["right"]}}


def _shown_results(session: Session, poll: Poll) -> Document:
    if poll.question.kind == "choice":
        rounds = range(1, poll.round + 1)
        counts = [count_votes(session, poll, round).by_option(poll) for round in rounds]
        return {"shown": {"counts": counts, "right": poll.question.right}}
    votes = count_votes(session, poll, poll.round)
    values = [[value, count] for value, count in votes.values]
    return {"shown": {"values": values, "more": votes.unlisted, "right": None}}


def count_votes(session: Session, poll: Poll, round: int) -> VoteCounts:
    """Count the answers in a round of a poll."""
    answers = session.scalars(
        select(AnswerRow.value)
        .where(AnswerRow.poll_id == poll.id, AnswerRow.round == round)
        .order_by(AnswerRow.seat)
    ).all()
    values = {json.dumps(value, sort_keys=True): value for value in answers}
    counts = Counter(json.dumps(value, sort_keys=True) for value in answers)
    listed = tuple((values[key], n) for key, n in counts.most_common(MAX_LISTED_VALUES))
    return VoteCounts(listed, len(answers), len(answers) - sum(n for _, n in listed))


def tally(session: Session, row: RoomRow, now: float) -> Document:
    """Return live counts for the presenter's remote control: answers, and participants present."""
    poll = room_from_row(session, row).poll
    seats = session.execute(
        select(SeatRow.seen, SeatRow.lost, SeatRow.simulated).where(SeatRow.room_id == row.id)
    ).all()
    here = [seat for seat in seats if seat.simulated or now - seat.seen <= AWAY_AFTER_S]
    document: Document = {
        "poll": None,
        "round": None,
        "counts": [],
        "values": [],
        "more": 0,
        "answered": 0,
        "here": len(here),
        "away": len(seats) - len(here),
        "lost": sum(now - seat.lost <= CONFUSED_FOR_S for seat in here),
        "simulated": sum(seat.simulated for seat in seats),
    }
    if poll is None:
        return document
    votes = count_votes(session, poll, poll.round)
    document |= {"poll": poll.id, "round": poll.round, "answered": votes.answered}
    if poll.question.kind == "choice":
        return document | {"counts": votes.by_option(poll)}
    values = [[value, count] for value, count in votes.values]
    return document | {"values": values, "more": votes.unlisted}


def new_participant_state(number: int) -> Document:
    """Return the state of a participant who has just joined, as JSON data."""
    return {"number": number, "answers": {}, "lost": False, "following": True}


def participant_state(session: Session, seat: SeatRow, now: float) -> Document:
    """Return a participant's state as JSON data: seat number, answers and signals."""
    answers: dict[str, dict[str, Document]] = {}
    of_seat = (
        select(AnswerRow)
        .join(PollRow, PollRow.id == AnswerRow.poll_id)
        .where(PollRow.room_id == seat.room_id, AnswerRow.seat == seat.number)
    )
    for answer in session.scalars(of_seat):
        stored = {"value": answer.value, "attempt": answer.attempt}
        answers.setdefault(str(answer.poll_id), {})[str(answer.round)] = stored
    return {
        "number": seat.number,
        "answers": answers,
        "lost": now - seat.lost <= CONFUSED_FOR_S,
        "following": seat.following,
    }


def answers_csv(session: Session, row: RoomRow) -> str:
    """Return all answers of a room as anonymous CSV, with random seat numbers and no times.

    A row has the seat, the poll, its round, the answer, whether it is right, and the screen.
    """
    polls = {
        poll.id: poll for poll in session.scalars(select(PollRow).where(PollRow.room_id == row.id))
    }
    answers = list(session.scalars(select(AnswerRow).where(AnswerRow.poll_id.in_(polls))))
    seats = sorted({answer.seat for answer in answers})
    aliases = dict(zip(seats, random.sample(range(1, len(seats) + 1), len(seats)), strict=True))
    numbers = {poll: number for number, poll in enumerate(sorted(polls), 1)}
    answers.sort(key=lambda answer: (answer.poll_id, answer.round, aliases[answer.seat]))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["seat", "poll", "round", "value", "right", "lesson", "screen"])
    for answer in answers:
        poll = polls[answer.poll_id]
        cells = _answer_cells(poll, answer.value)
        writer.writerow([aliases[answer.seat], numbers[poll.id], answer.round, *cells])
    return text.getvalue()


def _answer_cells(poll: PollRow, value: Any) -> list[Any]:
    """Return an answer's CSV cells: value, whether the answer is right, lesson and screen."""
    screen = [poll.lesson, poll.screen]
    if poll.kind == "choice":
        return [poll.labels[value], int(value == poll.right), *screen]
    return [value if poll.kind == "number" else json.dumps(value, sort_keys=True), "", *screen]
