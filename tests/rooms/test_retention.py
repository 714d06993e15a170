"""Retention at its limits: what is idle, expired, evicted, and what never is."""

from typing import Any

import pytest
from sqlalchemy import select

from lnviz.database.models import RoomRow, SeatRow
from lnviz.errors import RequestError
from lnviz.rooms import lifecycle, participation, presenter, retention
from lnviz.rooms.auth import participant_hash
from lnviz.rooms.queries import AWAY_AFTER_S, CONFUSED_FOR_S
from lnviz.rooms.retention import (
    EVICTABLE_AFTER_S,
    IDLE_AFTER_S,
    KEEP_ENDED_S,
    USE_INTERVAL_S,
    evictable_room,
    evictable_seat,
)
from lnviz.rooms.store import RoomStore
from tests.rooms.classroom import Classroom, Clock


def codes(store: RoomStore, condition: Any) -> set[str]:
    return set(store.read(lambda s: s.scalars(select(RoomRow.code).where(condition)).all()))


def evicted(store: RoomStore, now: float) -> str | None:
    def read(session: Any) -> str | None:
        row = evictable_room(session, now)
        return row.code if row else None

    return store.read(read)


def test_a_room_is_idle_after_its_last_use_or_view(
    room: Classroom, store: RoomStore, clock: Clock
) -> None:
    start = clock.now
    assert not codes(store, retention.is_idle(start + IDLE_AFTER_S))
    assert codes(store, retention.is_idle(start + IDLE_AFTER_S + 1)) == {room.code}
    store.execute(lambda tx: presenter.mark_presenter_seen(tx, room.code, start + 100))
    assert not codes(store, retention.is_idle(start + IDLE_AFTER_S + 100))
    assert codes(store, retention.is_idle(start + IDLE_AFTER_S + 101)) == {room.code}


def test_a_room_that_has_ended_is_not_idle_and_expires_later(
    room: Classroom, store: RoomStore, clock: Clock
) -> None:
    assert not codes(store, retention.is_expired(clock.now + 1e9))
    room.end()
    assert not codes(store, retention.is_idle(clock.now + 1e9))
    assert not codes(store, retention.is_expired(clock.now + KEEP_ENDED_S))
    assert codes(store, retention.is_expired(clock.now + KEEP_ENDED_S + 1)) == {room.code}


def test_the_end_by_retention_is_a_revision_without_a_poll(
    room: Classroom, store: RoomStore, clock: Clock
) -> None:
    room.ask()
    rev = room.state["rev"]
    clock.now += IDLE_AFTER_S + 1
    store.execute(lifecycle.enforce_retention)
    columns = select(RoomRow.rev, RoomRow.mode, RoomRow.ended, RoomRow.poll_id)
    stored = store.read(lambda s: tuple(s.execute(columns).one()))
    assert stored == (rev + 1, "ended", clock.now, None)


def test_presence_of_a_presenter_is_stored_once_a_minute(
    room: Classroom, store: RoomStore, clock: Clock
) -> None:
    def watched() -> float:
        return store.read(lambda s: room.row(s).watched)

    for seconds, expected in ((0.0, 0.0), (USE_INTERVAL_S, 0.0), (USE_INTERVAL_S + 1, 1.0)):
        at = clock.now + seconds
        store.execute(lambda tx, at=at: presenter.mark_presenter_seen(tx, room.code, at))
        assert watched() == (clock.now if expected == 0.0 else at)


def test_votes_store_the_use_of_a_room_once_a_minute(
    room: Classroom, store: RoomStore, clock: Clock
) -> None:
    room.join("ann")
    room.ask()
    start = clock.now
    for n, (seconds, expected) in enumerate(((USE_INTERVAL_S, 0.0), (1.0, USE_INTERVAL_S + 1))):
        clock.now += seconds
        room.vote("ann", 1, n=n)
        assert store.read(lambda s: room.row(s).used) == start + expected


def test_rooms_without_seats_are_evicted_first_and_then_the_oldest(
    store: RoomStore, clock: Clock
) -> None:
    with_seat = Classroom(store)
    with_seat.join("ann")
    clock.now += 10
    first, second = Classroom(store), Classroom(store)
    clock.now += 10
    second.command("lock")
    assert evicted(store, clock.now) == first.code
    store.execute(lambda tx: lifecycle.delete_room(tx, first.code, first.key))
    assert evicted(store, clock.now) == second.code
    store.execute(lambda tx: lifecycle.delete_room(tx, second.code, second.key))
    assert evicted(store, clock.now - 20 + EVICTABLE_AFTER_S) is None
    assert evicted(store, clock.now - 20 + EVICTABLE_AFTER_S + 1) == with_seat.code
    clock.now += EVICTABLE_AFTER_S
    newest = Classroom(store)
    assert evicted(store, clock.now) == newest.code  # nobody has joined it
    newest.join("ben")
    assert evicted(store, clock.now + EVICTABLE_AFTER_S + 1) == with_seat.code


@pytest.mark.parametrize("use", ["seen", "watched", "answer"])
def test_a_room_that_somebody_needs_is_not_evicted(
    use: str, room: Classroom, store: RoomStore, clock: Clock
) -> None:
    room.join("ann")
    if use == "answer":
        room.ask(), room.vote("ann", 1)
    key = store.read(lambda s: participant_hash(room.row(s), "ann"))
    later = clock.now + EVICTABLE_AFTER_S + 1
    if use == "seen":
        store.execute(lambda tx: participation.mark_seen(tx, room.code, [key], later))
    if use == "watched":
        store.execute(lambda tx: presenter.mark_presenter_seen(tx, room.code, later))
    spared = {"seen": AWAY_AFTER_S, "watched": 2 * USE_INTERVAL_S, "answer": 1e9}[use]
    assert evicted(store, later + spared) is None
    assert evicted(store, later + spared + 1) == (None if use == "answer" else room.code)


@pytest.mark.parametrize("fields", [{"pose": "invalid"}, {"counted": "invalid"}])
def test_a_request_that_is_invalid_evicts_no_room(
    fields: dict[str, Any],
    room: Classroom,
    store: RoomStore,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(retention, "MAX_ROOMS", 1)
    clock.now += EVICTABLE_AFTER_S + 1
    with pytest.raises(RequestError) as refused:
        store.execute(lambda tx: lifecycle.open_room(tx, "axes", 1, fields))
    assert refused.value.status == 422
    assert codes(store, RoomRow.ended.is_(None)) == {room.code}


def test_the_longest_absent_seat_without_answers_is_evicted(
    room: Classroom, store: RoomStore, clock: Clock
) -> None:
    for name in ("voter", "first", "second"):
        room.connect(name)
        clock.now += 1
    room.ask()
    room.vote("voter", 1)

    def number(now: float) -> int | None:
        def read(session: Any) -> int | None:
            seat = evictable_seat(session, room.row(session), now)
            return seat.number if seat else None

        return store.read(read)

    last_seen = clock.now - 2  # of `first`
    assert number(last_seen + AWAY_AFTER_S) is None
    assert number(last_seen + AWAY_AFTER_S + 0.5) == 2
    store.execute(lambda tx: tx.session.delete(tx.seats.find(tx.get_room(room.code), "first")))
    assert number(clock.now + AWAY_AFTER_S) == 3


def test_who_is_asked_is_here_or_has_answered(room: Classroom, clock: Clock) -> None:
    for name in ("ann", "ben"):
        room.join(name)
    assert room.tally["asked"] == 2
    room.ask()
    room.vote("ann", 0)
    clock.now += AWAY_AFTER_S + 1
    room.join("eve")  # and has not answered
    assert (room.tally["here"], room.tally["answered"], room.tally["asked"]) == (1, 1, 2)


def test_presence_and_signals_expire_at_their_limits(
    room: Classroom, store: RoomStore, clock: Clock
) -> None:
    room.join("ann")
    store.execute(lambda tx: participation.signal(tx, room.code, "ann", {"lost": True}))
    start = clock.now
    clock.now = start + AWAY_AFTER_S
    assert (room.tally["here"], room.tally["away"], room.tally["lost"]) == (1, 0, 1)
    clock.now += 1
    assert (room.tally["here"], room.tally["away"], room.tally["lost"]) == (0, 1, 0)
    clock.now = start + CONFUSED_FOR_S
    assert room.join("ann")["you"]["lost"]
    assert room.tally["lost"] == 1
    clock.now += 1
    assert not room.join("ann")["you"]["lost"]
    assert room.tally["lost"] == 0
    store.execute(lambda tx: participation.signal(tx, room.code, "ann", {"lost": True}))
    store.execute(lambda tx: participation.signal(tx, room.code, "ann", {"lost": False}))
    columns = select(SeatRow.lost, SeatRow.following)
    assert store.read(lambda s: tuple(s.execute(columns).one())) == (0.0, True)
