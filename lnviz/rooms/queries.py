"""What a room's rows say: the documents that phones, projector and remote are sent, and a table."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from lnviz.database.models import AnswerRow, PollRow, RoomRow, SeatRow
from lnviz.rooms.schema import Asking, Value
from lnviz.rooms.state import ROUNDS, Poll, Room

HERE_S = 25.0
"""Seconds since a phone was heard after which it is away; it is heard every ten."""

LOST_S = 300.0
"""Seconds after which somebody is not lost any more."""

LISTED = 100
"""Different answers that are told at most, the commonest first: a wall has no room for more."""

Document = dict[str, Any]


@dataclass(frozen=True)
class Counted:
    """What the answers to a round say.

    Attributes:
        values: each different one with how many gave it and the lowest seat that did, the
            commonest first.
        answered: how many seats have answered.
        more: how many of them gave what is not among the commonest.
    """

    values: tuple[tuple[Value, int, int], ...]
    answered: int
    more: int

    def counts(self, poll: Poll, round: int) -> list[int]:
        """Return how many chose each option, those counted by hand included."""
        hands = poll.hands[round - 1] or (0,) * len(poll.asking.labels)
        given = {value: many for value, many, _ in self.values if isinstance(value, int)}
        return [given.get(place, 0) + more for place, more in enumerate(hands)]


def room_of(session: Session, row: RoomRow) -> Room:
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
        poll_of(poll) if poll else None,
    )


def poll_of(row: PollRow) -> Poll:
    """Return the poll that a row stands for."""
    return Poll(
        asking_of(row),
        row.round,
        row.phase,  # type: ignore[arg-type]
        row.closed,
        tuple(map(tuple, row.hands)),
        tuple(row.pins),
        row.id,
    )


def asking_of(row: PollRow) -> Asking:
    """Return what a row asks."""
    controls = {
        name: None if values is None else tuple(values) for name, values in row.controls.items()
    }
    return Asking(row.kind, tuple(row.labels), row.right, controls)  # type: ignore[arg-type]


def state(session: Session, row: RoomRow) -> Document:
    """Return the state of a room: all of it that a revision decides."""
    room = room_of(session, row)
    poll = room.poll
    document: Document = {
        "rev": room.rev,
        "code": row.code,
        "mode": room.mode,
        "lesson": room.lesson,
        "screen": room.screen,
        "pose": room.pose,
        "task": room.task,
        "counted": room.counted,
        "locked": room.locked,
        "poll": None,
        "shown": None,
    }
    if poll is None:
        return document
    document["poll"] = {
        "id": poll.id,
        "kind": poll.asking.kind,
        "round": poll.round,
        "phase": poll.phase,
        "labels": list(poll.asking.labels),
    }
    if poll.phase == "shown":
        document |= _shown(session, poll)
    return document


def told_seats(state: Document) -> Document:
    """Return what of a state phones are sent: not what each of the others has handed in."""
    shown = state["shown"]
    if not shown or "values" not in shown:
        return state
    kept = {name: part for name, part in state.items() if name != "pins"}
    return kept | {"shown": {"right": shown["right"]}}


def _shown(session: Session, poll: Poll) -> Document:
    if poll.asking.kind == "choice":
        rounds = range(1, poll.round + 1)
        counts = [counted(session, poll, round).counts(poll, round) for round in rounds]
        return {"shown": {"counts": counts, "right": poll.asking.right}, "pins": []}
    given = counted(session, poll, poll.round)
    values = [[value, many] for value, many, _ in given.values]
    shown = {"values": values, "more": given.more, "right": None}
    return {"shown": shown, "pins": pins(session, poll)}


def counted(session: Session, poll: Poll, round: int) -> Counted:
    """Return what the answers to a round say."""
    given = session.execute(
        select(AnswerRow.seat, AnswerRow.value)
        .where(AnswerRow.poll_id == poll.id, AnswerRow.round == round)
        .order_by(AnswerRow.seat)
    ).all()
    named = {json.dumps(value, sort_keys=True): value for _, value in given}
    seats: dict[str, int] = {}
    many: Counter[str] = Counter()
    for seat, value in given:
        name = json.dumps(value, sort_keys=True)
        seats.setdefault(name, seat)
        many[name] += 1
    commonest = many.most_common(LISTED)
    values = tuple((named[name], times, seats[name]) for name, times in commonest)
    return Counted(values, len(given), len(given) - sum(times for _, times in commonest))


def pins(session: Session, poll: Poll) -> list[Document]:
    """Return the settings that were picked, in the order in which they were."""
    mine = (AnswerRow.poll_id == poll.id) & (AnswerRow.round == poll.round)
    picked = session.scalars(select(AnswerRow).where(mine, AnswerRow.seat.in_(poll.pins)))
    found = {answer.seat: answer.value for answer in picked}
    return [{"seat": seat, "value": found[seat]} for seat in poll.pins if seat in found]


def tally(session: Session, row: RoomRow, now: float) -> Document:
    """Return what the teacher's remote counts, and nobody else sees before it is shown."""
    poll = room_of(session, row).poll
    seats = session.execute(
        select(SeatRow.seen, SeatRow.lost, SeatRow.pretend).where(SeatRow.room_id == row.id)
    ).all()
    here = [seat for seat in seats if seat.pretend or now - seat.seen <= HERE_S]
    document: Document = {
        "poll": None,
        "round": None,
        "counts": [],
        "hands": [],
        "values": [],
        "more": 0,
        "pins": [],
        "answered": 0,
        "here": len(here),
        "away": len(seats) - len(here),
        "lost": sum(now - seat.lost <= LOST_S for seat in here),
        "pretend": sum(seat.pretend for seat in seats),
    }
    if poll is None:
        return document
    given = counted(session, poll, poll.round)
    document |= {"poll": poll.id, "round": poll.round, "answered": given.answered}
    if poll.asking.kind == "choice":
        hands = list(poll.hands[poll.round - 1])
        return document | {"counts": given.counts(poll, poll.round), "hands": hands}
    values = [list(each) for each in given.values]
    return document | {"values": values, "more": given.more, "pins": pins(session, poll)}


def you_anew(number: int) -> Document:
    """Return what a new seat hears of itself."""
    return {"number": number, "answers": {}, "lost": False, "following": True}


def you(session: Session, seat: SeatRow, now: float) -> Document:
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
        "lost": now - seat.lost <= LOST_S,
        "following": seat.following,
    }


def table(session: Session, row: RoomRow) -> str:
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
        [names[answer.seat], numbers[poll.id], answer.round, *_cells(poll, answer.value)]
        for answer, poll in sorted(
            ((answer, polls[answer.poll_id]) for answer in answers),
            key=lambda pair: (pair[1].id, pair[0].round, names[pair[0].seat]),
        )
    )
    lines.writerows(_by_hand(numbers, polls.values()))
    return text.getvalue()


def _cells(poll: PollRow, value: Any) -> list[Any]:
    where = [poll.lesson, poll.screen]
    if poll.kind == "choice":
        return [poll.labels[value], int(value == poll.right), *where]
    said = value if poll.kind == "number" else json.dumps(value, sort_keys=True)
    return [said, "", *where]


def _by_hand(numbers: dict[int, int], polls: Iterable[PollRow]) -> Iterable[list[Any]]:
    """A line for each hand that was counted, without a seat."""
    for poll in polls:
        for round in range(1, ROUNDS + 1):
            for place, many in enumerate(poll.hands[round - 1]):
                yield from [["", numbers[poll.id], round, *_cells(poll, place)]] * many
