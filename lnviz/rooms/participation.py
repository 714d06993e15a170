"""Database operations of participants: join a room, vote, send signals, and presence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import update

from lnviz.database.models import RoomRow, SeatRow
from lnviz.errors import RequestError
from lnviz.rooms import queries, retention
from lnviz.rooms.auth import NO_SEAT, network_hash, participant_hash
from lnviz.rooms.queries import Document
from lnviz.rooms.schema import parse_int
from lnviz.rooms.transactions import Transaction
from lnviz.rooms.votes import StoredVote

MAX_SEATS = 400  # of a room
MAX_ATTEMPT = 2**31 - 1  # that an integer column holds


def join(
    tx: Transaction, code: str, client_id: str, remotely: bool = False, network: str = ""
) -> Document:
    """Return a client's seat in a room, a new or an earlier one, as `number`, `state` and `you`.

    Args:
        tx: Transaction.
        code: Code of the room.
        client_id: Id of the client.
        remotely: Whether the client used a URL that other machines can use.
        network: Network of the client.

    Raises:
        RequestError: The room is unknown, ended, full, or closed to newcomers.
    """
    row = tx.get_active_room(code)
    key, hashed_network = participant_hash(row, client_id), network_hash(row, network)
    if key not in tx.seats.numbers(row):
        if row.locked:
            raise RequestError("This room is closed to newcomers. Ask the teacher.", 423)
        if hashed_network in row.blocked:
            raise RequestError("New phones on this network cannot join. Ask the teacher.", 423)
        if len(tx.seats.numbers(row)) >= MAX_SEATS:
            _evict_seat(tx, row)
        you = queries.new_participant_state(row, tx.seats.add(row, key, hashed_network).number)
    else:
        tx.votes.flush()
        seat = tx.seats.find(row, client_id)
        seat.seen = tx.now
        you = queries.participant_state(tx.session, row, seat, tx.now)
    row.used, row.joined_remotely = tx.now, row.joined_remotely or remotely
    tx.changed_rooms.add(row.id)
    return {"number": you["number"], "state": tx.participant_view(row), "you": you}


def vote(
    tx: Transaction, code: str, client_id: str, poll_id: int, round: int, value: Any, attempt: Any
) -> StoredVote:
    """Store a participant's answer unless a later attempt is stored; return the stored answer.

    With it comes the room's number of removals so far.

    This is the only operation that a shared transaction may run.

    Args:
        tx: Transaction.
        code: Code of the room.
        client_id: Id of the client.
        poll_id: Id of the poll.
        round: Round of the poll.
        value: Answer, as received.
        attempt: Number of the client's attempt, as received.

    Raises:
        RequestError: The client has no seat, the answer is invalid, or the round is closed. If it
            is closed, the error carries the current `state` and `you`.
    """
    row = tx.get_active_room(code)
    number = tx.seats.numbers(row).get(participant_hash(row, client_id))
    if number is None:
        raise RequestError(NO_SEAT, 401)
    attempt = parse_int(attempt, MAX_ATTEMPT, "The number of an attempt", minimum=0)
    poll = tx.polls.find(row, poll_id)
    if poll is None or not poll.accepts(round, tx.now):
        tx.votes.flush()
        raise RequestError(
            "This round is closed.",
            state=tx.participant_view(row),
            you=queries.participant_state(tx.session, row, tx.seats.find(row, client_id), tx.now),
        )
    answer = poll.question.parse_answer(value)
    stored = tx.votes.add(poll_id, round, number, answer, attempt)
    stored["removals"] = row.removals
    if row.used < tx.now - retention.USE_INTERVAL_S:
        row.used = tx.now  # not for each vote: concurrent writers of one row wait for each other
    tx.changed_rooms.add(row.id)
    return stored


def signal(tx: Transaction, code: str, client_id: str, args: Mapping[str, Any]) -> None:
    """Store whether a participant is `lost`, and whether they are `following` the presenter."""
    row = tx.get_active_room(code)
    seat = tx.seats.find(row, client_id)
    if "lost" in args:
        seat.lost = tx.now if args["lost"] else 0.0
    if "following" in args:
        seat.following = bool(args["following"])
    tx.changed_rooms.add(row.id)


def mark_seen(tx: Transaction, code: str, keys: Iterable[str], at: float) -> None:
    """Record the time at which the seats with these participant hashes were last connected."""
    row = tx.get_room(code)
    seats = (SeatRow.room_id == row.id) & SeatRow.key.in_(keys) & (SeatRow.seen < at)
    tx.session.execute(update(SeatRow).where(seats).values(seen=at, connected=True))
    tx.changed_rooms.add(row.id)


def mark_left(tx: Transaction, code: str, key: str, since: float) -> None:
    """Record that a participant has disconnected, unless they were seen after `since`."""
    row = tx.get_room(code)
    seat = (SeatRow.room_id == row.id) & (SeatRow.key == key) & (SeatRow.seen <= since)
    tx.session.execute(update(SeatRow).where(seat).values(seen=0.0))
    tx.changed_rooms.add(row.id)


def _evict_seat(tx: Transaction, row: RoomRow) -> None:
    """Evict the seat chosen by `retention.evictable_seat`, to make room for a new participant.

    Raises:
        RequestError: No seat can be removed.
    """
    tx.votes.flush()
    seat = retention.evictable_seat(tx.session, row, tx.now)
    if seat is None:
        raise RequestError("All seats of this room are taken. Your phone keeps trying.", 503, 5)
    tx.seats.remove(row, seat)
