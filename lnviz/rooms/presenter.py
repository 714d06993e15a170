"""Database operations of presenters: commands, links for remote controls, and presence."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy.orm import Session

from lnviz.database.models import RoomRow
from lnviz.errors import RequestError
from lnviz.rooms import queries, retention, state
from lnviz.rooms.auth import find_room, sha256_hex
from lnviz.rooms.queries import Document
from lnviz.rooms.transactions import Transaction

MAX_REMOTES = 7  # of a room: further browsers that may present, or have asked to
TOKEN_TTL_S = 600.0
RELOAD_S = 12.0
"""Seconds that a projector may take to be loaded again; more than `hub.HEARTBEAT_S`."""


def command(tx: Transaction, code: str, key: str, verb: str, args: Mapping[str, Any]) -> Document:
    """Apply a presenter's command to a room; return the new `state`.

    Args:
        tx: Transaction.
        code: Code of the room.
        key: Key of the presenter.
        verb: Name of the command, one of `state.COMMANDS`.
        args: The command's arguments, and `rev`, the revision that the presenter has seen.

    Raises:
        RequestError: The command is invalid, or the room has another revision; the error carries
            the current `state`.

    A room that goes to a slide whose question was asked before has that poll again, and its task
    unless the command sets another. Settings that were shown are only recalled, as they would hide
    the figure. A presenter's own question never takes the place of the slide's.
    """
    row = tx.require_presenter(code, key)
    room = queries.room_from_row(tx.session, row)
    try:
        if room.mode != "ended" and args.get("rev") != room.rev:
            raise RequestError("The room changed at the same moment. This is how it is now.")
        if verb == "recall":
            args = {**args, "recalled": tx.polls.recall(row, room, args.get("poll"))}
        after = state.apply(room, verb, args, tx.now)
        if verb in ("go", "away"):
            has_task = verb == "away" or "task" in args
            poll = tx.polls.latest(row, after, after.task if has_task else None)
            is_settings = poll and poll.question.kind == "setting" and poll.phase == "shown"
            task = poll.task if poll else after.task
            after = replace(after, poll=None if is_settings else poll, task=task)
    except RequestError as error:
        error.details = {"state": queries.room_state(tx.session, row)}
        raise
    row.rev, row.mode, row.locked = after.rev, after.mode, after.locked
    row.lesson, row.screen, row.pose = after.lesson, after.screen, after.figure_state
    row.task, row.counted = after.task, after.screen_index
    row.plan, row.slide, row.slides = after.plan, after.slide, after.slides
    row.remotes = [asdict(remote) for remote in after.remotes]
    row.questions_open, row.featured_id = after.questions_open, after.featured_id
    row.card = after.card
    row.used = tx.now
    tx.polls.save(row, after.poll)
    tx.changed_rooms.add(row.id)
    return {"state": queries.room_state(tx.session, row)}


def create_remote_token(tx: Transaction, code: str, key: str) -> str:
    """Create a one-time token with which another browser may ask to present, for `TOKEN_TTL_S`."""
    row = tx.require_presenter(code, key)
    token = secrets.token_urlsafe(16)
    row.remote_token_hash, row.remote_token_expires = sha256_hex(token), tx.now + TOKEN_TTL_S
    return token


def request_remote(
    tx: Transaction, code: str, token: str, remotely: bool = False
) -> tuple[str, int]:
    """Exchange a one-time token for a presenter key that is valid once a presenter admits it.

    Args:
        tx: Transaction.
        code: Code of the room.
        token: The token.
        remotely: Whether the client used a URL that other machines can use.

    Returns:
        The key, and the number of the remote, by which presenters recognize it.

    Raises:
        RequestError: The token is unknown, used or too old, or the room has too many remotes.
    """
    row = tx.get_active_room(code)
    if (
        not hmac.compare_digest(row.remote_token_hash, sha256_hex(token))
        or tx.now > row.remote_token_expires
    ):
        raise RequestError("This link has been used or has expired. Make a new one.", 403)
    if len(row.remotes) >= MAX_REMOTES:
        raise RequestError("This room has enough remotes. Remove one of them first.", 409)
    taken = {remote["number"] for remote in row.remotes}
    number = secrets.choice([number for number in range(10, 100) if number not in taken])
    key = secrets.token_urlsafe(16)
    remote = state.Remote(number, sha256_hex(key))
    row.remotes = [*row.remotes, asdict(remote)]
    row.remote_token_hash, row.joined_remotely = "", row.joined_remotely or remotely
    row.rev += 1
    tx.changed_rooms.add(row.id)
    return key, number


def remote_status(session: Session, code: str, key: str) -> Document:
    """Return the `number` of the browser with this key, and whether it is `admitted`.

    Raises:
        RequestError: The room is unknown or has ended, or the browser was not let in.
    """
    remote = find_remote(find_room(session, code), key)
    if remote is None:
        raise RequestError("This phone was not let in, or was removed. Scan a new code.", 403)
    return {"number": remote.number, "admitted": remote.admitted}


def find_remote(row: RoomRow, key: str) -> state.Remote | None:
    """Return the remote with this presenter key; None for the room's opener and for others."""
    for remote in row.remotes:
        if hmac.compare_digest(remote["key"], sha256_hex(key)):
            return state.Remote(**remote)
    return None


def mark_projector_left(tx: Transaction, code: str, at: float) -> None:
    """Record that a room's last projector has disconnected, which its reload does, too.

    It counts as connected for at most `RELOAD_S` more, in which one of another process is seen.
    """
    row = tx.get_room(code)
    row.projected = min(row.projected, at - queries.AWAY_AFTER_S + RELOAD_S)


def mark_presenter_seen(tx: Transaction, code: str, at: float, projected: bool = False) -> None:
    """Record when a presenter's browser was last connected.

    Args:
        tx: Transaction.
        code: Code of the room.
        at: Seconds since 1970. Retention needs them to the minute only.
        projected: Whether a projector was, and not only remotes.
    """
    row = tx.get_room(code)
    if projected:
        row.projected = max(row.projected, at)
    if row.watched < at - retention.USE_INTERVAL_S:
        row.watched = at
