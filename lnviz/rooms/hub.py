"""Hub of the rooms in one process: event channels, background tasks and database access."""

from __future__ import annotations

import asyncio
import math
import random
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence, Set
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from sqlalchemy.orm import Session

from lnviz.background import survives
from lnviz.database.errors import StoreError
from lnviz.errors import RequestError
from lnviz.rooms import lifecycle, participation, presenter, queries, simulation
from lnviz.rooms.auth import NO_KEY, find_room, is_presenter_key, require_seat, sha256_hex
from lnviz.rooms.channels import Channel, Role, Subscriber, attendance, to_json
from lnviz.rooms.group_commit import GroupCommitter
from lnviz.rooms.notify import ChangeListener
from lnviz.rooms.queries import Document, room_from_row
from lnviz.rooms.schema import AnswerValue
from lnviz.rooms.simulated_students import BATCH_INTERVAL_S, BATCHES, simulate_answers
from lnviz.rooms.store import RoomStore
from lnviz.rooms.transactions import Operation

HEARTBEAT_S = 10.0  # between two updates of who is connected
FIRST_PRESENCE_S = 1.0  # before that, for participants who have just joined
RETENTION_INTERVAL_S = 600.0
MAX_READERS = 2
MAX_STREAMS_PER_SEAT = 2
MAX_STREAMS_PER_KEY = 8
RECONNECT_MS = (300, 2000)
"""Range of the random delays after which clients reconnect when the server shuts down."""

RECONNECT_EVICTED_MS = 8000
"""Delay after which a client reconnects whose stream made way for a newer one."""


T = TypeVar("T")
ExampleSource = Callable[[], Awaitable[Sequence[AnswerValue]]]
"""Returns possible answers to a question without options, for simulated students."""


@dataclass(frozen=True)
class ClientView:
    """The documents about a room that one client may see.

    Attributes:
        room_id: Id of the room.
        participant_hash: Hash of the client's seat; "" for a presenter.
        last_seen: When the client was last seen, in seconds since 1970.
        events: Documents by SSE event.
        connected: Whether the client has asked for the room's state before.
    """

    room_id: str
    participant_hash: str
    last_seen: float
    events: Document
    connected: bool = True


class RoomHub:
    """Hub of the rooms in one process: reads, batched writes, subscriptions, background tasks.

    The hub does not hold the rooms' state, which is in the database.

    Args:
        open_store: Opens the database; called in a thread, when it is first needed.

    Attributes:
        stored_answers: Number of participants' answers that this process has stored.
        is_closing: Whether the server shuts down.
    """

    def __init__(self, open_store: Callable[[], RoomStore]) -> None:
        self._open_store = open_store
        self._store_lock = threading.Lock()
        self._store: RoomStore | None = None
        self._change_listener: ChangeListener | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._reader_limiter = CapacityLimiter(MAX_READERS)
        self._writer = GroupCommitter(self.store)
        self._channels: dict[str, Channel] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        # Clients that have asked for the state since the last heartbeat, rather than subscribe.
        self._polled: set[tuple[str, Role, str]] = set()
        self._heartbeat_task: asyncio.Task[None] | None = None
        self._early_presence: asyncio.TimerHandle | None = None
        self.stored_answers = 0
        self.is_closing = False

    @property
    def room_count(self) -> int:
        """The number of rooms that have subscribers in this process."""
        return len(self._channels)

    @property
    def stream_count(self) -> int:
        """The number of open event streams in this process."""
        return sum(len(channel.subscribers) for channel in self._channels.values())

    def store(self) -> RoomStore:
        """Return the database of rooms; open it on first use.

        Raises:
            StoreError: The database cannot be opened; the next call tries again.
        """
        with self._store_lock:
            if self._store is None:
                self._store = self._open_store()
            return self._store

    async def read(self, read: Callable[[Session], T]) -> T:
        """Run a query in a thread, in a database transaction of its own; return its result."""

        def run() -> T:
            return self.store().read(read)

        return await to_thread.run_sync(run, limiter=self._reader_limiter)

    async def write(self, code: str, operation: Operation[T], shared: bool = False) -> T:
        """Run an operation on a room in the next group commit; return its result once committed."""
        result = await self._writer.submit(code, operation, shared)
        for channel in self._channels.values():
            if channel.code == code:
                channel.mark_changed()
        return result

    async def current_events(self, code: str, role: Role, principal: str) -> Document:
        """Return the documents about a room that a client may see, keyed by SSE event type.

        Args:
            code: Code of the room.
            role: Role of the client.
            principal: Client id of a participant, or key of a presenter.

        Raises:
            RequestError: The room is unknown or has ended, or the client has no seat or key.
        """
        view = await self.read(self._view_reader(code, role, principal))
        self._start_background()
        self._polled.add((code, role, view.participant_hash))
        self._record_first_connection(view)
        return view.events

    async def subscribe(self, code: str, role: Role, principal: str) -> tuple[Channel, Subscriber]:
        """Subscribe a client to a room's events, beginning with the current documents.

        Raises:
            RequestError: As `current_events`.
        """
        view = await self.read(self._view_reader(code, role, principal))
        self._start_background()
        key = view.participant_hash
        subscriber = Subscriber(role, key, "" if role == "seat" else sha256_hex(principal))
        channel = self._channels.get(view.room_id)
        if channel is None:
            channel = Channel(view.room_id, code, self.read, lambda: self.store().clock())
            self._channels[view.room_id] = channel
            channel.mark_changed()  # it may have changed since it was read
        streams = [
            each
            for each in channel.subscribers
            if (each.role, each.participant_hash) == (role, key) and not each.is_closed
        ]
        if len(streams) >= (MAX_STREAMS_PER_SEAT if role == "seat" else MAX_STREAMS_PER_KEY):
            streams[0].dismiss(RECONNECT_EVICTED_MS)
        for event, document in view.events.items():
            subscriber.publish(event, to_json(document))
        if role == "seat":
            subscriber.removals = view.events["you"]["removals"]
        channel.add(subscriber, view.events["room"]["rev"])
        now = self.store().clock()
        if role != "seat":
            self._record_presenter(code, {role}, now)
        elif view.last_seen < now - HEARTBEAT_S:  # joining has recorded it otherwise
            self._record(code, lambda tx: participation.mark_seen(tx, code, {key}, now))
        self._record_first_connection(view)
        return channel, subscriber

    def unsubscribe(self, channel: Channel, subscriber: Subscriber) -> None:
        """Remove a subscriber; record the last stream's end of a participant or all projectors."""
        channel.remove(subscriber)
        if not channel.subscribers and self._channels.get(channel.room_id) is channel:
            del self._channels[channel.room_id]
        code, key = channel.code, subscriber.participant_hash
        if self.is_closing:
            return
        now, connected = self.store().clock(), self._connected()
        if subscriber.role == "seat" and (code, "seat", key) not in connected:
            self._record(code, lambda tx: participation.mark_left(tx, code, key, now))
        is_projected = any(room == code and role == "screen" for room, role, _ in connected)
        if subscriber.role == "screen" and not is_projected:
            self._record(code, lambda tx: presenter.mark_projector_left(tx, code, now))

    def simulate_answers(self, code: str, examples: ExampleSource) -> None:
        """Let the room's simulated students answer its current question, in the background.

        Args:
            code: Code of the room.
            examples: Returns possible answers to a question without options.
        """
        self._spawn(self._simulate(code, examples))

    async def _simulate(self, code: str, examples: ExampleSource) -> None:
        # RequestError: the room or the figure is gone.
        with survives("room_simulation"), suppress(RequestError, StoreError):
            room = await self.read(lambda session: room_from_row(session, find_room(session, code)))
            poll, rng = room.poll, Random()
            batch_size = math.ceil(simulation.SIMULATED_STUDENTS / BATCHES)
            question = poll.question if poll is not None else None
            needs_examples = question and question.kind != "choice" and not question.text
            possible = await examples() if needs_examples else ()
            while poll is not None and poll.id is not None:
                await asyncio.sleep(rng.uniform(*BATCH_INTERVAL_S))
                operation = partial(
                    simulation.submit_simulated_answers,
                    code=code,
                    poll_id=poll.id,
                    round=poll.round,
                    values=simulate_answers(poll.question, poll.round, batch_size, rng, possible),
                )
                if not operation.keywords["values"] or not await self.write(code, operation):
                    return

    def close_streams(self) -> None:
        """Close all event streams at shutdown; clients reconnect after random delays."""
        self.is_closing = True
        for channel in self._channels.values():
            for subscriber in channel.subscribers:
                subscriber.dismiss(random.randint(*RECONNECT_MS))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Context manager: run the background tasks during the block, then close the database."""
        retention = asyncio.create_task(self._enforce_retention())
        try:
            yield
        finally:
            tasks = [retention, *self._tasks]
            tasks += [self._heartbeat_task] if self._heartbeat_task is not None else []
            tasks += [channel.task for channel in self._channels.values() if channel.task]
            if self._early_presence is not None:
                self._early_presence.cancel()
            for task in tasks:
                task.cancel()
            # Threads that still use the database end before it is closed.
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._writer.drain()
            await to_thread.run_sync(self._close)

    def _close(self) -> None:
        if self._change_listener is not None:
            self._change_listener.close()
        with self._store_lock:
            if self._store is not None:
                self._store.close()

    async def _enforce_retention(self) -> None:
        while True:
            with survives("room_retention"), suppress(StoreError):  # it is logged already
                await self.write("", lifecycle.enforce_retention)
            await asyncio.sleep(RETENTION_INTERVAL_S)

    def on_change(self, room_id: str) -> None:
        """Reread a room that another process has changed, or all rooms if the id is ""."""
        for channel in [self._channels.get(room_id)] if room_id else list(self._channels.values()):
            if channel is not None:
                channel.mark_changed()

    def _view_reader(
        self, code: str, role: Role, principal: str
    ) -> Callable[[Session], ClientView]:
        def read(session: Session) -> ClientView:
            row, now = find_room(session, code), self.store().clock()
            state = queries.room_state(session, row)
            if role == "seat":
                seat = require_seat(session, row, principal)
                you = queries.participant_state(session, row, seat, now)
                events = {"you": you, "room": queries.participant_view(state)}
                return ClientView(row.id, seat.key, seat.seen, events, seat.connected)
            if not is_presenter_key(row, principal):
                raise RequestError(NO_KEY, 401)
            tally = queries.tally(session, row, now)
            if role == "screen":
                return ClientView(
                    row.id, "", row.watched, {"room": state, "heads": attendance(tally)}
                )
            events = {"room": state, "tally": tally}
            if remote := presenter.find_remote(row, principal):
                events["you"] = {"number": remote.number}
            return ClientView(row.id, "", row.watched, events)

        return read

    def _start_background(self) -> None:
        """Start the listener for other processes' changes and the heartbeat, once."""
        if self._heartbeat_task is None:
            self._loop = asyncio.get_running_loop()
            self._change_listener = ChangeListener(self.store().database.url, self._forward_change)
            self._heartbeat_task = asyncio.create_task(self._heartbeat())

    def _forward_change(self, room_id: str) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.on_change, room_id)

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            with survives("room_presence"):
                self._record_presence()

    def _record_first_connection(self, view: ClientView) -> None:
        """Record soon that a participant has connected, together with others of a class."""
        if not view.connected and self._early_presence is None:
            loop = asyncio.get_running_loop()
            self._early_presence = loop.call_later(FIRST_PRESENCE_S, self._record_early)

    def _record_early(self) -> None:
        self._early_presence = None
        with survives("room_presence"):
            self._record_presence()

    def _record_presence(self) -> None:
        connected, self._polled = self._connected() | self._polled, set()
        now = self.store().clock()
        for code in {code for code, _, _ in connected}:
            clients = [(role, key) for room, role, key in connected if room == code]
            keys = {key for role, key in clients if role == "seat"}
            if keys:
                self._record(code, partial(participation.mark_seen, code=code, keys=keys, at=now))
            if presenting := {role for role, _ in clients if role != "seat"}:
                self._record_presenter(code, presenting, now)

    def _record_presenter(self, code: str, roles: Set[Role], now: float) -> None:
        projected = "screen" in roles
        seen = partial(presenter.mark_presenter_seen, code=code, at=now, projected=projected)
        self._record(code, seen)

    def _record(self, code: str, operation: Operation[None]) -> None:
        """Store clients' presence in the background; the next heartbeat repeats a failed write."""
        self._spawn(self._try_write(code, operation))

    async def _try_write(self, code: str, operation: Operation[None]) -> None:
        with survives("room_presence"), suppress(RequestError, StoreError):
            await self.write(code, operation)

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine as a task; keep a reference, without which asyncio may drop the task."""
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _connected(self) -> set[tuple[str, Role, str]]:
        """Return the room code, role and participant hash of each subscriber in this process."""
        return {
            (channel.code, subscriber.role, subscriber.participant_hash)
            for channel in self._channels.values()
            for subscriber in channel.subscribers
        }
