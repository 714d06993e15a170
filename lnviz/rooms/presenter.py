"""Database operations of presenters: commands, links for remote controls, and presence."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Any

from lnviz.errors import RequestError
from lnviz.rooms import queries, retention, state
from lnviz.rooms.auth import sha256_hex
from lnviz.rooms.queries import Document
from lnviz.rooms.transactions import Transaction

MAX_KEYS = 8  # of a room: browsers that may present
TOKEN_TTL_S = 600.0


def command(tx: Transaction, code: str, key: str, verb: str, args: Mapping[str, Any]) -> Document:
    """Apply a presenter's command to a room; return the new revision `rev`.

    Args:
        tx: Transaction.
        code: Code of the room.
        key: Key of the presenter.
        verb: Name of the command, one of `state.COMMANDS`.
        args: The command's arguments, and `rev`, the revision that the presenter has seen.

    Raises:
        RequestError: The command is invalid, or the room has another revision; the error carries
            the current `state`.
    """
    row = tx.require_presenter(code, key)
    room = queries.room_from_row(tx.session, row)
    try:
        if room.mode != "ended" and args.get("rev") != room.rev:
            raise RequestError(
                "The room has moved to another screen in the meantime. You now see that screen."
            )
        after = state.apply(room, verb, args, tx.now)
    except RequestError as error:
        error.details = {"state": queries.room_state(tx.session, row)}
        raise
    row.rev, row.mode, row.locked = after.rev, after.mode, after.locked
    row.lesson, row.screen, row.pose = after.lesson, after.screen, after.figure_state
    row.task, row.counted = after.task, after.screen_index
    row.ended = tx.now if after.mode == "ended" else None
    row.used = tx.now
    tx.polls.save(row, after.poll)
    tx.changed_rooms.add(row.id)
    return {"rev": row.rev}


def create_remote_token(tx: Transaction, code: str, key: str) -> str:
    """Create a one-time token for a presenter key in another browser, valid for `TOKEN_TTL_S`."""
    row = tx.require_presenter(code, key)
    token = secrets.token_urlsafe(16)
    row.remote_token_hash, row.remote_token_expires = sha256_hex(token), tx.now + TOKEN_TTL_S
    return token


def redeem_remote_token(tx: Transaction, code: str, token: str) -> str:
    """Exchange a one-time token for a new presenter key; beyond `MAX_KEYS`, the oldest expires.

    Raises:
        RequestError: The token is unknown, used or too old.
    """
    row = tx.get_room(code)
    if (
        not hmac.compare_digest(row.remote_token_hash, sha256_hex(token))
        or tx.now > row.remote_token_expires
    ):
        raise RequestError("This link has been used or has expired. Make a new one.", 403)
    key = secrets.token_urlsafe(16)
    # The browser that opened the room never loses its key to links.
    opener, *others = row.keys
    row.remote_token_hash, row.keys = "", [opener, *[*others, sha256_hex(key)][1 - MAX_KEYS :]]
    return key


def mark_presenter_seen(tx: Transaction, code: str, at: float) -> None:
    """Record when a projector or remote was last connected, at most once a minute."""
    row = tx.get_room(code)
    if row.watched < at - retention.USE_INTERVAL_S:
        row.watched = at
