"""Repository of seats: one database row for each participant of a room."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from lnviz.database.models import RoomRow, SeatRow
from lnviz.rooms.auth import require_seat


class SeatRepository:
    """Repository of the participants' seats in rooms, within one database transaction.

    Args:
        session: Database session of the transaction.
        now: Seconds since 1970.
    """

    def __init__(self, session: Session, now: float) -> None:
        self._session = session
        self._now = now
        self._numbers: dict[str, dict[str, int]] = {}  # by room id, then by participant hash

    def numbers(self, room: RoomRow) -> dict[str, int]:
        """Return a room's seat numbers, keyed by participant hash; cached for the transaction."""
        if room.id not in self._numbers:
            of_room = select(SeatRow.key, SeatRow.number).where(SeatRow.room_id == room.id)
            self._numbers[room.id] = {key: number for key, number in self._session.execute(of_room)}
        return self._numbers[room.id]

    def find(self, room: RoomRow, client_id: str) -> SeatRow:
        """Return a client's seat in a room.

        Raises:
            RequestError: The client has no seat in this room.
        """
        return require_seat(self._session, room, client_id)

    def add(
        self, room: RoomRow, key: str, network: str = "", *, simulated: bool = False
    ) -> SeatRow:
        """Add a seat for a participant hash, with the room's next seat number.

        Args:
            room: The room.
            key: Hash of the participant.
            network: Hash of the participant's network.
            simulated: Whether the participant is a simulated student.
        """
        room.last_seat_number += 1
        seat = SeatRow(room_id=room.id, key=key, number=room.last_seat_number, seen=self._now)
        seat.lost, seat.following, seat.simulated = 0.0, True, simulated
        seat.network, seat.connected = network, simulated
        self._session.add(seat)
        self.numbers(room)[key] = seat.number
        return seat

    def remove(self, room: RoomRow, seat: SeatRow) -> None:
        """Delete a seat, but keep the participant's answers."""
        self._session.delete(seat)
        self.numbers(room).pop(seat.key, None)
