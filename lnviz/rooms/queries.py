"""What a room's rows say: the documents that phones, projector and remote are sent, and a table."""

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
"""Seconds since a phone was heard after which it is away; it is heard every ten."""

CONFUSED_FOR_S = 300.0
"""Seconds after which somebody is not lost any more."""

MAX_LISTED_VALUES = 100
"""Different answers that are told at most, the commonest first: a wall has no room for more."""

Document = dict[str, Any]


@dataclass(frozen=True)
class VoteCounts:
    """What the answers to a round say.

    Attributes:
        values: each different one with how many gave it, the commonest first.
        answered: how many seats have answered.
        more: how many of them gave what is not among the commonest.
    """

    values: tuple[tuple[AnswerValue, int], ...]
    answered: int
    unlisted: int

    def by_option(self, poll: Poll) -> list[int]:
        """Return how many chose each option."""
        given = {value: many for value, many in self.values if isinstance(value, int)}
        return [given.get(place, 0) for place in range(len(poll.question.labels))]


def room_from_row(session: Session, row: RoomRow) -> Room:
    """Return the room that a row stands for."""
    poll = session.get(PollRow, row.poll_id) if row.poll_id is not None else None
    return Room(
        row.lesson,
        row.screen,
        row.rev,
        row.mode,  # type: ignore[arg-type]  # what was kept
        row.pose,
        row.task,
        tuple(row.counted),
        row.locked,
        poll_from_row(poll) if poll else None,
    )


def poll_from_row(row: PollRow) -> Poll:
    """Return the poll that a row stands for."""
    return Poll(
        question_from_row(row),
        row.round,
        row.phase,  # type: ignore[arg-type]
        row.closed,
        row.id,
    )


def question_from_row(row: PollRow) -> PollQuestion:
    """Return what a row asks."""
    controls = {
        name: None if values is None else tuple(values) for name, values in row.controls.items()
    }
    return PollQuestion(row.kind, tuple(row.labels), row.right, controls)  # type: ignore[arg-type]


def room_state(session: Session, row: RoomRow) -> Document:
    """Return the state of a room: all of it that a revision decides."""
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
    """Return what of a state phones are sent: not what each of the others has handed in."""
    shown = state["shown"]
    if not shown or "values" not in shown:
        return state
    return state | {"shown": {"right": shown["right"]}}


def _shown_results(session: Session, poll: Poll) -> Document:
    if poll.question.kind == "choice":
        rounds = range(1, poll.round + 1)
        counts = [count_votes(session, poll, round).by_option(poll) for round in rounds]
        return {"shown": {"counts": counts, "right": poll.question.right}}
    given = count_votes(session, poll, poll.round)
    values = [[value, many] for value, many in given.values]
    return {"shown": {"values": values, "more": given.unlisted, "right": None}}


def count_votes(session: Session, poll: Poll, round: int) -> VoteCounts:
    """Return what the answers to a round say."""
    given = session.scalars(
        select(AnswerRow.value)
        .where(AnswerRow.poll_id == poll.id, AnswerRow.round == round)
        .order_by(AnswerRow.seat)
    ).all()
    named = {json.dumps(value, sort_keys=True): value for value in given}
    many = Counter(json.dumps(value, sort_keys=True) for value in given)
    values = tuple((named[name], times) for name, times in many.most_common(MAX_LISTED_VALUES))
    return VoteCounts(values, len(given), len(given) - sum(times for _, times in values))


def tally(session: Session, row: RoomRow, now: float) -> Document:
    """Return what the teacher's remote counts, and nobody else sees before it is shown."""
    poll = room_from_row(session, row).poll
    seats = session.execute(
        select(SeatRow.seen, SeatRow.lost, SeatRow.pretend).where(SeatRow.room_id == row.id)
    ).all()
    here = [seat for seat in seats if seat.pretend or now - seat.seen <= AWAY_AFTER_S]
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
        "pretend": sum(seat.pretend for seat in seats),
    }
    if poll is None:
        return document
    given = count_votes(session, poll, poll.round)
    document |= {"poll": poll.id, "round": poll.round, "answered": given.answered}
    if poll.question.kind == "choice":
        return document | {"counts": given.by_option(poll)}
    values = [list(each) for each in given.values]
    return document | {"values": values, "more": given.unlisted}


def new_participant_state(number: int) -> Document:
    """Return what a new seat hears of itself."""
    return {"number": number, "answers": {}, "lost": False, "following": True}


def participant_state(session: Session, seat: SeatRow, now: float) -> Document:
    """Return what a seat hears of itself: its number and what it has answered."""
    answers: dict[str, dict[str, Document]] = {}
    mine = (
        select(AnswerRow)
        .join(PollRow, PollRow.id == AnswerRow.poll_id)
        .where(PollRow.room_id == seat.room_id, AnswerRow.seat == seat.number)
    )
    for answer in session.scalars(mine):
        kept = {"value": answer.value, "n": answer.n}
        answers.setdefault(str(answer.poll_id), {})[str(answer.round)] = kept
    return {
        "number": seat.number,
        "answers": answers,
        "lost": now - seat.lost <= CONFUSED_FOR_S,
        "following": seat.following,
    }


def answers_csv(session: Session, row: RoomRow) -> str:
    """Return all answers as CSV: seats in an order that says nothing, and no times."""
    polls = {
        poll.id: poll for poll in session.scalars(select(PollRow).where(PollRow.room_id == row.id))
    }
    answers = list(session.scalars(select(AnswerRow).where(AnswerRow.poll_id.in_(polls))))
    seats = sorted({answer.seat for answer in answers})
    names = dict(zip(seats, random.sample(range(1, len(seats) + 1), len(seats)), strict=True))
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["seat", "poll", "round", "value", "right", "lesson", "screen"])
    numbers = {poll: number for number, poll in enumerate(sorted(polls), 1)}
    lines.writerows(
        [names[answer.seat], numbers[poll.id], answer.round, *_csv_cells(poll, answer.value)]
        for answer, poll in sorted(
            ((answer, polls[answer.poll_id]) for answer in answers),
            key=lambda pair: (pair[1].id, pair[0].round, names[pair[0].seat]),
        )
    )
    return text.getvalue()


def _csv_cells(poll: PollRow, value: Any) -> list[Any]:
    where = [poll.lesson, poll.screen]
    if poll.kind == "choice":
        return [poll.labels[value], int(value == poll.right), *where]
    said = value if poll.kind == "number" else json.dumps(value, sort_keys=True)
    return [said, "", *where]
