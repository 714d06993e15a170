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


def find(session: Session, code: str) -> RoomRow:
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


def seat_key(row: RoomRow, name: str) -> str:
    """Return what is kept of a name: nobody can tell whose it was once the salt is gone."""
    return hmac.new(row.salt.encode(), name.encode(), hashlib.sha256).hexdigest()


def knows(session: Session, code: str, name: str, key: str) -> bool:
    """Whether somebody has a seat in the room of a code, or its key."""
    row = session.scalar(select(RoomRow).where(RoomRow.code == code))
    if row is None:
        return False
    return leads(row, key) or session.get(SeatRow, (row.id, seat_key(row, name))) is not None


def leads(row: RoomRow, key: str) -> bool:
    """Whether this is a key of the room."""
    given = hashed(key)
    return any([hmac.compare_digest(kept, given) for kept in row.keys])


def hashed(text: str) -> str:
    """Return what is kept of a key or of a link."""
    return hashlib.sha256(text.encode()).hexdigest()
