"""Queries of rooms: JSON data for participants, projector and remote, and a table of answers."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from lnviz.database.models import (
    AnswerRow,
    ParticipantQuestionRow,
    PollRow,
    RoomRow,
    SeatRow,
)
from lnviz.rooms.schema import AnswerValue, FigureState, PollQuestion, QuestionText
from lnviz.rooms.state import Poll, Remote, Room

AWAY_AFTER_S = 25.0
"""Seconds since a client was last seen after which it counts as away; see `HEARTBEAT_S`."""

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
            order; equally frequent ones by their values.
        seats: The seats that have answered.
        unlisted: Number of seats whose answer is not in `values`.
        simulated: Number of seats of simulated students among those that have answered.
    """

    values: tuple[tuple[AnswerValue, int], ...]
    seats: frozenset[int]
    unlisted: int
    simulated: int

    @property
    def answered(self) -> int:
        """The number of seats that have answered."""
        return len(self.seats)

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
        row.plan,
        row.slide,
        tuple(row.slides),
        row.locked,
        poll_from_row(poll) if poll else None,
        tuple(Remote(**remote) for remote in row.remotes),
        row.questions_open,
        row.featured_id,
        row.card,
    )


def poll_from_row(row: PollRow) -> Poll:
    """Return the `Poll` stored in a database row."""
    return Poll(
        question_from_row(row),
        row.round,
        row.phase,  # type: ignore[arg-type]
        row.closed,
        row.deadline,
        row.task,
        row.pose,
        row.id,
    )


def slide_polls(session: Session, room_id: str, room: Room) -> list[PollRow]:
    """Return the latest poll of each question asked on a room's present slide, the newest first."""
    of_lesson = (PollRow.room_id == room_id) & (PollRow.lesson == room.lesson)
    polls = select(PollRow).where(of_lesson)
    if room.slide:
        polls = polls.where(PollRow.slide == room.slide)
    latest: dict[tuple[bool, str], PollRow] = {}
    for poll in session.scalars(polls.order_by(PollRow.id.desc())):
        if poll.screen == room.screen:
            latest.setdefault((bool(poll.text), poll.text or poll.task), poll)
    return list(latest.values())


def question_from_row(row: PollRow) -> PollQuestion:
    """Return the `PollQuestion` stored in a poll's database row."""
    controls = {
        name: None if values is None else tuple(values) for name, values in row.controls.items()
    }
    return PollQuestion(
        row.kind,  # type: ignore[arg-type]  # a stored Literal
        tuple(row.labels),
        row.right,
        controls,
        row.text,
        tuple(row.options),
    )


def room_state(session: Session, row: RoomRow) -> Document:
    """Return a room's state as presenters see it; the state depends only on the revision."""
    room = room_from_row(session, row)
    poll, asked = room.poll, slide_polls(session, row.id, room)
    document: Document = {
        "rev": room.rev,
        "code": row.code,
        "mode": room.mode,
        "lesson": room.lesson,
        "screen": room.screen,
        "pose": room.figure_state,
        "task": room.task,
        "counted": room.screen_index,
        "plan": room.plan,
        "slide": room.slide,
        "slides": room.slides,
        "locked": room.locked,
        "remotes": [{"number": r.number, "admitted": r.admitted} for r in room.remotes],
        "questions": room.questions_open,
        "featured": _featured(session, row),
        "card": room.card,
        "poll": None,
        "right": poll.question.right if poll else None,
        "shown": None,
        "results": [
            {"id": stored.id, "kind": stored.kind, "text": stored.text}
            for stored in asked
            if stored.id != row.poll_id
        ],
        "resolved": any(stored.phase == "shown" for stored in asked if not stored.text),
    }
    if poll is None:
        return document
    document["poll"] = {
        "id": poll.id,
        "kind": poll.question.kind,
        "round": poll.round,
        "phase": poll.phase,
        "labels": list(poll.question.labels),
        "deadline": poll.deadline if poll.phase == "asking" else None,
        "text": poll.question.text,
        "options": list(poll.question.options),
        "pose": poll.figure_state if poll.question.kind == "setting" else {},
    }
    if poll.phase == "shown":
        document |= _shown_results(session, poll)
    return document


def participant_view(state: Document) -> Document:
    """Return a room's state as participants see it: without remotes, others' answers, solutions."""
    hidden = ("remotes", "right", "results", "card")
    state = {name: value for name, value in state.items() if name not in hidden}
    shown = state["shown"]
    if not shown or "values" not in shown:
        return state
    return state | {"shown": {"right": shown["right"]}}


def _featured(session: Session, row: RoomRow) -> Document | None:
    """Return the participant's question that the projector shows, or None."""
    if row.featured_id is None:
        return None
    question = session.get(ParticipantQuestionRow, row.featured_id)
    if question is None or question.room_id != row.id or question.hidden:
        return None
    return {"id": question.id, "text": question.text}


def _shown_results(session: Session, poll: Poll) -> Document:
    if poll.question.kind == "choice":
        rounds = range(1, poll.round + 1)
        votes = [count_votes(session, poll, round) for round in rounds]
        return {
            "shown": {
                "counts": [each.by_option(poll) for each in votes],
                "right": poll.question.right,
                "simulated": [each.simulated for each in votes],
            }
        }
    vote = count_votes(session, poll, poll.round)
    values = [[value, count] for value, count in vote.values]
    simulated = [vote.simulated]
    return {
        "shown": {"values": values, "more": vote.unlisted, "right": None, "simulated": simulated}
    }


def count_votes(session: Session, poll: Poll, round: int) -> VoteCounts:
    """Count the answers in a round of a poll."""
    answers = session.execute(
        select(AnswerRow.seat, AnswerRow.value, SeatRow.simulated)
        .join(PollRow, PollRow.id == AnswerRow.poll_id)
        .outerjoin(  # answers outlive their seats
            SeatRow, (SeatRow.room_id == PollRow.room_id) & (SeatRow.number == AnswerRow.seat)
        )
        .where(AnswerRow.poll_id == poll.id, AnswerRow.round == round)
        .order_by(AnswerRow.seat)
    ).all()
    values = {json.dumps(value, sort_keys=True): value for _, value, _ in answers}
    counts = Counter(json.dumps(value, sort_keys=True) for _, value, _ in answers)
    in_order = sorted(counts.items(), key=lambda item: (-item[1], _natural_order(item[0])))
    listed = tuple((values[key], n) for key, n in in_order[:MAX_LISTED_VALUES])
    unlisted = len(answers) - sum(n for _, n in listed)
    simulated = sum(bool(is_simulated) for _, _, is_simulated in answers)
    seats = frozenset(seat for seat, _, _ in answers)
    return VoteCounts(listed, seats, unlisted, simulated)


def _natural_order(text: str) -> list[str | float]:
    """Return a key by which texts are sorted as usual, and the numbers in them by size."""
    parts = re.split(r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)", text)
    return [float(part) if i % 2 else part for i, part in enumerate(parts)]


def tally(session: Session, row: RoomRow, now: float) -> Document:
    """Return live counts for the presenter's remote control.

    These are answers, participants present, and whether a projector is connected.
    """
    poll = room_from_row(session, row).poll
    seats = session.execute(
        select(SeatRow.number, SeatRow.seen, SeatRow.lost, SeatRow.simulated).where(
            SeatRow.room_id == row.id
        )
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
        "asked": len(here),
        "away": len(seats) - len(here),
        "lost": sum(now - seat.lost <= CONFUSED_FOR_S for seat in here),
        "simulated": sum(seat.simulated for seat in seats),
        "projected": now - row.projected <= AWAY_AFTER_S,
        "questions": session.scalars(
            select(func.count())
            .select_from(ParticipantQuestionRow)
            .where(ParticipantQuestionRow.room_id == row.id, ~ParticipantQuestionRow.hidden)
        ).one(),
    }
    if poll is None:
        return document
    votes = count_votes(session, poll, poll.round)
    # Who has answered and left still counts.
    asked = votes.seats.union(seat.number for seat in here)
    document |= {
        "poll": poll.id,
        "round": poll.round,
        "answered": votes.answered,
        "asked": len(asked),
    }
    if poll.question.kind == "choice":
        return document | {"counts": votes.by_option(poll)}
    values = [[value, count] for value, count in votes.values]
    return document | {"values": values, "more": votes.unlisted}


def new_participant_state(row: RoomRow, number: int) -> Document:
    """Return the state of a participant who has just joined, as JSON data."""
    joined = {"number": number, "answers": {}, "lost": False, "following": True}
    return joined | {"removals": row.removals}


def participant_state(session: Session, row: RoomRow, seat: SeatRow, now: float) -> Document:
    """Return a participant's state as `participant_states` does."""
    return participant_states(session, row, [seat], now)[seat.key]


def participant_states(
    session: Session, row: RoomRow, seats: Sequence[SeatRow], now: float
) -> dict[str, Document]:
    """Return participants' states as JSON data, by the hashes of their seats.

    Each has the seat's number, its answers and signals, and the room's number of removals so far,
    from which a phone knows whether an answer that is missing was removed.
    """
    answers: defaultdict[int, dict[str, dict[str, Document]]] = defaultdict(dict)
    of_seats = (
        select(AnswerRow)
        .join(PollRow, PollRow.id == AnswerRow.poll_id)
        .where(PollRow.room_id == row.id, AnswerRow.seat.in_([seat.number for seat in seats]))
    )
    for answer in session.scalars(of_seats):
        stored = {"value": answer.value, "attempt": answer.attempt}
        answers[answer.seat].setdefault(str(answer.poll_id), {})[str(answer.round)] = stored
    return {
        seat.key: {
            "number": seat.number,
            "answers": answers[seat.number],
            "lost": now - seat.lost <= CONFUSED_FOR_S,
            "following": seat.following,
            "removals": row.removals,
        }
        for seat in seats
    }


QuestionTexts = Mapping[int, QuestionText]
"""The words of questions, by the poll's id."""


def polled_slides(session: Session, row: RoomRow) -> dict[int, tuple[str, Any, FigureState]]:
    """Return where each answered poll of a room was asked, by its id.

    That is the lesson, the screen, and for a setting the state of the screen's figure.
    """
    answered = PollRow.id.in_(select(AnswerRow.poll_id))
    polls = session.scalars(select(PollRow).where(PollRow.room_id == row.id, answered))
    return {
        poll.id: (poll.lesson, poll.screen, poll.pose if poll.kind == "setting" else {})
        for poll in polls
    }


def answers_csv(session: Session, row: RoomRow, texts: QuestionTexts) -> str:
    """Return all answers of a room as anonymous CSV, with random seat numbers and no times.

    A row has the seat, whether its student is simulated, the number of the poll, its question and
    round, the answer in words, whether it is right, and the screen.

    Args:
        session: Database session.
        row: The room.
        texts: The words of the questions of `polled_slides`.
    """
    polls = {
        poll.id: poll for poll in session.scalars(select(PollRow).where(PollRow.room_id == row.id))
    }
    answers = list(session.scalars(select(AnswerRow).where(AnswerRow.poll_id.in_(polls))))
    seats = sorted({answer.seat for answer in answers})
    aliases = dict(zip(seats, random.sample(range(1, len(seats) + 1), len(seats)), strict=True))
    of_room = SeatRow.room_id == row.id
    simulated = set(session.scalars(select(SeatRow.number).where(of_room, SeatRow.simulated)))
    numbers = {poll: number for number, poll in enumerate(sorted(polls), 1)}
    answers.sort(key=lambda answer: (answer.poll_id, answer.round, aliases[answer.seat]))
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    names = ["seat", "simulated", "poll", "question", "round", "answer", "right"]
    writer.writerow([*names, "lesson", "screen"])
    for answer in answers:
        poll = polls[answer.poll_id]
        words = texts.get(poll.id, QuestionText())
        question = poll.text or poll.task or words.text
        is_right = int(answer.value == poll.right) if poll.right is not None else ""
        cells = [question, answer.round, _answer_in_words(poll, answer.value, words), is_right]
        cells = [_safe_cell(cell) for cell in cells]
        seat = [aliases[answer.seat], int(answer.seat in simulated), numbers[poll.id]]
        writer.writerow([*seat, *cells, poll.lesson, poll.screen])
    return table.getvalue()


def _answer_in_words(poll: PollRow, value: Any, words: QuestionText) -> Any:
    """Return an answer as text: `B: its option`, or `control: value; control: value`."""
    if poll.kind == "number":
        return int(value) if float(value).is_integer() and abs(value) < 2**53 else value
    if poll.kind == "choice":
        options = poll.options or words.options
        letter = poll.labels[value]
        return f"{letter}: {options[value]}" if value < len(options) else letter
    return "; ".join(
        f"{words.controls.get(name, name)}: {words.values.get((name, chosen), chosen)}"
        for name, chosen in value.items()
    )


def _safe_cell(cell: Any) -> Any:
    """Return a cell that spreadsheets do not take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in "=+-@\t\r" and cell else cell
