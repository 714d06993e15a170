"""Publish/subscribe for a room; each event carries a complete document, not a diff."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from lnviz.background import report_failure
from lnviz.database.errors import StoreError
from lnviz.database.models import RoomRow, SeatRow
from lnviz.rooms import queries
from lnviz.rooms.auth import access_hashes
from lnviz.rooms.queries import Document

Role = Literal["seat", "screen", "remote"]
"""A participant's phone, the projector, or the presenter's remote."""

RECHECK_MS = (100, 900)
"""Range of the random delays after which removed clients reconnect, and learn that they are."""

TALLY_INTERVAL_S = 0.25
ATTENDANCE_INTERVAL_S = 1.0
MIN_INTERVAL_S = 0.05  # between two reads of a room
REFRESH_S = 5.0
"""Seconds after which a room is counted again without a change: participants may have left."""

EVENT_ORDER = ("you", "room", "tally", "heads", "bye")


class Subscriber:
    """One client's event stream, with a mailbox that keeps only the newest message of each type.

    Args:
        role: Role of the client.
        participant_hash: Hash of the client's seat; "" for a presenter.
        key_hash: Hash of a presenter's key; "" for a participant.

    Attributes:
        is_closed: Whether the stream ends after the messages in the mailbox.
        removals: How often answers had been removed when a participant was told their own last.
    """

    def __init__(self, role: Role, participant_hash: str, key_hash: str = "") -> None:
        self.role = role
        self.participant_hash = participant_hash
        self.key_hash = key_hash
        self.is_closed = False
        self.removals = 0
        self._mailbox: dict[str, bytes] = {}
        self._has_mail = asyncio.Event()

    def publish(self, event: str, data: bytes) -> None:
        """Put a message into the mailbox, replacing an older message of the same event type."""
        self._mailbox[event] = data
        self._has_mail.set()

    def close(self) -> None:
        """End the stream after the messages in the mailbox have been sent."""
        self.is_closed = True
        self._has_mail.set()

    def dismiss(self, retry_ms: int) -> None:
        """End the stream, and let the client reconnect after a delay."""
        self.publish("bye", to_json({"retry": retry_ms}))
        self.close()

    async def next(self, timeout_s: float) -> list[tuple[str, bytes]]:
        """Wait for messages, and return all of them; return none after `timeout_s`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._has_mail.wait()
        if not self.is_closed:
            self._has_mail.clear()
        mail, self._mailbox = self._mailbox, {}
        return [(event, mail[event]) for event in EVENT_ORDER if event in mail]


@dataclass(frozen=True)
class Snapshot:
    """A room's state and live counts, read from the database at the same time.

    Attributes:
        exists: Whether the room exists.
        state: The room's state; None if the channel has the current revision.
        tally: The room's live counts; None if they were not requested.
        allowed: Hashes of the seats and presenter keys that may see the room, read with its state.
        participants: States of participants whose subscriber does not know the last removal yet, by
            hash.
    """

    exists: bool
    state: Document | None = None
    tally: Document | None = None
    allowed: frozenset[str] | None = None
    participants: Mapping[str, Document] = field(default_factory=dict)


class Channel:
    """Event channel of a room: a task that rereads the room after changes and informs subscribers.

    Args:
        room_id: Id of the room.
        code: Code of the room.
        read: Runs a query in a transaction.
        now: Returns seconds since 1970.

    Attributes:
        subscribers: Subscribers in this process.
        task: The task; None before the first subscriber.
    """

    def __init__(
        self,
        room_id: str,
        code: str,
        read: Callable[[Callable[[Session], Snapshot]], Awaitable[Snapshot]],
        now: Callable[[], float],
    ) -> None:
        self.room_id = room_id
        self.code = code
        self.subscribers: list[Subscriber] = []
        self._read = read
        self._now = now
        self._rev = -1
        # The newest revision that a subscriber has, which ignores what is not newer.
        self._known_rev = -1
        self._tally_at = self._attendance_at = -REFRESH_S
        self._is_stale = True
        self._has_changed = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self._published: dict[tuple[str, tuple[Role, ...]], bytes] = {}

    def add(self, subscriber: Subscriber, rev: int) -> None:
        """Add a subscriber; send the room's state if it is newer than revision `rev`."""
        self.subscribers.append(subscriber)
        self._known_rev = max(self._known_rev, rev)
        if subscriber.role != "seat":
            self._has_changed.set()  # ends a wait without counts, which has no end otherwise
        if rev < self._rev:
            self._has_changed.set()  # a participant's own answers may have changed, too
            for (event, roles), data in self._published.items():
                if event == "room" and subscriber.role in roles:
                    subscriber.publish(event, data)
        if self.task is None or self.task.done():
            self.task = asyncio.create_task(self._run())

    def remove(self, subscriber: Subscriber) -> None:
        """Remove a subscriber; after the last one, cancel the channel's task."""
        if subscriber in self.subscribers:
            self.subscribers.remove(subscriber)
        if not self.subscribers and self.task is not None:
            self.task.cancel()

    def mark_changed(self) -> None:
        """Mark the room as changed, so that the task rereads it."""
        self._has_changed.set()

    async def _run(self) -> None:
        while self.subscribers:
            try:
                if not await self._refresh():
                    return
                await asyncio.sleep(MIN_INTERVAL_S)
                continue
            except StoreError:
                pass  # requests report it; these subscribers get the state once it can be read
            except Exception:
                report_failure("room_channel")
            self._has_changed.set()
            await asyncio.sleep(REFRESH_S)

    async def _refresh(self) -> bool:
        """When a read is due, read and publish the room; return False if the room is gone."""
        interval = TALLY_INTERVAL_S if self._has_role("remote") else ATTENDANCE_INTERVAL_S
        due_in = max(0.0, self._tally_at + interval - time.monotonic())
        timeout = due_in if self._is_stale else REFRESH_S
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout if self._needs_tally else None):
                await self._has_changed.wait()
        self._is_stale |= self._needs_tally
        self._has_changed.clear()
        is_due = self._needs_tally and time.monotonic() - self._tally_at >= interval
        known = list(self.subscribers)  # later ones may have got access after the read
        snapshot = await self._read(self._reader(is_due, known))
        if not snapshot.exists:
            # Clients need not ask again: a class that did would look like one that guesses codes.
            ended = {"rev": max(self._rev, self._known_rev) + 1, "mode": "ended"}
            self._publish("room", ended, "seat", "screen", "remote")
            self._close()
            return False
        if snapshot.allowed is not None:
            _dismiss_removed(known, snapshot.allowed)
        _tell_own(known, snapshot.participants)
        if snapshot.state is not None:
            self._publish("room", snapshot.state, "screen", "remote")
            self._publish("room", queries.participant_view(snapshot.state), "seat")
            self._rev = snapshot.state["rev"]
        if snapshot.tally is not None:
            self._publish_tally(snapshot.tally)
        if snapshot.state is not None and snapshot.state["mode"] == "ended":
            self._close()
            return False
        return True

    def _publish_tally(self, tally: Document) -> None:
        self._tally_at, self._is_stale = time.monotonic(), False
        self._publish("tally", tally, "remote")
        if self._tally_at - self._attendance_at >= ATTENDANCE_INTERVAL_S:
            self._attendance_at = self._tally_at
            self._publish("heads", attendance(tally), "screen")
        else:
            self._is_stale = self._has_role("screen")

    def _reader(
        self, with_tally: bool, known: Sequence[Subscriber]
    ) -> Callable[[Session], Snapshot]:
        def read(session: Session) -> Snapshot:
            row = session.get(RoomRow, self.room_id)
            if row is None:
                return Snapshot(False)
            state = queries.room_state(session, row) if row.rev != self._rev else None
            # A remote sees at once how many had answered when a question was closed.
            is_counted = with_tally or (state is not None and self._has_role("remote"))
            tally = queries.tally(session, row, self._now()) if is_counted else None
            allowed = None if state is None else access_hashes(session, row)
            uninformed = {
                each.participant_hash
                for each in known
                if each.role == "seat" and each.removals < row.removals
            }
            return Snapshot(
                True, state, tally, allowed, self._participants(session, row, uninformed)
            )

        return read

    def _participants(self, session: Session, row: RoomRow, keys: Set[str]) -> dict[str, Document]:
        if not keys:
            return {}
        of_keys = (SeatRow.room_id == row.id) & SeatRow.key.in_(keys)
        seats = session.scalars(select(SeatRow).where(of_keys)).all()
        return queries.participant_states(session, row, seats, self._now())

    def _publish(self, event: str, document: Document, *roles: Role) -> None:
        data = to_json(document)
        if self._published.get((event, roles)) == data:
            return
        self._published[event, roles] = data
        for subscriber in self.subscribers:
            if subscriber.role in roles and not subscriber.is_closed:
                subscriber.publish(event, data)

    def _close(self) -> None:
        for subscriber in self.subscribers:
            subscriber.close()

    @property
    def _needs_tally(self) -> bool:
        return self._has_role("remote") or self._has_role("screen")

    def _has_role(self, role: Role) -> bool:
        return any(subscriber.role == role for subscriber in self.subscribers)


def _dismiss_removed(subscribers: Sequence[Subscriber], allowed: frozenset[str]) -> None:
    """End the streams of removed seats and presenters, whose reconnection is refused."""
    for subscriber in subscribers:
        key = subscriber.participant_hash or subscriber.key_hash
        if key not in allowed and not subscriber.is_closed:
            subscriber.dismiss(random.randint(*RECHECK_MS))


def _tell_own(subscribers: Sequence[Subscriber], states: Mapping[str, Document]) -> None:
    """Publish participants' own states to their subscribers."""
    for subscriber in subscribers:
        if state := states.get(subscriber.participant_hash):
            subscriber.publish("you", to_json(state))
            subscriber.removals = state["removals"]


def attendance(tally: Document) -> Document:
    """Return the counts that the projector shows: participants, simulated ones, and answers.

    `asked` counts who is here or has answered, in the `round` of the `poll`.
    """
    names = ("here", "poll", "round", "answered", "asked", "simulated")
    return {name: tally[name] for name in names}


def to_json(document: Any) -> bytes:
    """Return a document as one line of JSON text."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
