"""Rooms as one process serves them: what is written is gathered, what changes is passed on."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from sqlalchemy.orm import Session

from lnviz.background import survives
from lnviz.database.connection import StoreError
from lnviz.database.models import SeatRow
from lnviz.errors import RequestError
from lnviz.rooms import queries, simulation
from lnviz.rooms.auth import NO_KEY, NO_SEAT, find, leads, seat_key
from lnviz.rooms.channels import Channel, Listener, Role, encoded, heads
from lnviz.rooms.group_commit import Writer
from lnviz.rooms.notify import Watch
from lnviz.rooms.queries import Document, room_of
from lnviz.rooms.schema import Value
from lnviz.rooms.simulated_students import STEP_S, STEPS, answers
from lnviz.rooms.store import Store
from lnviz.rooms.transactions import Transaction, Work

BEAT_S = 10.0
SWEEP_S = 600.0
READERS = 2
STREAMS = 2  # of a seat
LEADING = 8  # streams of a key
BYE_MS = (300, 2000)  # in which those who were told goodbye come back, scattered

T = TypeVar("T")
Examples = Callable[[], Awaitable[Sequence[Value]]]


@dataclass(frozen=True)
class Found:
    """What was read for somebody.

    Attributes:
        room: its name in the database.
        key: of their seat; "" for who leads.
        seen: when they were last known to be there, in seconds since 1970.
        documents: what they are told, by event.
    """

    room: str
    key: str
    seen: float
    documents: Document


class Live:
    """The rooms of one process; all that they are is in the database.

    Args:
        open: opens it, in a thread and when it is first needed.

    Attributes:
        kept: how many answers of students were kept here.
        is_ending: whether the server ends.
    """

    def __init__(self, open: Callable[[], Store]) -> None:
        self._open = open
        self._opening = threading.Lock()
        self._store: Store | None = None
        self._watch: Watch | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._readers = CapacityLimiter(READERS)
        self._writer = Writer(self.store)
        self._channels: dict[str, Channel] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._polled: set[tuple[str, Role, str]] = set()
        self._beat: asyncio.Task[None] | None = None
        self.kept = 0
        self.is_ending = False

    @property
    def rooms(self) -> int:
        """How many rooms somebody listens to here."""
        return len(self._channels)

    @property
    def streams(self) -> int:
        """How many listen here."""
        return sum(len(channel.listeners) for channel in self._channels.values())

    def store(self) -> Store:
        """Return where rooms are kept.

        Raises:
            StoreError: it cannot be opened; the next one tries again.
        """
        with self._opening:
            if self._store is None:
                self._store = self._open()
            return self._store

    async def read(self, read: Callable[[Session], T]) -> T:
        """Return what is read in one transaction, in a thread."""

        def work() -> T:
            return self.store().look(read)

        return await to_thread.run_sync(work, limiter=self._readers)

    async def write(self, code: str, work: Work[T], shared: bool = False) -> T:
        """Do something in a room, and return what it gives once it is kept; see `Writer.do`."""
        done = await self._writer.do(code, work, shared)
        for channel in self._channels.values():
            if channel.code == code:
                channel.changed()
        return done

    async def documents(self, code: str, role: Role, who: str) -> Document:
        """Return all that somebody is told of a room, by their role.

        Args:
            code: of the room.
            role: what they are there.
            who: the name of a seat's visitor, or the key of a teacher.

        Raises:
            RequestError: the room is gone, or they have no seat in it or no key to it.
        """
        found = await self.read(self._reading(code, role, who))
        self._begin()
        self._polled.add((code, role, found.key))
        return found.documents

    async def listen(self, code: str, role: Role, who: str) -> tuple[Channel, Listener]:
        """Return what tells of a room, and a listener who has been told all there is.

        Raises:
            RequestError: as `documents`.
        """
        found = await self.read(self._reading(code, role, who))
        self._begin()
        key, listener = found.key, Listener(role, found.key)
        channel = self._channels.get(found.room)
        if channel is None:
            channel = Channel(found.room, code, self.read, lambda: self.store().clock())
            self._channels[found.room] = channel
            channel.changed()  # since it was read, nobody has looked
        own = [each for each in channel.listeners if (each.role, each.key) == (role, key)]
        if len(own) >= (STREAMS if role == "seat" else LEADING):
            self._goodbye(own[0], longest=True)
        for event, document in found.documents.items():
            listener.tell(event, encoded(document))
        channel.add(listener, found.documents["room"]["rev"])
        now = self.store().clock()
        if role != "seat":
            self._note(code, lambda tx: tx.watched(code, now))
        elif found.seen < now - BEAT_S:  # whoever has just come in was noted then
            self._note(code, lambda tx: tx.seen(code, {key}, now))
        return channel, listener

    def leave(self, channel: Channel, listener: Listener) -> None:
        """Tell somebody no more, who has left."""
        channel.remove(listener)
        if not channel.listeners and self._channels.get(channel.room) is channel:
            del self._channels[channel.room]
        code, key = channel.code, listener.key
        there = (code, listener.role, key)
        if listener.role == "seat" and not self.is_ending and there not in self._present():
            since = self.store().clock()
            self._note(code, lambda tx: tx.left(code, key, since))

    def rehearse(self, code: str, examples: Examples) -> None:
        """Have pretend students answer what is asked, if there are any.

        Args:
            code: of the room.
            examples: finds what they may answer where there are no options.
        """
        self._spawn(self._rehearsing(code, examples))

    async def _rehearsing(self, code: str, examples: Examples) -> None:
        # The room is gone, and they with it; or their figure cannot be had.
        with survives("room_simulation"), suppress(RequestError, StoreError):
            row = await self.read(lambda session: room_of(session, find(session, code)))
            poll, chance, many = row.poll, Random(), -(-simulation.PRETENDING // STEPS)
            given = () if poll is None or poll.asking.kind == "choice" else await examples()
            while poll is not None and poll.id is not None:
                await asyncio.sleep(chance.uniform(*STEP_S))
                some = answers(poll.asking, poll.round, many, chance, given)
                work = partial(
                    simulation.answer, code=code, poll_id=poll.id, round=poll.round, values=some
                )
                if not some or not await self.write(code, work):
                    return

    def end(self) -> None:
        """Tell all goodbye: the server ends."""
        self.is_ending = True
        for channel in self._channels.values():
            for listener in channel.listeners:
                self._goodbye(listener)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve, and sweep now and then, until the block is left."""
        sweeping = asyncio.create_task(self._sweeping())
        try:
            yield
        finally:
            for task in (sweeping, *self._tasks):
                task.cancel()
            if self._beat is not None:
                self._beat.cancel()
            await to_thread.run_sync(self._close)

    def _close(self) -> None:
        if self._watch is not None:
            self._watch.close()
        with self._opening:
            if self._store is not None:
                self._store.close()

    async def _sweeping(self) -> None:
        """What is too old goes by itself, also where nobody has used a room since the start."""
        while True:
            with survives("room_retention"), suppress(StoreError):  # which is in the log
                await self.write("", Transaction.sweep)
            await asyncio.sleep(SWEEP_S)

    def changed(self, room: str) -> None:
        """Have all look who listen to a room, or to any."""
        for channel in [self._channels.get(room)] if room else list(self._channels.values()):
            if channel is not None:
                channel.changed()

    def _reading(self, code: str, role: Role, who: str) -> Callable[[Session], Found]:
        def read(session: Session) -> Found:
            row, now = find(session, code), self.store().clock()
            state = {"room": queries.state(session, row)}
            if role == "seat":
                seat = session.get(SeatRow, (row.id, seat_key(row, who))) if who else None
                if seat is None:
                    raise RequestError(NO_SEAT, 401)
                told = {"room": queries.told_seats(state["room"])}
                you = {"you": queries.you(session, seat, now)}
                return Found(row.id, seat.key, seat.seen, you | told)
            if not leads(row, who):
                raise RequestError(NO_KEY, 401)
            tally = queries.tally(session, row, now)
            more = {"tally": tally} if role == "remote" else {"heads": heads(tally)}
            return Found(row.id, "", row.watched, state | more)

        return read

    def _begin(self) -> None:
        """Hear what other processes write, and say who is here, while this loop runs."""
        if self._beat is None:
            self._loop = asyncio.get_running_loop()
            self._watch = Watch(self.store().database.url, self._hear)
            self._beat = asyncio.create_task(self._beating())

    def _hear(self, room: str) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.changed, room)

    async def _beating(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            with survives("room_presence"):
                self._note_present()

    def _note_present(self) -> None:
        present, self._polled = self._present() | self._polled, set()
        now = self.store().clock()
        for code in {code for code, *_ in present}:
            keys = {key for own, role, key in present if (own, role) == (code, "seat")}
            if keys:
                self._note(code, partial(Transaction.seen, code=code, keys=keys, at=now))
            if any(own == code and role != "seat" for own, role, _ in present):
                self._note(code, partial(Transaction.watched, code=code, at=now))

    def _note(self, code: str, work: Work[None]) -> None:
        """Keep who is here, soon; where that fails, the next beat does it."""
        self._spawn(self._noting(code, work))

    async def _noting(self, code: str, work: Work[None]) -> None:
        with survives("room_presence"), suppress(RequestError, StoreError):
            await self.write(code, work)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task in the background; asyncio itself keeps no strong reference to it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _present(self) -> set[tuple[str, Role, str]]:
        return {
            (channel.code, listener.role, listener.key)
            for channel in self._channels.values()
            for listener in channel.listeners
        }

    @staticmethod
    def _goodbye(listener: Listener, longest: bool = False) -> None:
        retry = 8000 if longest else random.randint(*BYE_MS)
        listener.tell("bye", encoded({"retry": retry}))
        listener.end()
