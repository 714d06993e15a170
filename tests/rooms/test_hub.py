"""The rooms of one process: presence, retention, and that both survive errors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

import pytest
from sqlalchemy import select

from lnviz.background import failures
from lnviz.database.models import RoomRow, SeatRow
from lnviz.rooms import hub, lifecycle, participation, presenter
from lnviz.rooms.hub import RoomHub
from lnviz.rooms.store import RoomStore
from lnviz.rooms.transactions import Transaction
from tests.rooms.classroom import Clock


@asynccontextmanager
async def serving(url: str, clock: Clock) -> AsyncIterator[RoomHub]:
    live = RoomHub(lambda: RoomStore(url, clock))
    async with live.running():
        yield live


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
        opened = await live.write("", lambda tx: lifecycle.open_room(tx, "axes", 1))
        wall = await live.subscribe(opened["code"], "screen", opened["key"])
        await asyncio.wait_for(done.wait(), 30.0)
        live.unsubscribe(*wall)
    assert failures()[task] > before
