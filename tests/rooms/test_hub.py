"""The rooms of one process: presence, retention, and that both survive errors."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import select

from lnviz.background import failures
from lnviz.database.models import RoomRow, SeatRow
from lnviz.errors import RequestError
from lnviz.rooms import hub, lifecycle, moderation, participation, presenter, simulation
from lnviz.rooms.auth import find_room
from lnviz.rooms.channels import Role
from lnviz.rooms.hub import RoomHub
from lnviz.rooms.queries import AWAY_AFTER_S
from lnviz.rooms.schema import PollQuestion
from lnviz.rooms.store import RoomStore
from lnviz.rooms.transactions import Transaction
from tests.rooms.classroom import CHOICE, SETTING, Clock


@asynccontextmanager
async def serving(url: str, clock: Clock) -> AsyncIterator[RoomHub]:
    live = RoomHub(lambda: RoomStore(url, clock))
    # A test that waits for what never happens fails, rather than hang.
    async with live.running(), asyncio.timeout(30.0):
        yield live


async def open_room(live: RoomHub) -> tuple[str, str]:
    """Open a room, and return its code and its presenter key."""
    opened = await live.write("", lambda tx: lifecycle.open_room(tx, "axes", 1))
    return opened["code"], opened["key"]


@pytest.mark.anyio
async def test_a_beat_notes_seats_and_walls_each_in_its_own_room(
    url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.02)
    async with serving(url, clock) as live:
        one, other = [
            await live.write("", lambda tx: lifecycle.open_room(tx, "axes", 1)) for _ in range(2)
        ]
        await live.write(one["code"], lambda tx: participation.join(tx, one["code"], "ann"))
        phone = await live.subscribe(one["code"], "seat", "ann")
        wall = await live.subscribe(other["code"], "screen", other["key"])
        for _ in range(2):  # what the first beat notes wrongly is there at the second
            clock.now += 100.0

            def seen(session: Any) -> tuple[Any, dict[str, float]]:
                rooms = session.execute(select(RoomRow.code, RoomRow.watched)).all()
                return session.scalars(select(SeatRow.seen)).one(), dict(rooms)

            while await live.read(seen) != (
                clock.now,
                {one["code"]: 0.0, other["code"]: clock.now},
            ):
                await asyncio.sleep(0.01)
        live.unsubscribe(*phone), live.unsubscribe(*wall)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("task", "module", "name"),
    [
        ("room_retention", lifecycle, "enforce_retention"),
        ("room_presence", presenter, "mark_presenter_seen"),
    ],
)
async def test_a_background_task_survives_an_unexpected_error(
    task: str,
    module: ModuleType,
    name: str,
    url: str,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(hub, "RETENTION_INTERVAL_S", 0.01)
    loop, done, before = asyncio.get_running_loop(), asyncio.Event(), failures().get(task, 0)

    def fails_at_first(tx: Transaction, **which: Any) -> None:
        if failures().get(task, 0) == before:
            raise KeyError("a row")
        loop.call_soon_threadsafe(done.set)

    monkeypatch.setattr(module, name, fails_at_first)
    async with serving(url, clock) as live:
        code, key = await open_room(live)
        wall = await live.subscribe(code, "screen", key)
        await asyncio.wait_for(done.wait(), 30.0)
        live.unsubscribe(*wall)
    assert failures()[task] > before


@pytest.mark.anyio
@pytest.mark.parametrize(("role", "limit"), [("seat", 2), ("screen", 8), ("remote", 8)])
async def test_a_stream_more_than_a_client_may_have_ends_its_first(
    role: Role, limit: int, url: str, clock: Clock
) -> None:
    async with serving(url, clock) as rooms:
        code, key = await open_room(rooms)
        await rooms.write(code, lambda tx: participation.join(tx, code, "ann"))
        who = "ann" if role == "seat" else key
        streams = [await rooms.subscribe(code, role, who) for _ in range(limit)]
        assert not any(subscriber.is_closed for _, subscriber in streams)
        streams.append(await rooms.subscribe(code, role, who))
        assert [subscriber.is_closed for _, subscriber in streams] == [True] + [False] * limit
        (*_, (event, data)) = await streams[0][1].next(0.0)
        assert (event, json.loads(data)) == ("bye", {"retry": 8000})
        assert (rooms.room_count, rooms.stream_count) == (1, limit + 1)
        # None has been read, so all are still there.
        streams += [await rooms.subscribe(code, role, who) for _ in range(limit)]
        assert [subscriber.is_closed for _, subscriber in streams[-limit:]] == [False] * limit
        assert all(subscriber.is_closed for _, subscriber in streams[:-limit])
        for stream in streams:
            rooms.unsubscribe(*stream)
        assert (rooms.room_count, rooms.stream_count) == (0, 0)


@pytest.mark.anyio
async def test_a_participant_has_left_with_the_last_stream_and_not_before(
    url: str, clock: Clock
) -> None:
    async with serving(url, clock) as rooms:
        code, key = await open_room(rooms)
        await rooms.write(code, lambda tx: participation.join(tx, code, "ann"))
        first, second = [await rooms.subscribe(code, "seat", "ann") for _ in range(2)]

        async def here() -> int:
            events = await rooms.current_events(code, "remote", key)
            count: int = events["tally"]["here"]
            return count

        rooms.unsubscribe(*first)
        await rooms.write(code, lambda tx: None)  # whatever was recorded is written with it
        assert await here() == 1
        rooms.unsubscribe(*second)
        while await here():
            await asyncio.sleep(0.01)


@pytest.mark.anyio
async def test_a_client_that_was_away_is_seen_again_when_it_subscribes(
    url: str, clock: Clock
) -> None:
    async with serving(url, clock) as rooms:
        code, _ = await open_room(rooms)
        await rooms.write(code, lambda tx: participation.join(tx, code, "ann"))
        clock.now += 100.0
        phone = await rooms.subscribe(code, "seat", "ann")
        while await rooms.read(lambda s: s.scalars(select(SeatRow.seen)).one()) != clock.now:
            await asyncio.sleep(0.01)
        rooms.unsubscribe(*phone)


@pytest.mark.anyio
async def test_a_remote_learns_whether_a_projector_shows_the_room(url: str, clock: Clock) -> None:
    async with serving(url, clock) as rooms:
        code, key = await open_room(rooms)

        async def projected() -> bool:
            events = await rooms.current_events(code, "remote", key)
            shown: bool = events["tally"]["projected"]
            return shown

        assert await projected()
        clock.now += AWAY_AFTER_S + 1
        remote = await rooms.subscribe(code, "remote", key)
        assert not await projected()
        screen = await rooms.subscribe(code, "screen", key)
        while not await projected():
            await asyncio.sleep(0.01)
        seen = await rooms.read(lambda s: s.scalars(select(RoomRow.projected)).one())
        other = await rooms.subscribe(code, "screen", key)
        for stream in (remote, other, screen):
            rooms.unsubscribe(*stream)
        while await rooms.read(lambda s: s.scalars(select(RoomRow.projected)).one()) == seen:
            await asyncio.sleep(0.01)
        clock.now += presenter.RELOAD_S - 1
        assert await projected()  # it may be loaded again
        clock.now += 2
        while await projected():
            await asyncio.sleep(0.01)


@pytest.mark.anyio
async def test_each_role_is_sent_its_own_documents(url: str, clock: Clock) -> None:
    async with serving(url, clock) as rooms:
        code, key = await open_room(rooms)
        await rooms.write(code, lambda tx: participation.join(tx, code, "ann"))
        seat = await rooms.current_events(code, "seat", "ann")
        screen = await rooms.current_events(code, "screen", key)
        remote = await rooms.current_events(code, "remote", key)
        assert [set(each) for each in (seat, screen, remote)] == [
            *({"you", "room"}, {"room", "heads"}, {"room", "tally"})
        ]
        heads = {"poll": None, "round": None, "answered": 0, "asked": 1, "simulated": 0}
        assert screen["heads"] == {"here": 1} | heads
        for role, who in (("seat", ""), ("seat", "ben"), ("screen", "no key"), ("remote", "")):
            with pytest.raises(RequestError) as refused:
                await rooms.current_events(code, role, who)  # type: ignore[arg-type]
            assert refused.value.status == 401


@pytest.mark.anyio
async def test_phones_are_told_which_of_their_answers_are_left_after_a_removal(
    url: str, clock: Clock
) -> None:
    async with serving(url, clock) as rooms:
        code, key = await open_room(rooms)
        given = {"rev": 0, "asking": SETTING}
        await rooms.write(code, lambda tx: presenter.command(tx, code, key, "ask", given))
        poll = (await rooms.current_events(code, "screen", key))["room"]["poll"]["id"]
        phones = {}
        for name, size in (("ann", "25"), ("ben", "6")):
            await rooms.write(code, partial(participation.join, code=code, client_id=name))
            phones[name] = (await rooms.subscribe(code, "seat", name))[1]
            vote = partial(participation.vote, code=code, client_id=name, poll_id=poll, round=1)
            await rooms.write(code, partial(vote, value={"size": size}, attempt=1))
        remove = partial(moderation.remove_answer, code=code, key=key, value={"size": "6"})
        assert await rooms.write(code, remove) == 1
        for name, sizes in (("ann", ["25"]), ("ben", [])):
            you: Any = {"removals": 0}
            while not you["removals"]:
                for event, data in await phones[name].next(1.0):
                    you = json.loads(data) if event == "you" else you
            kept = you["answers"].get(str(poll), {}).values()
            assert [answer["value"]["size"] for answer in kept] == sizes


@pytest.mark.anyio
async def test_a_removed_phone_and_remote_see_nothing_more_and_learn_it(
    url: str, clock: Clock
) -> None:
    async with serving(url, clock) as rooms:
        code, key = await open_room(rooms)
        for name, network in (("ann", "school"), ("amy", "school"), ("ben", "elsewhere")):
            joined = partial(participation.join, code=code, client_id=name, network=network)
            await rooms.write(code, joined)
        token = await rooms.write(code, lambda tx: presenter.create_remote_token(tx, code, key))
        other, number = await rooms.write(
            code, lambda tx: presenter.request_remote(tx, code, token)
        )

        async def command(verb: str, **more: Any) -> None:
            state = (await rooms.current_events(code, "screen", key))["room"]
            given = {"rev": state["rev"], **more}
            await rooms.write(code, lambda tx: presenter.command(tx, code, key, verb, given))

        await command("admit", number=number)
        assert (await rooms.current_events(code, "remote", other))["you"] == {"number": number}
        streams = {
            name: (await rooms.subscribe(code, role, principal))[1]
            for name, role, principal in (
                ("ann", "seat", "ann"),
                ("ben", "seat", "ben"),
                ("wall", "screen", key),
                ("remote", "remote", other),
            )
        }
        networks = await rooms.read(lambda s: moderation.list_networks(s, find_room(s, code)))
        assert [network["seats"] for network in networks] == [2, 1]
        await command("revoke", number=number)
        await command("ask", asking=CHOICE)
        poll = (await rooms.current_events(code, "seat", "ann"))["room"]["poll"]["id"]
        ann = partial(participation.vote, code=code, client_id="ann", poll_id=poll)
        await rooms.write(code, partial(ann, round=1, value=1, attempt=1))
        await rooms.write(
            code, lambda tx: moderation.remove_network(tx, code, key, networks[0]["id"])
        )

        async def heard(name: str) -> list[tuple[str, Any]]:
            """Return all events until the stream ends, or until none comes for a while."""
            events: list[tuple[str, Any]] = []
            while mail := await streams[name].next(0.5):
                events += [(event, json.loads(data)) for event, data in mail]
            return events

        gone = await heard("ann")
        assert (gone[-1][0], streams["ann"].is_closed) == ("bye", True)
        assert 0 < gone[-1][1]["retry"] < 1000  # the phone does not call it a lost connection
        told = await heard("remote")
        assert (told[-1][0], streams["remote"].is_closed) == ("bye", True)
        assert all(data.get("poll") is None for event, data in told)
        for name in ("ben", "wall"):
            assert "bye" not in dict(await heard(name))
            assert not streams[name].is_closed
        for role, principal in (("seat", "ann"), ("remote", other)):
            with pytest.raises(RequestError) as refused:
                await rooms.current_events(code, role, principal)  # type: ignore[arg-type]
            assert refused.value.status == 401


@pytest.mark.anyio
async def test_all_streams_end_at_shutdown_and_come_back_scattered(url: str, clock: Clock) -> None:
    async with serving(url, clock) as rooms:
        code, key = await open_room(rooms)
        walls = [await rooms.subscribe(code, "screen", key) for _ in range(8)]
        assert not rooms.is_closing
        rooms.close_streams()
        assert rooms.is_closing
        delays = set()
        for _, subscriber in walls:
            (*_, (event, data)) = await subscriber.next(0.0)
            assert (event, subscriber.is_closed) == ("bye", True)
            delays.add(json.loads(data)["retry"])
        assert len(delays) > 1
        assert all(300 <= delay <= 2000 for delay in delays)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["choice", "setting", "number"])
async def test_simulated_students_answer_in_batches_until_all_have(
    kind: str, url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "BATCH_INTERVAL_S", (0.0, 0.001))
    own = PollQuestion("number", text="How many?")
    question = {"choice": CHOICE, "setting": SETTING, "number": own}[kind]

    async def examples() -> list[Any]:
        assert kind == "setting"
        return [{"size": "25"}]

    async with serving(url, clock) as rooms:
        code, key = await open_room(rooms)
        await rooms.write(code, lambda tx: simulation.toggle_simulated(tx, code, key))
        ask = {"asking": question, "rev": 1}
        await rooms.write(code, lambda tx: presenter.command(tx, code, key, "ask", ask))
        rooms.simulate_answers(code, examples)
        counts: list[int] = []
        while not counts or counts[-1] < 30:
            tally = (await rooms.current_events(code, "remote", key))["tally"]
            counts.append(tally["answered"])
            await asyncio.sleep(0.01)
        assert all(count % 3 == 0 for count in counts)


@pytest.mark.anyio
@pytest.mark.parametrize(("seconds", "expected"), [(0.0, 0), (10.0, 0), (10.5, 1)])
async def test_a_participant_who_was_just_seen_is_not_recorded_again(
    seconds: float, expected: int, url: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded: list[float] = []
    monkeypatch.setattr(participation, "mark_seen", lambda tx, code, keys, at: recorded.append(at))
    async with serving(url, clock) as rooms:
        code, _ = await open_room(rooms)
        await rooms.write(code, lambda tx: participation.join(tx, code, "ann"))
        clock.now += seconds
        phone = await rooms.subscribe(code, "seat", "ann")
        await asyncio.sleep(0)  # lets what is recorded in the background be submitted
        await rooms.write(code, lambda tx: None)
        assert len(recorded) == expected
        rooms.unsubscribe(*phone)


@pytest.mark.anyio
async def test_the_database_is_closed_after_the_last_write(url: str, clock: Clock) -> None:
    store, order = RoomStore(url, clock), []
    close, loop = store.close, asyncio.get_running_loop()
    has_begun, may_end = asyncio.Event(), threading.Event()

    def close_store() -> None:
        order.append("closed")
        close()

    def write(tx: Transaction) -> None:
        loop.call_soon_threadsafe(has_begun.set)
        may_end.wait()
        order.append("written")

    store.close = close_store  # type: ignore[method-assign]
    rooms = RoomHub(lambda: store)
    async with rooms.running():
        writing = asyncio.create_task(rooms.write("", write))
        await has_begun.wait()
        loop.call_later(0.2, may_end.set)
    await writing
    assert order == ["written", "closed"]
