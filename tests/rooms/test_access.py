"""Access to a room: by its code, a seat and a key, and the HTTP status of each refusal."""

from collections.abc import Callable
from typing import Any

import pytest

from lnviz.database.models import RoomRow
from lnviz.errors import RequestError
from lnviz.rooms import lifecycle, participation, presenter, retention
from lnviz.rooms.auth import find_room, is_member, participant_hash, sha256_hex
from lnviz.rooms.store import RoomStore
from tests.rooms.classroom import Classroom, Clock


def refusal(store: RoomStore, operation: Callable[[Any], Any]) -> tuple[int, int]:
    with pytest.raises(RequestError) as refused:
        store.execute(operation)
    return refused.value.status, refused.value.retry_after


def test_each_refusal_has_its_status(room: Classroom, store: RoomStore) -> None:
    code, key = room.code, room.key
    poll = room.ask()
    assert refusal(store, lambda tx: participation.join(tx, "none", "ann")) == (404, 0)
    assert refusal(store, lambda tx: tx.require_presenter(code, "no key")) == (403, 0)
    for name in ("", "ben"):
        assert refusal(store, lambda tx, n=name: participation.signal(tx, code, n, {})) == (401, 0)
        vote = (code, name, poll, 1, 1, 1)
        assert refusal(store, lambda tx, v=vote: participation.vote(tx, *v)) == (401, 0)
    assert refusal(store, lambda tx: presenter.request_remote(tx, code, "")) == (403, 0)
    assert refusal(store, lambda tx: lifecycle.open_room(tx, "a b", 1)) == (422, 0)
    assert refusal(store, lambda tx: lifecycle.open_room(tx, None, 1)) == (422, 0)
    room.command("lock")
    assert refusal(store, lambda tx: participation.join(tx, code, "ann")) == (423, 0)
    room.end()
    assert refusal(store, lambda tx: participation.join(tx, code, "ann")) == (410, 0)
    for read in (lambda s: find_room(s, code), lambda s: find_room(s, "none")):
        with pytest.raises(RequestError) as refused:
            store.read(read)
        assert refused.value.status in (410, 404)
    assert store.execute(lambda tx: tx.require_presenter(code, key).code) == code


def test_what_is_full_says_when_to_try_again(
    room: Classroom, store: RoomStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(participation, "MAX_SEATS", 2)
    monkeypatch.setattr(retention, "MAX_ROOMS", 1)
    room.join("ann")
    room.join("ben")
    assert refusal(store, lambda tx: participation.join(tx, room.code, "eve")) == (503, 5)
    assert refusal(store, lambda tx: lifecycle.open_room(tx, "axes", 1)) == (503, 60)


def test_a_member_has_a_seat_or_the_key_of_a_room_that_there_is(
    room: Classroom, store: RoomStore
) -> None:
    room.join("ann")
    for code, client, key, expected in (
        *((room.code, "ann", "", True), (room.code, "ben", room.key, True)),
        *((room.code, "ben", "no key", False), ("none", "ann", room.key, False)),
    ):
        args = code, client, key
        assert store.read(lambda s, args=args: is_member(s, *args)) is expected


def test_a_client_is_stored_as_a_hash_salted_by_the_room() -> None:
    one, other = RoomRow(salt="1"), RoomRow(salt="2")
    hashes = {participant_hash(one, "ann"), participant_hash(other, "ann"), sha256_hex("ann")}
    assert len(hashes) == 3
    assert {len(each) for each in hashes} == {64}


def test_a_new_room_has_six_digits_that_no_other_has_and_is_as_it_was_opened(
    store: RoomStore, clock: Clock
) -> None:
    opened = [store.execute(lambda tx: lifecycle.open_room(tx, "axes", 3)) for _ in range(20)]
    codes = {each["code"] for each in opened}
    assert len(codes) == 20
    assert all(len(code) == 6 and code.isdecimal() for code in codes)
    code, key = opened[0]["code"], opened[0]["key"]

    def read(session: Any) -> dict[str, Any]:
        row = find_room(session, code)
        return {column.name: getattr(row, column.name) for column in RoomRow.__table__.columns}

    row = store.read(read)
    assert (len(row["id"]), len(row["salt"]), row["opener_key"]) == (32, 64, sha256_hex(key))
    assert (row["created"], row["used"], row["watched"], row["ended"]) == (clock.now,) * 2 + (
        *(0.0, None),
    )
    for name, value in (
        *(("mode", "led"), ("lesson", "axes"), ("screen", 3), ("rev", 0), ("locked", False)),
        *(("last_seat_number", 0), ("joined_remotely", False), ("remote_token_hash", "")),
        *(("remote_token_expires", 0.0), ("poll_id", None)),
    ):
        assert row[name] == value, name


def test_a_phone_that_came_by_a_lan_url_is_remembered(room: Classroom, store: RoomStore) -> None:
    def reached() -> bool:
        return store.read(lambda s: room.row(s).joined_remotely)

    for name, by_lan, expected in (
        ("ann", False, False),
        ("ben", True, True),
        ("eve", False, True),
    ):
        args = (room.code, name, by_lan)
        store.execute(lambda tx, args=args: participation.join(tx, *args))
        assert reached() is expected


@pytest.mark.parametrize("by_lan", [False, True])
def test_a_remote_that_came_by_a_lan_url_counts_as_a_phone_that_did(
    room: Classroom, store: RoomStore, by_lan: bool
) -> None:
    token = store.execute(lambda tx: presenter.create_remote_token(tx, room.code, room.key))
    store.execute(lambda tx: presenter.request_remote(tx, room.code, token, by_lan))
    assert store.read(lambda s: room.row(s).joined_remotely) is by_lan


@pytest.mark.parametrize("seconds", [600.0, 600.5])
def test_a_remote_token_expires_after_ten_minutes(
    seconds: float, room: Classroom, store: RoomStore, clock: Clock
) -> None:
    token = store.execute(lambda tx: presenter.create_remote_token(tx, room.code, room.key))
    clock.now += seconds
    if seconds > 600.0:
        request = lambda tx: presenter.request_remote(tx, room.code, token)  # noqa: E731
        assert refusal(store, request) == (403, 0)
        return
    store.execute(lambda tx: presenter.request_remote(tx, room.code, token))
    assert store.read(lambda s: room.row(s).remote_token_hash) == ""
