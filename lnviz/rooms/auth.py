"""Who comes into a room, and as what: by its code, with a seat, or with its key."""

from __future__ import annotations

import hashlib
import hmac

from sqlalchemy import select
from sqlalchemy.orm import Session

from lnviz.database.models import RoomRow, SeatRow
from lnviz.errors import RequestError

NO_ROOM = "There is no room with this code. Look at the six digits on the wall."
ENDED = "This room has ended. Its answers were never under a name."
NO_SEAT = "This browser has no seat in this room. Join it first."
NO_KEY = (
    "This browser does not have the key of this room. Open it with the browser that opened the "
    "room, or with a new link from there."
)


def find_room(session: Session, code: str) -> RoomRow:
    """Return the room of a code.

    Raises:
        RequestError: there is none, or it has ended.
    """
    row = session.scalar(select(RoomRow).where(RoomRow.code == code))
    if row is None:
        raise RequestError(NO_ROOM, 404)
    if row.ended is not None:
        raise RequestError(ENDED, 410)
    return row


def participant_hash(row: RoomRow, client_id: str) -> str:
    """Return what is kept of a name: nobody can tell whose it was once the salt is gone."""
    return hmac.new(row.salt.encode(), client_id.encode(), hashlib.sha256).hexdigest()


def is_member(session: Session, code: str, client_id: str, key: str) -> bool:
    """Whether somebody has a seat in the room of a code, or its key."""
    row = session.scalar(select(RoomRow).where(RoomRow.code == code))
    if row is None:
        return False
    return (
        is_presenter_key(row, key)
        or session.get(SeatRow, (row.id, participant_hash(row, client_id))) is not None
    )


def is_presenter_key(row: RoomRow, key: str) -> bool:
    """Whether this is a key of the room."""
    given = sha256_hex(key)
    return any([hmac.compare_digest(kept, given) for kept in row.keys])


def sha256_hex(text: str) -> str:
    """Return what is kept of a key or of a link."""
    return hashlib.sha256(text.encode()).hexdigest()
