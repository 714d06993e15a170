"""What is done in a room, in one transaction that nobody comes between."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from sqlalchemy import bindparam, delete, insert, select, update
from sqlalchemy.orm import Session

from lnviz.database.rows import AnswerRow, Base, PollRow, RoomRow, SeatRow
from lnviz.rooms import reading
from lnviz.rooms.reading import Document
from lnviz.rooms.state import Poll, command, screen
from lnviz.rooms.values import Refused, count, is_text

ROOMS = 50
SEATS = 400  # of a room
KEYS = 8  # browsers that may lead a room
PRETENDING = 30
IDLE_S = 12 * 3600.0
KEPT_S = 24 * 3600.0
ONCE_S = 600.0
EMPTY_S = 3600.0  # without use, after which a room makes way for another where there is no place
LARGEST = 2**31 - 1  # number of a poll or an attempt that a column holds
NO_ROOM = "There is no room with this code. Look at the six digits on the wall."
ENDED = "This room has ended. Its answers were never under a name."
NO_SEAT = "This browser has no seat in this room. Join it first."
NO_KEY = (
    "This browser does not have the key of this room. Open it with the browser that opened the "
    "room, or with a new link from there."
)

_ANSWERS = Base.metadata.tables["answer"]
_OF = ("of_poll", "of_round", "of_seat")

T = TypeVar("T")
Work = Callable[["Transaction"], T]


class Transaction:
    """What is done at once, and nobody comes between.

    Args:
        session: where it is done.
        now: seconds since 1970.

    Attributes:
        touched: the rooms of which something has changed.
        has_deleted: whether something is to be shredded.
    """

    def __init__(self, session: Session, now: float) -> None:
        self.session = session
        self.now = now
        self.touched: set[str] = set()
        self.has_deleted = False
        self._rooms: dict[str, RoomRow] = {}
        # A class answers all at once: what each needs to be looked up is read once for all.
        self._seats: dict[str, dict[str, int]] = {}  # of rooms, by keys
        self._states: dict[tuple[str, int], Document] = {}
        self._given: dict[tuple[int, int], dict[int, tuple[Any, int]]] = {}
        self._new: dict[tuple[int, int, int], tuple[Any, int]] = {}
        self._changed: dict[tuple[int, int, int], tuple[Any, int]] = {}

    def attempt(self, work: Work[T]) -> T | Refused:
        """Do something, or return why it was refused."""
        try:
            return work(self)
        except Refused as error:
            return error

    def open(self, lesson: Any, at: Any) -> Document:
        """Open a room; return its code, its revision, and the teacher's key."""
        if not (isinstance(lesson, str) and is_text(lesson)):
            raise Refused("A room is opened with a lesson, named by its address.", 422)
        at = screen(at)
        self._make_place()
        taken = set(self.session.scalars(select(RoomRow.code)))
        code = next(code for code in iter(_code, None) if code not in taken)
        key = secrets.token_urlsafe(16)
        row = RoomRow(
            id=secrets.token_hex(16),
            code=code,
            salt=secrets.token_hex(32),
            keys=[_hashed(key)],
            mode="led",
            lesson=lesson,
            screen=at,
            pose={},
            locked=False,
            rev=0,
            created=self.now,
            used=self.now,
        )
        row.numbers, row.reached, row.once, row.once_until = 0, False, "", 0.0
        self.session.add(row)
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
                raise Refused("This room takes nobody new. Ask the teacher.", 423)
            self._make_seat(row)
            you = reading.you_anew(self._sit(row, key).number)
        else:
            self.settle()
            seat = self._seat(row, name)
            seat.seen = self.now
            you = reading.you(self.session, seat, self.now)
        row.used, row.reached = self.now, row.reached or reached
        self.touched.add(row.id)
        return {"number": you["number"], "state": self._state(row), "you": you}

    def answer(
        self, code: str, name: str, poll_id: int, round: int, given: Any, n: Any
    ) -> Document:
        """Keep an answer, unless a later one of the same seat is kept; return what is kept."""
        row = self._open_room(code)
        number = self._numbers(row).get(seat_key(row, name))
        if number is None:
            raise Refused(NO_SEAT, 401)
        tried = count(n, LARGEST, "The number of an attempt", least=0)
        asked = self.session.get(PollRow, poll_id) if poll_id <= LARGEST else None
        poll = reading.poll_of(asked) if asked and asked.room_id == row.id else None
        if poll is None or not poll.accepts(round, self.now):
            self.settle()
            raise Refused(
                "This round is closed.",
                state=self._state(row),
                you=reading.you(self.session, self._seat(row, name), self.now),
            )
        value, kept = self.keep(poll_id, round, number, poll.asking.value(given), tried)
        row.used = self.now
        self.touched.add(row.id)
        return {"value": value, "n": kept}

    def keep(self, poll: int, round: int, seat: int, value: Any, n: int) -> tuple[Any, int]:
        """Keep one attempt if it is the latest; return what is kept then, and its number."""
        given = self._given.get((poll, round))
        if given is None:
            of_round = (AnswerRow.poll_id == poll) & (AnswerRow.round == round)
            columns = select(AnswerRow.seat, AnswerRow.value, AnswerRow.n).where(of_round)
            rows = self.session.execute(columns)
            given = {number: (before, tried) for number, before, tried in rows}
            self._given[poll, round] = given
        if seat not in given or n > given[seat][1]:
            new = self._new if seat not in given else self._changed
            if (poll, round, seat) in self._new:
                new = self._new
            new[poll, round, seat] = given[seat] = (value, n)
        return given[seat]

    def settle(self) -> None:
        """Write what was answered, for whoever reads it next: all in two statements."""
        for found, write in (
            (self._new, insert(_ANSWERS)),
            (
                self._changed,
                update(_ANSWERS)
                .where(_ANSWERS.c.poll_id == bindparam("of_poll"))
                .where(_ANSWERS.c.round == bindparam("of_round"))
                .where(_ANSWERS.c.seat == bindparam("of_seat"))
                .values(value=bindparam("value"), n=bindparam("n")),
            ),
        ):
            names = ("poll_id", "round", "seat") if found is self._new else _OF
            rows = [
                dict(zip(names, key, strict=True)) | {"value": value, "n": n}
                for key, (value, n) in found.items()
            ]
            if rows:
                self.session.connection().execute(write, rows)
            found.clear()
        self._given.clear()

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
        room = reading.room_of(self.session, row)
        try:
            if room.mode != "ended" and given.get("rev") != room.rev:
                raise Refused("The room has moved on meanwhile. This is where it is now.")
            after = command(room, verb, given, self.now)
        except Refused as error:
            error.more = {"state": reading.state(self.session, row)}
            raise
        row.rev, row.mode, row.locked = after.rev, after.mode, after.locked
        row.lesson, row.screen, row.pose = after.lesson, after.screen, after.pose
        row.ended = self.now if after.mode == "ended" else None
        row.used = self.now
        self._keep_poll(row, after.poll)
        self.touched.add(row.id)
        return {"rev": row.rev}

    def rehearse(self, code: str, key: str) -> Document:
        """Have pretend students come, or leave if they are here."""
        row = self.led(code, key)
        self._seats.pop(row.id, None)
        pretend = list(self.session.scalars(_pretend(row.id)))
        for seat in pretend:
            mine = select(PollRow.id).where(PollRow.room_id == row.id)
            self.session.execute(
                delete(AnswerRow).where(AnswerRow.poll_id.in_(mine), AnswerRow.seat == seat.number)
            )
            self.session.delete(seat)
        for _ in range(0 if pretend else PRETENDING):
            self._sit(row, secrets.token_hex(16)).pretend = True
        row.rev += 1  # what is shown may have changed
        self.has_deleted |= bool(pretend)
        self.touched.add(row.id)
        return {"pretend": 0 if pretend else PRETENDING}

    def pretend(self, code: str, poll_id: int, round: int, values: Iterable[Any]) -> bool:
        """Have pretend students answer, the next of those who have not; say if some are left."""
        row, asked = self._room(code), self.session.get(PollRow, poll_id)
        if asked is None or not reading.poll_of(asked).accepts(round, self.now):
            return False
        self.settle()
        given = select(AnswerRow.seat).where(AnswerRow.poll_id == poll_id, AnswerRow.round == round)
        waiting = _pretend(row.id).where(SeatRow.number.not_in(given)).order_by(SeatRow.number)
        seats = self.session.scalars(waiting).all()
        for seat, value in zip(seats, values, strict=False):
            self.keep(poll_id, round, seat.number, value, 0)
            self.touched.add(row.id)
        return bool(seats)

    def invite(self, code: str, key: str) -> str:
        """Return what lets one other browser lead the room, once and soon."""
        row = self.led(code, key)
        token = secrets.token_urlsafe(16)
        row.once, row.once_until = _hashed(token), self.now + ONCE_S
        return token

    def redeem(self, code: str, token: str) -> str:
        """Return another key for what `invite` gave."""
        row = self._room(code)
        if not hmac.compare_digest(row.once, _hashed(token)) or self.now > row.once_until:
            raise Refused("This link has been used, or is too old. Make a new one.", 403)
        key = secrets.token_urlsafe(16)
        # Whoever opened the room never loses it to links.
        opener, *others = row.keys
        row.once, row.keys = "", [opener, *[*others, _hashed(key)][1 - KEYS :]]
        return key

    def delete(self, code: str, key: str) -> None:
        """Delete a room and all that was said in it."""
        self._drop(self.led(code, key))

    def led(self, code: str, key: str) -> RoomRow:
        """Return the room of this code, for whoever has its key, with all that is answered."""
        row = self._room(code)
        self.settle()
        if not leads(row, key):
            raise Refused(NO_KEY, 403)
        return row

    def seen(self, code: str, keys: Iterable[str], at: float) -> None:
        """Keep that these seats of a room were connected at a moment."""
        row = self._room(code)
        own = (SeatRow.room_id == row.id) & SeatRow.key.in_(keys) & (SeatRow.seen < at)
        self.session.execute(update(SeatRow).where(own).values(seen=at))
        self.touched.add(row.id)

    def left(self, code: str, key: str, since: float) -> None:
        """Keep that a seat is not connected any more, unless it was seen again meanwhile."""
        row = self._room(code)
        own = (SeatRow.room_id == row.id) & (SeatRow.key == key) & (SeatRow.seen <= since)
        self.session.execute(update(SeatRow).where(own).values(seen=0.0))
        self.touched.add(row.id)

    def sweep(self) -> None:
        """End rooms that nobody uses, and delete what has ended long ago."""
        rooms = select(RoomRow).order_by(RoomRow.code).with_for_update()
        idle = rooms.where(RoomRow.ended.is_(None), RoomRow.used < self.now - IDLE_S)
        for row in self.session.scalars(idle):
            row.mode, row.rev, row.ended, row.poll_id = "ended", row.rev + 1, self.now, None
            self.touched.add(row.id)
        for row in self.session.scalars(rooms.where(RoomRow.ended < self.now - KEPT_S)):
            self._drop(row)

    def _make_place(self) -> None:
        """Have room for one more: the longest unused goes of those that nobody needs.

        One without seats goes first; one with answers never does, nor one where somebody is.
        """
        rooms = list(
            self.session.scalars(
                select(RoomRow).where(RoomRow.ended.is_(None)).order_by(RoomRow.used)
            )
        )
        if len(rooms) < ROOMS:
            return
        answered = set(self.session.scalars(select(PollRow.room_id).join(AnswerRow)))
        here = SeatRow.seen >= self.now - reading.HERE_S
        present = set(self.session.scalars(select(SeatRow.room_id).where(here)))
        empty = [
            row
            for row in rooms
            if row.id not in answered | present
            and (not row.numbers or self.now - row.used > EMPTY_S)
        ]
        unused = min(empty, key=lambda row: (row.numbers > 0, row.used), default=None)
        if unused is None:
            raise Refused("All rooms of this server are in use. Try again later.", 503, 60)
        self._drop(unused)

    def _make_seat(self, row: RoomRow) -> None:
        """Have a seat for one more: one goes of somebody who is away and never answered."""
        if len(self._numbers(row)) < SEATS:
            return
        self.settle()
        own = (SeatRow.room_id == row.id) & ~SeatRow.pretend
        polls = select(PollRow.id).where(PollRow.room_id == row.id)
        answered = select(AnswerRow.seat).where(AnswerRow.poll_id.in_(polls))
        left = own & (SeatRow.seen < self.now - reading.HERE_S) & SeatRow.number.not_in(answered)
        idle = self.session.scalar(select(SeatRow).where(left).order_by(SeatRow.seen).limit(1))
        if idle is None:
            raise Refused("All seats of this room are taken. Ask the teacher.", 503, 30)
        self.session.delete(idle)
        del self._numbers(row)[idle.key]

    def _sit(self, row: RoomRow, key: str) -> SeatRow:
        row.numbers += 1
        seat = SeatRow(room_id=row.id, key=key, number=row.numbers, seen=self.now)
        seat.lost, seat.following, seat.pretend = 0.0, True, False
        self.session.add(seat)
        self._numbers(row)[key] = seat.number
        return seat

    def _numbers(self, row: RoomRow) -> dict[str, int]:
        """The numbers of a room's seats, by their keys."""
        if row.id not in self._seats:
            of_room = select(SeatRow.key, SeatRow.number).where(SeatRow.room_id == row.id)
            self._seats[row.id] = {key: number for key, number in self.session.execute(of_room)}
        return self._seats[row.id]

    def _state(self, row: RoomRow) -> Document:
        known = self._states.get((row.id, row.rev))
        if known is None:
            known = reading.told_seats(reading.state(self.session, row))
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
            )
            self.session.add(kept)
        kept.round, kept.phase, kept.closed = poll.round, poll.phase, poll.closed
        kept.hands, kept.pins = [list(each) for each in poll.hands], list(poll.pins)
        self.session.flush()  # which gives it its number
        row.poll_id = kept.id

    def _drop(self, row: RoomRow) -> None:
        self.touched.add(row.id)
        self._rooms.pop(row.code, None)
        self.has_deleted = True
        self.session.delete(row)
        self.session.flush()

    def _open_room(self, code: str) -> RoomRow:
        row = self._room(code)
        if row.ended is not None:
            raise Refused(ENDED, 410)
        return row

    def _room(self, code: str) -> RoomRow:
        """Return a room that nobody else changes until the end."""
        row = self._rooms.get(code)
        if row is None:
            named = select(RoomRow).where(RoomRow.code == code).with_for_update()
            row = self.session.scalar(named)
        if row is None:
            raise Refused(NO_ROOM, 404)
        self._rooms[code] = row
        return row

    def _seat(self, row: RoomRow, name: str) -> SeatRow:
        seat = self.session.get(SeatRow, (row.id, seat_key(row, name))) if name else None
        if seat is None:
            raise Refused(NO_SEAT, 401)
        return seat


def find(session: Session, code: str) -> RoomRow:
    """Return the room of a code.

    Raises:
        Refused: there is none, or it has ended.
    """
    row = session.scalar(select(RoomRow).where(RoomRow.code == code))
    if row is None:
        raise Refused(NO_ROOM, 404)
    if row.ended is not None:
        raise Refused(ENDED, 410)
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
    hashed = _hashed(key)
    return any([hmac.compare_digest(kept, hashed) for kept in row.keys])


def _pretend(room_id: str) -> Any:
    return select(SeatRow).where(SeatRow.room_id == room_id, SeatRow.pretend)


def _code() -> str:
    return f"{secrets.randbelow(10**6):06d}"


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
