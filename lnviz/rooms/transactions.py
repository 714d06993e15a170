"""What is done in a room, in one transaction that nobody comes between."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from lnviz.database.connection import LOCK_ID, SQLITE
from lnviz.database.models import PollRow, RoomRow, SeatRow
from lnviz.errors import RequestError
from lnviz.rooms import queries, retention
from lnviz.rooms.auth import (
    ENDED,
    NO_KEY,
    NO_ROOM,
    NO_SEAT,
    is_presenter_key,
    participant_hash,
    sha256_hex,
)
from lnviz.rooms.queries import Document
from lnviz.rooms.schema import is_token, parse_figure_state, parse_int
from lnviz.rooms.state import Poll, apply, parse_screen, parse_screen_index, parse_screen_task
from lnviz.rooms.votes import VoteBuffer

MAX_SEATS = 400  # of a room
MAX_KEYS = 8  # browsers that may lead a room
TOKEN_TTL_S = 600.0
MAX_INT = 2**31 - 1  # number of a poll or an attempt that a column holds

T = TypeVar("T")
Operation = Callable[["Transaction"], T]


class Transaction:
    """What is done at once, and nobody comes between.

    Args:
        session: where it is done.
        now: seconds since 1970.
        shared: whether others may answer meanwhile, as all do here; nobody may do anything else.

    Attributes:
        touched: the rooms of which something has changed.
        has_deleted: whether something is to be shredded.
        answers: what was answered, until it is settled.
    """

    def __init__(self, session: Session, now: float, shared: bool = False) -> None:
        self.session = session
        self.now = now
        self._shared = shared
        self.changed_rooms: set[str] = set()
        self.has_deleted = False
        self.votes = VoteBuffer(session)
        self._rooms: dict[str, RoomRow] = {}
        # A class answers all at once: what each needs to be looked up is read once for all.
        self._seats: dict[str, dict[str, int]] = {}  # of rooms, by keys
        self._states: dict[tuple[str, int], Document] = {}
        self._polls: dict[int, PollRow | None] = {}  # the session forgets what nobody holds

    def try_run(self, work: Operation[T]) -> T | RequestError:
        """Do something, or return why it was refused."""
        try:
            return work(self)
        except RequestError as error:
            return error

    def open_room(self, lesson: Any, at: Any, given: Mapping[str, Any] | None = None) -> Document:
        """Open a room; return its code, its revision, and the teacher's key.

        Args:
            lesson: the address of the lesson that is taught.
            at: the number or the name of the screen.
            given: what is said of the screen besides: how its figure stands, `pose`, how the wall
                has `counted` it, and a `task`; one on a figure is asked at once, with the `asking`
                of the screen.
        """
        given = given or {}
        if not (isinstance(lesson, str) and is_token(lesson)):
            raise RequestError("A room is opened with a lesson, named by its address.", 422)
        at, task = parse_screen(at), parse_screen_task(given)
        if retention.is_full(self.session):
            unused = retention.evictable_room(self.session, self.now)
            if unused is None:
                raise RequestError("All rooms of this server are in use. Try again later.", 503, 60)
            self.delete_room(unused)
        taken = set(self.session.scalars(select(RoomRow.code)))
        code = next(code for code in iter(_code, None) if code not in taken)
        key = secrets.token_urlsafe(16)
        row = RoomRow(
            id=secrets.token_hex(16),
            code=code,
            salt=secrets.token_hex(32),
            keys=[sha256_hex(key)],
            mode="led",
            lesson=lesson,
            screen=at,
            pose=parse_figure_state(given.get("pose", {})),
            task=task,
            counted=parse_screen_index(given),
            locked=False,
            rev=0,
            created=self.now,
            used=self.now,
        )
        row.numbers, row.reached, row.once, row.once_until = 0, False, "", 0.0
        self.session.add(row)
        if task and given.get("asking"):
            self.session.flush()  # a question is of a room that there is
            self._keep_poll(row, Poll(given["asking"]))
        return {"code": code, "rev": 0, "key": key}

    def join(self, code: str, client_id: str, reached: bool = False) -> Document:
        """Give somebody a seat, the same one as before if they had one.

        Args:
            code: of the room.
            client_id: by which the server knows them.
            reached: whether they came by an address that other machines can reach.
        """
        row = self._open_room(code)
        key = participant_hash(row, client_id)
        if key not in self._numbers(row):
            if row.locked:
                raise RequestError("This room takes nobody new. Ask the teacher.", 423)
            if len(self._numbers(row)) >= MAX_SEATS:
                self._make_seat(row)
            you = queries.new_participant_state(self.add_seat(row, key).number)
        else:
            self.votes.flush()
            seat = self._seat(row, client_id)
            seat.seen = self.now
            you = queries.participant_state(self.session, seat, self.now)
        row.used, row.reached = self.now, row.reached or reached
        self.changed_rooms.add(row.id)
        return {"number": you["number"], "state": self._state(row), "you": you}

    def vote(self, code: str, name: str, poll_id: int, round: int, given: Any, n: Any) -> Document:
        """Keep an answer, unless a later one of the same seat is kept; return what is kept.

        This is what may be done `shared`.
        """
        row = self._open_room(code)
        number = self._numbers(row).get(participant_hash(row, name))
        if number is None:
            raise RequestError(NO_SEAT, 401)
        tried = parse_int(n, MAX_INT, "The number of an attempt", minimum=0)
        if poll_id not in self._polls:
            self._polls[poll_id] = (
                self.session.get(PollRow, poll_id) if poll_id <= MAX_INT else None
            )
        asked = self._polls[poll_id]
        poll = queries.poll_from_row(asked) if asked and asked.room_id == row.id else None
        if poll is None or not poll.accepts(round, self.now):
            self.votes.flush()
            raise RequestError(
                "This round is closed.",
                state=self._state(row),
                you=queries.participant_state(self.session, self._seat(row, name), self.now),
            )
        kept = self.votes.add(poll_id, round, number, poll.question.parse_answer(given), tried)
        if row.used < self.now - retention.USE_INTERVAL_S:
            row.used = self.now  # seldom: those who write the same row wait for each other
        self.changed_rooms.add(row.id)
        return kept

    def signal(self, code: str, name: str, given: Mapping[str, Any]) -> None:
        """Keep whether somebody is lost, and whether they follow the teacher."""
        row = self._open_room(code)
        seat = self._seat(row, name)
        if "lost" in given:
            seat.lost = self.now if given["lost"] else 0.0
        if "following" in given:
            seat.following = bool(given["following"])
        self.changed_rooms.add(row.id)

    def command(self, code: str, key: str, verb: str, given: Mapping[str, Any]) -> Document:
        """Do what the teacher says, if the teacher has seen the room as it stands."""
        row = self.require_presenter(code, key)
        room = queries.room_from_row(self.session, row)
        try:
            if room.mode != "ended" and given.get("rev") != room.rev:
                raise RequestError("The room has moved on meanwhile. This is where it is now.")
            after = apply(room, verb, given, self.now)
        except RequestError as error:
            error.details = {"state": queries.room_state(self.session, row)}
            raise
        row.rev, row.mode, row.locked = after.rev, after.mode, after.locked
        row.lesson, row.screen, row.pose = after.lesson, after.screen, after.figure_state
        row.task, row.counted = after.task, after.screen_index
        row.ended = self.now if after.mode == "ended" else None
        row.used = self.now
        self._keep_poll(row, after.poll)
        self.changed_rooms.add(row.id)
        return {"rev": row.rev}

    def create_remote_token(self, code: str, key: str) -> str:
        """Return what lets one other browser lead the room, once and soon."""
        row = self.require_presenter(code, key)
        token = secrets.token_urlsafe(16)
        row.once, row.once_until = sha256_hex(token), self.now + TOKEN_TTL_S
        return token

    def redeem_remote_token(self, code: str, token: str) -> str:
        """Return another key for what `invite` gave."""
        row = self.get_room(code)
        if not hmac.compare_digest(row.once, sha256_hex(token)) or self.now > row.once_until:
            raise RequestError("This link has been used, or is too old. Make a new one.", 403)
        key = secrets.token_urlsafe(16)
        # Whoever opened the room never loses it to links.
        opener, *others = row.keys
        row.once, row.keys = "", [opener, *[*others, sha256_hex(key)][1 - MAX_KEYS :]]
        return key

    def delete(self, code: str, key: str) -> None:
        """Delete a room and all that was said in it."""
        self.delete_room(self.require_presenter(code, key))

    def require_presenter(self, code: str, key: str) -> RoomRow:
        """Return the room of this code, for whoever has its key, with all that is answered."""
        row = self.get_room(code)
        self.votes.flush()
        if not is_presenter_key(row, key):
            raise RequestError(NO_KEY, 403)
        return row

    def mark_seen(self, code: str, keys: Iterable[str], at: float) -> None:
        """Keep that these seats of a room were connected at a moment."""
        row = self.get_room(code)
        own = (SeatRow.room_id == row.id) & SeatRow.key.in_(keys) & (SeatRow.seen < at)
        self.session.execute(update(SeatRow).where(own).values(seen=at))
        self.changed_rooms.add(row.id)

    def mark_left(self, code: str, key: str, since: float) -> None:
        """Keep that a seat is not connected any more, unless it was seen again meanwhile."""
        row = self.get_room(code)
        own = (SeatRow.room_id == row.id) & (SeatRow.key == key) & (SeatRow.seen <= since)
        self.session.execute(update(SeatRow).where(own).values(seen=0.0))
        self.changed_rooms.add(row.id)

    def mark_presenter_seen(self, code: str, at: float) -> None:
        """Keep that a wall or a remote was connected at a moment, to a minute or so."""
        row = self.get_room(code)
        if row.watched < at - retention.USE_INTERVAL_S:
            row.watched = at

    def enforce_retention(self) -> None:
        """End rooms that nobody uses, and delete what has ended long ago."""
        for row in self._alone(retention.is_idle(self.now)):
            row.mode, row.rev, row.ended, row.poll_id = "ended", row.rev + 1, self.now, None
            self.changed_rooms.add(row.id)
        for row in self._alone(retention.is_expired(self.now)):
            self.delete_room(row)

    def _alone(self, wanted: ColumnElement[bool]) -> Iterator[RoomRow]:
        """The rooms of which something is so, each once nobody else changes it."""
        codes = select(RoomRow.code).where(wanted).order_by(RoomRow.code)
        for code in self.session.scalars(codes).all():
            self._lock(code)
            row = self.session.scalar(select(RoomRow).where(RoomRow.code == code, wanted))
            if row is not None:
                yield row

    def _make_seat(self, row: RoomRow) -> None:
        """Have a seat for one more."""
        self.votes.flush()
        left = retention.evictable_seat(self.session, row, self.now)
        if left is None:
            raise RequestError("All seats of this room are taken. Ask the teacher.", 503, 30)
        self.remove_seat(row, left)

    def add_seat(self, row: RoomRow, key: str) -> SeatRow:
        """Give a seat to whoever has this key."""
        row.numbers += 1
        seat = SeatRow(room_id=row.id, key=key, number=row.numbers, seen=self.now)
        seat.lost, seat.following, seat.pretend = 0.0, True, False
        self.session.add(seat)
        self._numbers(row)[key] = seat.number
        return seat

    def remove_seat(self, row: RoomRow, seat: SeatRow) -> None:
        """Take a seat away."""
        self.session.delete(seat)
        self._numbers(row).pop(seat.key, None)

    def _numbers(self, row: RoomRow) -> dict[str, int]:
        """The numbers of a room's seats, by their keys."""
        if row.id not in self._seats:
            of_room = select(SeatRow.key, SeatRow.number).where(SeatRow.room_id == row.id)
            self._seats[row.id] = {key: number for key, number in self.session.execute(of_room)}
        return self._seats[row.id]

    def _state(self, row: RoomRow) -> Document:
        known = self._states.get((row.id, row.rev))
        if known is None:
            known = queries.participant_view(queries.room_state(self.session, row))
            self._states[row.id, row.rev] = known
        return known

    def _keep_poll(self, row: RoomRow, poll: Poll | None) -> None:
        before = self.session.get(PollRow, row.poll_id) if row.poll_id is not None else None
        if before is not None and (poll is None or poll.id != before.id) and before.closed is None:
            before.phase, before.closed = "closed", self.now
        if poll is None:
            row.poll_id = None
            return
        kept = before
        if poll.id is None or kept is None:
            kept = PollRow(
                room_id=row.id,
                lesson=row.lesson,
                screen=row.screen,
                kind=poll.question.kind,
                labels=list(poll.question.labels),
                right=poll.question.right,
                controls=poll.question.controls,
            )
            self.session.add(kept)
        kept.round, kept.phase, kept.closed = poll.round, poll.phase, poll.closed
        self.session.flush()  # which gives it its number
        row.poll_id = kept.id

    def delete_room(self, row: RoomRow) -> None:
        """Delete a room with all that is of it."""
        self.changed_rooms.add(row.id)
        self._rooms.pop(row.code, None)
        self.has_deleted = True
        self.session.delete(row)
        self.session.flush()

    def _open_room(self, code: str) -> RoomRow:
        row = self.get_room(code)
        if row.ended is not None:
            raise RequestError(ENDED, 410)
        return row

    def get_room(self, code: str) -> RoomRow:
        """Return a room that nobody else changes until the end."""
        row = self._rooms.get(code)
        if row is None:
            self._lock(code)
            row = self.session.scalar(select(RoomRow).where(RoomRow.code == code))
        if row is None:
            raise RequestError(NO_ROOM, 404)
        self._rooms[code] = row
        return row

    def _lock(self, code: str) -> None:
        """Wait for others who change this room; in SQLite whoever writes has done so.

        The lock is not the row's: PostgreSQL lets who shares a row's pass who waits to have it
        alone, and a teacher would wait for a class that goes on answering.
        """
        if self.session.get_bind().dialect.name != SQLITE:
            of = func.pg_advisory_xact_lock_shared if self._shared else func.pg_advisory_xact_lock
            self.session.execute(select(of(LOCK_ID, func.hashtext(code))))

    def _seat(self, row: RoomRow, name: str) -> SeatRow:
        seat = self.session.get(SeatRow, (row.id, participant_hash(row, name))) if name else None
        if seat is None:
            raise RequestError(NO_SEAT, 401)
        return seat


def _code() -> str:
    return f"{secrets.randbelow(10**6):06d}"
