"""Access to classroom rooms by room code, by a participant's seat, or by a presenter key."""

from __future__ import annotations

import hashlib
import hmac

from sqlalchemy import select
from sqlalchemy.orm import Session

from lnviz.database.models import RoomRow, SeatRow
from lnviz.errors import RequestError

NO_ROOM = "There is no room with this code. Check the six digits on the projector."
ROOM_ENDED = "This room has ended. Its answers were anonymous."
NO_SEAT = "This browser has not joined this room. Join it first."
NO_KEY = (
    "This browser does not control this room. Use the browser that opened the room, or a new link "
    "from it."
)


def find_room(session: Session, code: str) -> RoomRow:
    """Return the database row of the room with this code, without locking it.

    Raises:
        RequestError: No room has this code, or it has ended.
    """
    row = session.scalar(select(RoomRow).where(RoomRow.code == code))
    if row is None:
        raise RequestError(NO_ROOM, 404)
    if row.ended is not None:
        raise RequestError(ROOM_ENDED, 410)
    return row


def require_seat(session: Session, row: RoomRow, client_id: str) -> SeatRow:
    """Return a client's seat in a room.

    Raises:
        RequestError: The client has no seat in this room.
    """
    seat = session.get(SeatRow, (row.id, participant_hash(row, client_id))) if client_id else None
    if seat is None:
        raise RequestError(NO_SEAT, 401)
    return seat


def participant_hash(row: RoomRow, client_id: str) -> str:
    """Return the key of a client's seat: the client id, hashed with the room's salt."""
    return hmac.new(row.salt.encode(), client_id.encode(), hashlib.sha256).hexdigest()


def network_hash(row: RoomRow, network: str) -> str:
    """Return a network, hashed with the room's salt, as it is stored with seats."""
    return participant_hash(row, f"network {network}")


def is_member(session: Session, code: str, client_id: str, key: str) -> bool:
    """Return whether a client has a seat in the room with this code, or a presenter key for it."""
    row = session.scalar(select(RoomRow).where(RoomRow.code == code))
    if row is None:
        return False
    seat = (row.id, participant_hash(row, client_id))
    return is_presenter_key(row, key) or session.get(SeatRow, seat) is not None


def is_presenter_key(row: RoomRow, key: str) -> bool:
    """Return whether a key is one of the room's presenter keys, comparing in constant time."""
    received = sha256_hex(key)
    return any([hmac.compare_digest(key, received) for key in _presenter_hashes(row)])


def access_hashes(session: Session, row: RoomRow) -> frozenset[str]:
    """Return the hashes of all seats and presenter keys that may see a room."""
    seats = session.scalars(select(SeatRow.key).where(SeatRow.room_id == row.id))
    return frozenset([*_presenter_hashes(row), *seats])


def _presenter_hashes(row: RoomRow) -> list[str]:
    return [row.opener_key, *(each["key"] for each in row.remotes if each["admitted"])]


def sha256_hex(text: str) -> str:
    """Return the SHA-256 hash under which a presenter key or token is stored."""
    return hashlib.sha256(text.encode()).hexdigest()
