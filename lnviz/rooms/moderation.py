"""Order in a room: where seats come from, and removing seats and answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from lnviz.database.models import AnswerRow, PollRow, RoomRow, SeatRow
from lnviz.errors import RequestError
from lnviz.rooms.queries import Document
from lnviz.rooms.questions import forget_seats
from lnviz.rooms.transactions import Transaction

ID_LENGTH = 12
"""Characters of a network's hash that presenters get, as its id."""

MAX_LISTED = 8
"""Maximum number of networks in a list, those with the most seats first."""


def list_networks(session: Session, row: RoomRow) -> list[Document]:
    """Return the networks that seats come from, as JSON data.

    Each has an `id`, the number of its `seats` and of their `answers`, and whether it is `blocked`.

    A network is an IPv4 address or the prefix of an IPv6 address; its hash tells nobody which.
    """
    of_room = (SeatRow.room_id == row.id) & ~SeatRow.simulated
    counted = select(SeatRow.network, func.count()).where(of_room).group_by(SeatRow.network)
    counts = dict.fromkeys(row.blocked, 0) | {
        network: seats for network, seats in session.execute(counted)
    }
    answers = (
        select(SeatRow.network, func.count())
        .join(AnswerRow, AnswerRow.seat == SeatRow.number)
        .join(PollRow, (PollRow.id == AnswerRow.poll_id) & (PollRow.room_id == row.id))
        .where(of_room)
        .group_by(SeatRow.network)
    )
    answered = {network: count for network, count in session.execute(answers)}
    networks: list[Document] = [
        {
            "id": network[:ID_LENGTH],
            "seats": seats,
            "answers": answered.get(network, 0),
            "blocked": network in row.blocked,
        }
        for network, seats in counts.items()
    ]
    return sorted(networks, key=lambda network: -network["seats"])[:MAX_LISTED]


def set_blocked(tx: Transaction, code: str, key: str, network_id: Any, blocked: bool) -> None:
    """Refuse new seats from a network, or admit them again, after checking the presenter key."""
    row = tx.require_presenter(code, key)
    network = _find_network(tx, row, network_id)
    others = [each for each in row.blocked if each != network]
    row.blocked = [*others, network] if blocked else others
    tx.changed_rooms.add(row.id)


def remove_network(tx: Transaction, code: str, key: str, network_id: Any) -> int:
    """Remove all seats from a network with their answers and questions; return how many.

    Phones that are still there join again by themselves, unless the network is blocked or
    the room is locked.
    """
    row = tx.require_presenter(code, key)
    network = _find_network(tx, row, network_id)
    of_network = select(SeatRow).where(SeatRow.room_id == row.id, SeatRow.network == network)
    seats = list(tx.session.scalars(of_network))
    remove_seats(tx, row, seats)
    _mark_removed(tx, row)
    return len(seats)


def remove_seats(tx: Transaction, row: RoomRow, seats: Sequence[SeatRow]) -> None:
    """Remove seats of a room with their answers and questions."""
    numbers = [seat.number for seat in seats]
    polls = select(PollRow.id).where(PollRow.room_id == row.id)
    answers = AnswerRow.poll_id.in_(polls) & AnswerRow.seat.in_(numbers)
    tx.session.execute(delete(AnswerRow).where(answers))
    forget_seats(tx.session, row, numbers)
    for seat in seats:
        tx.seats.remove(row, seat)


def remove_answer(tx: Transaction, code: str, key: str, value: Any) -> int:
    """Remove all answers with a value from the current round; return how many.

    It is for answers that a teacher does not want on the projector. The seats stay, and may answer
    again.

    Raises:
        RequestError: No question is asked, or nobody has answered so.
    """
    row = tx.require_presenter(code, key)
    poll = tx.session.get(PollRow, row.poll_id) if row.poll_id is not None else None
    if poll is None:
        raise RequestError("No question is asked.")
    wanted = json.dumps(value, sort_keys=True)
    of_round = select(AnswerRow).where(AnswerRow.poll_id == poll.id, AnswerRow.round == poll.round)
    removed = [
        answer
        for answer in tx.session.scalars(of_round)
        if json.dumps(answer.value, sort_keys=True) == wanted
    ]
    if not removed:
        raise RequestError("No answer like this is there any more.")
    for answer in removed:
        tx.session.delete(answer)
    row.removals += 1  # by which phones know that an answer is not just late
    _mark_removed(tx, row)
    return len(removed)


def _mark_removed(tx: Transaction, row: RoomRow) -> None:
    tx.has_deleted = True
    row.rev += 1  # the results that are shown may have changed
    tx.changed_rooms.add(row.id)


def _find_network(tx: Transaction, row: RoomRow, network_id: Any) -> str:
    networks = select(SeatRow.network).where(SeatRow.room_id == row.id, ~SeatRow.simulated)
    hashes: list[str] = [*tx.session.scalars(networks.distinct()), *row.blocked]
    for network in hashes:
        if network[:ID_LENGTH] == network_id:
            return network
    raise RequestError("No phone of this network is here any more.")
