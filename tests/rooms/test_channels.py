"""A room's channel: what its subscribers are sent, and that it survives errors."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.orm import Session

from lnviz.background import failures
from lnviz.database.errors import StoreError
from lnviz.rooms import channels
from lnviz.rooms.channels import Channel, Role, Snapshot, Subscriber

STATE = {"rev": 3, "mode": "led", "shown": None}


@pytest.mark.anyio
@pytest.mark.parametrize("error", [KeyError("a row"), StoreError("The database is locked.")])
async def test_a_channel_survives_an_error_and_counts_one_that_is_unexpected(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channels, "REFRESH_S", 0.01)
    errors, before = [error], failures().get("room_channel", 0)

    async def look(read: Callable[[Session], Snapshot]) -> Snapshot:
        if errors:
            raise errors.pop()
        return Snapshot(True, STATE)

    channel, phone = Channel("room", "482913", look, time.time), Subscriber("seat", "ann")
    channel.add(phone, -1)
    channel.mark_changed()
    assert [(event, json.loads(data)) for event, data in await phone.next(10.0)] == [
        ("room", STATE)
    ]
    is_unexpected = not isinstance(error, StoreError)
    assert failures().get("room_channel", 0) == before + is_unexpected
    channel.remove(phone)


@pytest.mark.anyio
async def test_a_state_that_could_not_be_published_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(channels, "REFRESH_S", 0.01)
    known: list[Any] = []

    async def look(read: Callable[[Session], Snapshot]) -> Snapshot:
        known.append(channel._rev)
        return Snapshot(True, STATE if known[1:] else STATE | {"pose": object()})

    channel, phone = Channel("room", "482913", look, time.time), Subscriber("seat", "ann")
    channel.add(phone, -1)
    channel.mark_changed()
    assert [event for event, _ in await phone.next(10.0)] == ["room"]
    assert known == [-1, -1]
    channel.remove(phone)


@pytest.mark.anyio
async def test_a_mailbox_keeps_the_newest_of_each_event_in_the_order_of_events() -> None:
    phone = Subscriber("seat", "ann")
    for event, data in (("room", b"1"), ("you", b"2"), ("room", b"3")):
        phone.publish(event, data)
    assert await phone.next(10.0) == [("you", b"2"), ("room", b"3")]
    assert await phone.next(0.0) == []
    phone.publish("bye", b"4")
    phone.close()
    assert await phone.next(10.0) == [("bye", b"4")]
    assert await phone.next(10.0) == []  # a closed one does not wait
    assert phone.is_closed


class Source:
    """A room's snapshots, as a test sets them."""

    def __init__(self) -> None:
        self.state = STATE
        asked = {"poll": 7, "round": 1, "answered": 0, "asked": 3}
        self.tally = {"here": 3, "away": 0, "simulated": 2} | asked
        self.exists = True

    async def read(self, reader: Callable[[Session], Snapshot]) -> Snapshot:
        return Snapshot(self.exists, self.state, self.tally)


async def received(subscriber: Subscriber, wanted: str) -> Any:
    """The next document of an event."""
    while mail := await subscriber.next(10.0):
        for event, data in mail:
            if event == wanted:
                return json.loads(data)
    raise AssertionError(f"no {wanted} has come")


@pytest.mark.anyio
async def test_each_role_is_published_its_own_and_only_what_is_new(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(channels, "TALLY_INTERVAL_S", 0.01)
    monkeypatch.setattr(channels, "ATTENDANCE_INTERVAL_S", 0.01)
    source = Source()
    source.state = STATE | {"shown": {"values": [[1, 2]], "right": None}}
    channel = Channel("room", "482913", source.read, time.time)
    phone, wall, remote = (Subscriber(role, "") for role in ("seat", "screen", "remote"))
    for subscriber in (phone, wall, remote):
        channel.add(subscriber, -1)
    channel.mark_changed()
    assert (await received(phone, "room"))["shown"] == {"right": None}
    heads = {"here": 3, "poll": 7, "round": 1, "answered": 0, "asked": 3, "simulated": 2}
    assert await received(wall, "heads") == heads
    assert await received(remote, "tally") == source.tally
    source.tally = source.tally | {"away": 1}
    channel.mark_changed()
    assert await received(remote, "tally") == source.tally
    assert await wall.next(0.1) == []  # it is shown who is here, which has not changed
    assert await phone.next(0.0) == []
    source.tally = source.tally | {"answered": 1}
    channel.mark_changed()
    assert await received(wall, "heads") == heads | {"answered": 1}
    for subscriber in (phone, wall, remote):
        channel.remove(subscriber)


@pytest.mark.anyio
async def test_a_subscriber_that_knows_an_older_revision_is_sent_the_newer_at_once() -> None:
    source = Source()
    channel, first = Channel("room", "482913", source.read, time.time), Subscriber("seat", "ann")
    channel.add(first, -1)
    channel.mark_changed()
    await received(first, "room")
    late, current = Subscriber("seat", "ben"), Subscriber("seat", "eve")
    channel.add(late, STATE["rev"] - 1)
    channel.add(current, STATE["rev"])
    assert [event for event, _ in await late.next(0.0)] == ["room"]
    assert await current.next(0.0) == []
    for subscriber in (first, late, current):
        channel.remove(subscriber)
    assert channel.subscribers == []


@pytest.mark.anyio
@pytest.mark.parametrize("end", ["deleted", "ended"])
async def test_subscribers_are_closed_with_the_room(end: str) -> None:
    source = Source()
    source.exists = end != "deleted"
    source.state = STATE | {"mode": "ended" if end == "ended" else "led"}
    channel, phone = Channel("room", "482913", source.read, time.time), Subscriber("seat", "ann")
    channel.add(phone, -1)
    channel.mark_changed()
    events = [event for event, _ in await phone.next(10.0)]
    assert (events, phone.is_closed) == (["room"], True)
    channel.remove(phone)


@pytest.mark.anyio
@pytest.mark.parametrize("known", [-1, 3, 7])
@pytest.mark.parametrize("is_published", [True, False])
async def test_a_deleted_room_has_ended_for_all_whatever_state_they_have(
    known: int, is_published: bool
) -> None:
    source = Source()
    channel, phone = Channel("room", "482913", source.read, time.time), Subscriber("seat", "ann")
    channel.add(phone, known)  # a client ignores what is not newer than the state that it has
    if is_published:
        channel.mark_changed()
        await received(phone, "room")
    source.exists = False
    channel.mark_changed()
    ended = await received(phone, "room")
    assert ended["mode"] == "ended"
    assert ended["rev"] > max(known, STATE["rev"] if is_published else -1)
    channel.remove(phone)


@pytest.mark.anyio
async def test_what_is_counted_is_read_again_without_a_change_where_somebody_looks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(channels, "REFRESH_S", 0.02)
    source = Source()
    channel, wall = Channel("room", "482913", source.read, time.time), Subscriber("screen", "")
    channel.add(wall, -1)
    assert (await received(wall, "heads"))["here"] == 3
    source.tally = source.tally | {"here": 2}  # one has left, which changes no row
    assert (await received(wall, "heads"))["here"] == 2
    channel.remove(wall)


@pytest.mark.anyio
async def test_the_projector_is_told_who_is_here_less_often_than_the_remote(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(channels, "TALLY_INTERVAL_S", 0.01)
    monkeypatch.setattr(channels, "ATTENDANCE_INTERVAL_S", 1e6)
    source = Source()
    channel = Channel("room", "482913", source.read, time.time)
    wall, remote = Subscriber("screen", ""), Subscriber("remote", "")
    channel._attendance_at = -1e6  # it has not been told yet
    channel.add(wall, -1), channel.add(remote, -1)
    channel.mark_changed()
    assert (await received(wall, "heads"))["answered"] == 0
    assert (await received(remote, "tally"))["answered"] == 0
    for answered in (1, 2):
        source.tally = source.tally | {"answered": answered}
        channel.mark_changed()
        assert (await received(remote, "tally"))["answered"] == answered
    assert await wall.next(0.0) == []
    channel.remove(wall), channel.remove(remote)


@pytest.mark.anyio
@pytest.mark.parametrize(("role", "event"), [("remote", "tally"), ("screen", "heads")])
async def test_who_needs_counts_gets_them_without_a_change(role: Role, event: str) -> None:
    async def look(read: Callable[[Session], Snapshot]) -> Snapshot:
        counts = {"here": 1, "poll": None, "round": None, "answered": 0, "asked": 1, "simulated": 0}
        return Snapshot(True, STATE, counts if channel._needs_tally else None)

    channel, phone = Channel("room", "482913", look, time.time), Subscriber("seat", "ann")
    channel.add(phone, -1)
    channel.mark_changed()
    await phone.next(10.0)
    await asyncio.sleep(2 * channels.MIN_INTERVAL_S)  # the channel waits for a change now
    presenter = Subscriber(role, "")
    channel.add(presenter, STATE["rev"])  # type: ignore[arg-type]
    assert event in [name for name, _ in await presenter.next(10.0)]
    channel.remove(phone), channel.remove(presenter)


@pytest.mark.anyio
@pytest.mark.parametrize("role", ["remote", "screen"])
async def test_counts_that_are_overdue_are_read_without_a_wait(
    role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []
    timeout = asyncio.timeout

    def noted(seconds: float | None) -> asyncio.Timeout:
        waits.append(seconds)
        return timeout(seconds)

    monkeypatch.setattr(asyncio, "timeout", noted)
    source, presenter = Source(), Subscriber(role, "")
    channel = Channel("room", "482913", source.read, time.time)
    channel.add(presenter, -1)
    await received(presenter, {"remote": "tally", "screen": "heads"}[role])
    channel.remove(presenter)
    assert waits[:2] == [10.0, 0.0]  # the subscriber's, and the channel's
