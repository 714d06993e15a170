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
from lnviz.rooms.auth import ENDED, NO_KEY, NO_ROOM, NO_SEAT, hashed, leads, seat_key
from lnviz.rooms.queries import Document
from lnviz.rooms.schema import count, is_text, pose
from lnviz.rooms.state import Poll, command, counted, screen, tasked
from lnviz.rooms.votes import Answers

SEATS = 400  # of a room
KEYS = 8  # browsers that may lead a room
ONCE_S = 600.0
LARGEST = 2**31 - 1  # number of a poll or an attempt that a column holds

T = TypeVar("T")
Work = Callable[["Transaction"], T]


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
        self.touched: set[str] = set()
        self.has_deleted = False
        self.answers = Answers(session)
        self._rooms: dict[str, RoomRow] = {}
        # A class answers all at once: what each needs to be looked up is read once for all.
        self._seats: dict[str, dict[str, int]] = {}  # of rooms, by keys
        self._states: dict[tuple[str, int], Document] = {}
        self._polls: dict[int, PollRow | None] = {}  # the session forgets what nobody holds

    def attempt(self, work: Work[T]) -> T | RequestError:
        """Do something, or return why it was refused."""
        try:
            return work(self)
        except RequestError as error:
            return error

    def open(self, lesson: Any, at: Any, given: Mapping[str, Any] | None = None) -> Document:
        """Open a room; return its code, its revision, and the teacher's key.

        Args:
            lesson: the address of the lesson that is taught.
            at: the number or the name of the screen.
            given: what is said of the screen besides: how its figure stands, `pose`, how the wall
                has `counted` it, and a `task`; one on a figure is asked at once, with the `asking`
                of the screen.
        """
        given = given or {}
        if not (isinstance(lesson, str) and is_text(lesson)):
            raise RequestError("A room is opened with a lesson, named by its address.", 422)
        at, task = screen(at), tasked(given)
        if retention.is_full(self.session):
            unused = retention.unused(self.session, self.now)
            if unused is None:
                raise RequestError("All rooms of this server are in use. Try again later.", 503, 60)
            self.drop(unused)
        taken = set(self.session.scalars(select(RoomRow.code)))
        code = next(code for code in iter(_code, None) if code not in taken)
        key = secrets.token_urlsafe(16)
        row = RoomRow(
            id=secrets.token_hex(16),
            code=code,
            salt=secrets.token_hex(32),
            keys=[hashed(key)],
            mode="led",
            lesson=lesson,
            screen=at,
            pose=pose(given.get("pose", {})),
            task=task,
            counted=counted(given),
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

    def enter(self, code: str, name: str, reached: bool = False) -> Document:
        """Give somebody a seat, the same one as before if they had one.

        Args:
            code: of the room.
            name: by which the server knows them.
            reached: whether they came by an address that other machines can reach.
        """
        row = self._open_room(code)
        key = seat_key(row, name)
        if key not in self._numbers(row):
            if row.locked:
                raise RequestError("This room takes nobody new. Ask the teacher.", 423)
            if len(self._numbers(row)) >= SEATS:
                self._make_seat(row)
            you = queries.you_anew(self.sit(row, key).number)
        else:
            self.answers.settle()
            seat = self._seat(row, name)
            seat.seen = self.now
            you = queries.you(self.session, seat, self.now)
        row.used, row.reached = self.now, row.reached or reached
        self.touched.add(row.id)
        return {"number": you["number"], "state": self._state(row), "you": you}

    def answer(
        self, code: str, name: str, poll_id: int, round: int, given: Any, n: Any
    ) -> Document:
        """Keep an answer, unless a later one of the same seat is kept; return what is kept.

        This is what may be done `shared`.
        """
        row = self._open_room(code)
        number = self._numbers(row).get(seat_key(row, name))
        if number is None:
            raise RequestError(NO_SEAT, 401)
        tried = count(n, LARGEST, "The number of an attempt", least=0)
        if poll_id not in self._polls:
            self._polls[poll_id] = (
                self.session.get(PollRow, poll_id) if poll_id <= LARGEST else None
            )
        asked = self._polls[poll_id]
        poll = queries.poll_of(asked) if asked and asked.room_id == row.id else None
        if poll is None or not poll.accepts(round, self.now):
            self.answers.settle()
            raise RequestError(
                "This round is closed.",
                state=self._state(row),
                you=queries.you(self.session, self._seat(row, name), self.now),
            )
        kept = self.answers.keep(poll_id, round, number, poll.asking.value(given), tried)
        if row.used < self.now - retention.NOTED_S:
            row.used = self.now  # seldom: those who write the same row wait for each other
        self.touched.add(row.id)
        return kept

    def signal(self, code: str, name: str, given: Mapping[str, Any]) -> None:
        """Keep whether somebody is lost, and whether they follow the teacher."""
        row = self._open_room(code)
        seat = self._seat(row, name)
        if "lost" in given:
            seat.lost = self.now if given["lost"] else 0.0
        if "following" in given:
            seat.following = bool(given["following"])
        self.touched.add(row.id)

    def do(self, code: str, key: str, verb: str, given: Mapping[str, Any]) -> Document:
        """Do what the teacher says, if the teacher has seen the room as it stands."""
        row = self.led(code, key)
        room = queries.room_of(self.session, row)
        try:
            if room.mode != "ended" and given.get("rev") != room.rev:
                raise RequestError("The room has moved on meanwhile. This is where it is now.")
            after = command(room, verb, given, self.now)
        except RequestError as error:
            error.details = {"state": queries.state(self.session, row)}
            raise
        row.rev, row.mode, row.locked = after.rev, after.mode, after.locked
        row.lesson, row.screen, row.pose = after.lesson, after.screen, after.pose
        row.task, row.counted = after.task, after.counted
        row.ended = self.now if after.mode == "ended" else None
        row.used = self.now
        self._keep_poll(row, after.poll)
        self.touched.add(row.id)
        return {"rev": row.rev}

    def invite(self, code: str, key: str) -> str:
        """Return what lets one other browser lead the room, once and soon."""
        row = self.led(code, key)
        token = secrets.token_urlsafe(16)
        row.once, row.once_until = hashed(token), self.now + ONCE_S
        return token

    def redeem(self, code: str, token: str) -> str:
        """Return another key for what `invite` gave."""
        row = self.room(code)
        if not hmac.compare_digest(row.once, hashed(token)) or self.now > row.once_until:
            raise RequestError("This link has been used, or is too old. Make a new one.", 403)
        key = secrets.token_urlsafe(16)
        # Whoever opened the room never loses it to links.
        opener, *others = row.keys
        row.once, row.keys = "", [opener, *[*others, hashed(key)][1 - KEYS :]]
        return key

    def delete(self, code: str, key: str) -> None:
        """Delete a room and all that was said in it."""
        self.drop(self.led(code, key))

    def led(self, code: str, key: str) -> RoomRow:
        """Return the room of this code, for whoever has its key, with all that is answered."""
        row = self.room(code)
        self.answers.settle()
        if not leads(row, key):
            raise RequestError(NO_KEY, 403)
        return row

    def seen(self, code: str, keys: Iterable[str], at: float) -> None:
        """Keep that these seats of a room were connected at a moment."""
        row = self.room(code)
        own = (SeatRow.room_id == row.id) & SeatRow.key.in_(keys) & (SeatRow.seen < at)
        self.session.execute(update(SeatRow).where(own).values(seen=at))
        self.touched.add(row.id)

    def left(self, code: str, key: str, since: float) -> None:
        """Keep that a seat is not connected any more, unless it was seen again meanwhile."""
        row = self.room(code)
        own = (SeatRow.room_id == row.id) & (SeatRow.key == key) & (SeatRow.seen <= since)
        self.session.execute(update(SeatRow).where(own).values(seen=0.0))
        self.touched.add(row.id)

    def watched(self, code: str, at: float) -> None:
        """Keep that a wall or a remote was connected at a moment, to a minute or so."""
        row = self.room(code)
        if row.watched < at - retention.NOTED_S:
            row.watched = at

    def sweep(self) -> None:
        """End rooms that nobody uses, and delete what has ended long ago."""
        for row in self._alone(retention.idle(self.now)):
            row.mode, row.rev, row.ended, row.poll_id = "ended", row.rev + 1, self.now, None
            self.touched.add(row.id)
        for row in self._alone(retention.old(self.now)):
            self.drop(row)

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
        self.answers.settle()
        left = retention.left(self.session, row, self.now)
        if left is None:
            raise RequestError("All seats of this room are taken. Ask the teacher.", 503, 30)
        self.get_up(row, left)

    def sit(self, row: RoomRow, key: str) -> SeatRow:
        """Give a seat to whoever has this key."""
        row.numbers += 1
        seat = SeatRow(room_id=row.id, key=key, number=row.numbers, seen=self.now)
        seat.lost, seat.following, seat.pretend = 0.0, True, False
        self.session.add(seat)
        self._numbers(row)[key] = seat.number
        return seat

    def get_up(self, row: RoomRow, seat: SeatRow) -> None:
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
            known = queries.told_seats(queries.state(self.session, row))
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
                kind=poll.asking.kind,
                labels=list(poll.asking.labels),
                right=poll.asking.right,
                controls=poll.asking.controls,
            )
            self.session.add(kept)
        kept.round, kept.phase, kept.closed = poll.round, poll.phase, poll.closed
        self.session.flush()  # which gives it its number
        row.poll_id = kept.id

    def drop(self, row: RoomRow) -> None:
        """Delete a room with all that is of it."""
        self.touched.add(row.id)
        self._rooms.pop(row.code, None)
        self.has_deleted = True
        self.session.delete(row)
        self.session.flush()

    def _open_room(self, code: str) -> RoomRow:
        row = self.room(code)
        if row.ended is not None:
            raise RequestError(ENDED, 410)
        return row

    def room(self, code: str) -> RoomRow:
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
        seat = self.session.get(SeatRow, (row.id, seat_key(row, name))) if name else None
        if seat is None:
            raise RequestError(NO_SEAT, 401)
        return seat


def _code() -> str:
    return f"{secrets.randbelow(10**6):06d}"
