"""A room's channel: what its subscribers are sent, and that it survives errors."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy.orm import Session

from lnviz.background import failures
from lnviz.database.errors import StoreError
from lnviz.rooms import channels
from lnviz.rooms.channels import Channel, Snapshot, Subscriber

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
