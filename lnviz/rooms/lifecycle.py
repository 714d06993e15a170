"""Lifecycle of rooms: open, delete, and end when idle."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from lnviz.database.models import RoomRow
from lnviz.errors import RequestError
from lnviz.rooms import retention
from lnviz.rooms.auth import sha256_hex
from lnviz.rooms.queries import Document
from lnviz.rooms.schema import is_token, parse_figure_state
from lnviz.rooms.state import (
    Poll,
    parse_plan,
    parse_screen,
    parse_screen_index,
    parse_screen_task,
    parse_slide,
    parse_slides,
)
from lnviz.rooms.transactions import Transaction


def open_room(
    tx: Transaction,
    lesson: Any,
    screen: Any,
    args: Mapping[str, Any] | None = None,
    network: str = "",
) -> Document:
    """Open a room at a screen; return its `code`, its revision `rev`, and the presenter's `key`.

    Args:
        tx: Transaction.
        lesson: Slug of the lesson.
        screen: Number or name of the screen.
        args: Further fields of the request: `pose`, `task`, `counted`, `plan`, `slide` and `slides`
            as in `state.Room`, and `asking`, the screen's `PollQuestion`. A task on a figure is
            asked at once.
        network: Hash of the network from which the room is opened.

    Raises:
        RequestError: A field is invalid, or all rooms of the server are in use.
    """
    args = args or {}
    if not (isinstance(lesson, str) and is_token(lesson)):
        raise RequestError("To open a room, name a lesson by its address.", 422)
    screen, task = parse_screen(screen), parse_screen_task(args)
    pose, counted = parse_figure_state(args.get("pose", {})), parse_screen_index(args)
    if retention.is_full(tx.session):
        evicted = retention.evictable_room(tx.session, tx.now, network)
        if evicted is None:
            raise RequestError("All rooms of this server are in use. Try again later.", 503, 60)
        tx.delete_room(evicted)
    code, key = _unused_code(tx), secrets.token_urlsafe(16)
    row = RoomRow(
        id=secrets.token_hex(16),
        code=code,
        salt=secrets.token_hex(32),
        network=network,
        opener_key=sha256_hex(key),
        remotes=[],
        blocked=[],
        questions_open=False,
        mode="led",
        lesson=lesson,
        screen=screen,
        pose=pose,
        task=task,
        counted=counted,
        plan=parse_plan(args),
        slide=parse_slide(args),
        slides=parse_slides(args),
        locked=False,
        card=True,
        rev=0,
        created=tx.now,
        used=tx.now,
        projected=tx.now,  # usually the projector opens the room, and connects in a moment
    )
    row.last_seat_number, row.joined_remotely = 0, False
    row.remote_token_hash, row.remote_token_expires = "", 0.0
    tx.session.add(row)
    if task and args.get("asking"):
        tx.session.flush()  # the poll refers to the room
        tx.polls.save(row, Poll(args["asking"], task=task, figure_state=pose))
    return {"code": code, "rev": 0, "key": key}


def delete_room(tx: Transaction, code: str, key: str) -> None:
    """Delete a room with all its data, after checking the presenter key."""
    tx.delete_room(tx.require_presenter(code, key))


def enforce_retention(tx: Transaction) -> None:
    """End idle rooms, and delete rooms that ended long ago, as defined in `retention`."""
    for row in tx.matching_rooms(retention.is_idle(tx.now)):
        end_room(tx, row)
    for row in tx.matching_rooms(retention.is_expired(tx.now)):
        tx.delete_room(row)


def end_room(tx: Transaction, row: RoomRow) -> None:
    """End a room; its answers are kept until retention deletes it."""
    row.mode, row.rev, row.ended, row.poll_id = "ended", row.rev + 1, tx.now, None
    tx.changed_rooms.add(row.id)


def _unused_code(tx: Transaction) -> str:
    taken = set(tx.session.scalars(select(RoomRow.code)))
    while (code := f"{secrets.randbelow(10**6):06d}") in taken:
        pass
    return code
