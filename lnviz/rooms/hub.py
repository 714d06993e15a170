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
from lnviz.database.errors import StoreError
from lnviz.database.models import SeatRow
from lnviz.errors import RequestError
from lnviz.rooms import queries, simulation
from lnviz.rooms.auth import NO_KEY, NO_SEAT, find_room, is_presenter_key, participant_hash
from lnviz.rooms.channels import Channel, Role, Subscriber, attendance, to_json
from lnviz.rooms.group_commit import GroupCommitter
from lnviz.rooms.notify import ChangeListener
from lnviz.rooms.queries import Document, room_from_row
from lnviz.rooms.schema import AnswerValue
from lnviz.rooms.simulated_students import BATCH_INTERVAL_S, BATCHES, simulate_answers
from lnviz.rooms.store import RoomStore
from lnviz.rooms.transactions import Operation, Transaction

HEARTBEAT_S = 10.0
RETENTION_INTERVAL_S = 600.0
MAX_READERS = 2
MAX_STREAMS_PER_SEAT = 2  # of a seat
MAX_STREAMS_PER_KEY = 8  # streams of a key
RECONNECT_MS = (300, 2000)  # in which those who were told goodbye come back, scattered

T = TypeVar("T")
ExampleSource = Callable[[], Awaitable[Sequence[AnswerValue]]]


@dataclass(frozen=True)
class ClientView:
    """What was read for somebody.

    Attributes:
        room: its name in the database.
        key: of their seat; "" for who leads.
        seen: when they were last known to be there, in seconds since 1970.
        documents: what they are told, by event.
    """

    room_id: str
    key: str
    last_seen: float
    events: Document


class RoomHub:
    """The rooms of one process; all that they are is in the database.

    Args:
        open: opens it, in a thread and when it is first needed.

    Attributes:
        kept: how many answers of students were kept here.
        is_ending: whether the server ends.
    """

    def __init__(self, open: Callable[[], RoomStore]) -> None:
        self._open = open
        self._opening = threading.Lock()
        self._store: RoomStore | None = None
        self._change_listener: ChangeListener | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._readers = CapacityLimiter(MAX_READERS)
        self._writer = GroupCommitter(self.store)
        self._channels: dict[str, Channel] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._polled: set[tuple[str, Role, str]] = set()
        self._heartbeat_task: asyncio.Task[None] | None = None
        self.stored_answers = 0
        self.is_closing = False

    @property
    def room_count(self) -> int:
        """How many rooms somebody listens to here."""
        return len(self._channels)

    @property
    def stream_count(self) -> int:
        """How many listen here."""
        return sum(len(channel.subscribers) for channel in self._channels.values())

    def store(self) -> RoomStore:
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
            return self.store().read(read)

        return await to_thread.run_sync(work, limiter=self._readers)

    async def write(self, code: str, work: Operation[T], shared: bool = False) -> T:
        """Do something in a room, and return what it gives once it is kept; see `Writer.do`."""
        done = await self._writer.submit(code, work, shared)
        for channel in self._channels.values():
            if channel.code == code:
                channel.mark_changed()
        return done

    async def current_events(self, code: str, role: Role, principal: str) -> Document:
        """Return all that somebody is told of a room, by their role.

        Args:
            code: of the room.
            role: what they are there.
            principal: the name of a seat's visitor, or the key of a teacher.

        Raises:
            RequestError: the room is gone, or they have no seat in it or no key to it.
        """
        found = await self.read(self._reader_for(code, role, principal))
        self._start_background()
        self._polled.add((code, role, found.key))
        return found.events

    async def subscribe(self, code: str, role: Role, principal: str) -> tuple[Channel, Subscriber]:
        """Return what tells of a room, and a listener who has been told all there is.

        Raises:
            RequestError: as `documents`.
        """
        found = await self.read(self._reader_for(code, role, principal))
        self._start_background()
        key, listener = found.key, Subscriber(role, found.key)
        channel = self._channels.get(found.room_id)
        if channel is None:
            channel = Channel(found.room_id, code, self.read, lambda: self.store().clock())
            self._channels[found.room_id] = channel
            channel.mark_changed()  # since it was read, nobody has looked
        own = [each for each in channel.subscribers if (each.role, each.key) == (role, key)]
        if len(own) >= (MAX_STREAMS_PER_SEAT if role == "seat" else MAX_STREAMS_PER_KEY):
            self._close_stream(own[0], longest=True)
        for event, document in found.events.items():
            listener.publish(event, to_json(document))
        channel.add(listener, found.events["room"]["rev"])
        now = self.store().clock()
        if role != "seat":
            self._record(code, lambda tx: tx.mark_presenter_seen(code, now))
        elif found.last_seen < now - HEARTBEAT_S:  # whoever has just come in was noted then
            self._record(code, lambda tx: tx.mark_seen(code, {key}, now))
        return channel, listener

    def unsubscribe(self, channel: Channel, subscriber: Subscriber) -> None:
        """Tell somebody no more, who has left."""
        channel.remove(subscriber)
        if not channel.subscribers and self._channels.get(channel.room_id) is channel:
            del self._channels[channel.room_id]
        code, key = channel.code, subscriber.key
        there = (code, subscriber.role, key)
        if subscriber.role == "seat" and not self.is_closing and there not in self._connected():
            since = self.store().clock()
            self._record(code, lambda tx: tx.mark_left(code, key, since))

    def simulate_answers(self, code: str, examples: ExampleSource) -> None:
        """Have pretend students answer what is asked, if there are any.

        Args:
            code: of the room.
            examples: finds what they may answer where there are no options.
        """
        self._spawn(self._simulate(code, examples))

    async def _simulate(self, code: str, examples: ExampleSource) -> None:
        # The room is gone, and they with it; or their figure cannot be had.
        with survives("room_simulation"), suppress(RequestError, StoreError):
            row = await self.read(lambda session: room_from_row(session, find_room(session, code)))
            poll, chance, many = row.poll, Random(), -(-simulation.SIMULATED_STUDENTS // BATCHES)
            given = () if poll is None or poll.question.kind == "choice" else await examples()
            while poll is not None and poll.id is not None:
                await asyncio.sleep(chance.uniform(*BATCH_INTERVAL_S))
                some = simulate_answers(poll.question, poll.round, many, chance, given)
                work = partial(
                    simulation.submit_simulated_answers,
                    code=code,
                    poll_id=poll.id,
                    round=poll.round,
                    values=some,
                )
                if not some or not await self.write(code, work):
                    return

    def close_streams(self) -> None:
        """Tell all goodbye: the server ends."""
        self.is_closing = True
        for channel in self._channels.values():
            for listener in channel.subscribers:
                self._close_stream(listener)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve, and sweep now and then, until the block is left."""
        sweeping = asyncio.create_task(self._enforce_retention())
        try:
            yield
        finally:
            for task in (sweeping, *self._tasks):
                task.cancel()
            if self._heartbeat_task is not None:
                self._heartbeat_task.cancel()
            await to_thread.run_sync(self._close)

    def _close(self) -> None:
        if self._change_listener is not None:
            self._change_listener.close()
        with self._opening:
            if self._store is not None:
                self._store.close()

    async def _enforce_retention(self) -> None:
        """What is too old goes by itself, also where nobody has used a room since the start."""
        while True:
            with survives("room_retention"), suppress(StoreError):  # which is in the log
                await self.write("", Transaction.enforce_retention)
            await asyncio.sleep(RETENTION_INTERVAL_S)

    def on_change(self, room: str) -> None:
        """Have all look who listen to a room, or to any."""
        for channel in [self._channels.get(room)] if room else list(self._channels.values()):
            if channel is not None:
                channel.mark_changed()

    def _reader_for(self, code: str, role: Role, who: str) -> Callable[[Session], ClientView]:
        def read(session: Session) -> ClientView:
            row, now = find_room(session, code), self.store().clock()
            state = {"room": queries.room_state(session, row)}
            if role == "seat":
                seat = session.get(SeatRow, (row.id, participant_hash(row, who))) if who else None
                if seat is None:
                    raise RequestError(NO_SEAT, 401)
                told = {"room": queries.participant_view(state["room"])}
                you = {"you": queries.participant_state(session, seat, now)}
                return ClientView(row.id, seat.key, seat.seen, you | told)
            if not is_presenter_key(row, who):
                raise RequestError(NO_KEY, 401)
            tally = queries.tally(session, row, now)
            more = {"tally": tally} if role == "remote" else {"heads": attendance(tally)}
            return ClientView(row.id, "", row.watched, state | more)

        return read

    def _start_background(self) -> None:
        """Hear what other processes write, and say who is here, while this loop runs."""
        if self._heartbeat_task is None:
            self._loop = asyncio.get_running_loop()
            self._change_listener = ChangeListener(self.store().database.url, self._forward_change)
            self._heartbeat_task = asyncio.create_task(self._heartbeat())

    def _forward_change(self, room: str) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.on_change, room)

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            with survives("room_presence"):
                self._record_presence()

    def _record_presence(self) -> None:
        present, self._polled = self._connected() | self._polled, set()
        now = self.store().clock()
        for code in {code for code, *_ in present}:
            keys = {key for own, role, key in present if (own, role) == (code, "seat")}
            if keys:
                self._record(code, partial(Transaction.mark_seen, code=code, keys=keys, at=now))
            if any(own == code and role != "seat" for own, role, _ in present):
                self._record(code, partial(Transaction.mark_presenter_seen, code=code, at=now))

    def _record(self, code: str, work: Operation[None]) -> None:
        """Keep who is here, soon; where that fails, the next beat does it."""
        self._spawn(self._try_write(code, work))

    async def _try_write(self, code: str, work: Operation[None]) -> None:
        with survives("room_presence"), suppress(RequestError, StoreError):
            await self.write(code, work)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a task in the background; asyncio itself keeps no strong reference to it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _connected(self) -> set[tuple[str, Role, str]]:
        return {
            (channel.code, listener.role, listener.key)
            for channel in self._channels.values()
            for listener in channel.subscribers
        }

    @staticmethod
    def _close_stream(listener: Subscriber, longest: bool = False) -> None:
        retry = 8000 if longest else random.randint(*RECONNECT_MS)
        listener.publish("bye", to_json({"retry": retry}))
        listener.close()
