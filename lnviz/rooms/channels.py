"""Who listens to a room in this process, and what they are told: always all of it, never a step."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.orm import Session

from lnviz.background import report_failure
from lnviz.database.errors import StoreError
from lnviz.database.models import RoomRow
from lnviz.rooms import queries
from lnviz.rooms.queries import Document

Role = Literal["seat", "screen", "remote"]

TALLY_INTERVAL_S = 0.25
ATTENDANCE_INTERVAL_S = 1.0
MIN_INTERVAL_S = 0.05  # between two looks at one room
REFRESH_S = 5.0
"""Seconds after which it is counted anew though nobody has said a word: somebody may have left."""

EVENT_ORDER = ("you", "room", "tally", "heads", "bye")


class Subscriber:
    """Somebody who is told of a room; of what they have not taken yet, the latest stays.

    Args:
        role: what they listen as.
        key: whose seat it is, or who leads.
    """

    def __init__(self, role: Role, key: str) -> None:
        self.role = role
        self.key = key
        self.is_closed = False
        self._mailbox: dict[str, bytes] = {}
        self._has_mail = asyncio.Event()

    def publish(self, event: str, data: bytes) -> None:
        """Leave them the latest of a kind."""
        self._mailbox[event] = data
        self._has_mail.set()

    def close(self) -> None:
        """Tell them no more, once they have taken what there is."""
        self.is_closed = True
        self._has_mail.set()

    async def next(self, seconds: float) -> list[tuple[str, bytes]]:
        """Return what has come, the moment that something has; nothing where it takes too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._has_mail.wait()
        if not self.is_closed:
            self._has_mail.clear()
        mail, self._mailbox = self._mailbox, {}
        return [(event, mail[event]) for event in EVENT_ORDER if event in mail]


@dataclass(frozen=True)
class Snapshot:
    """What was found of a room.

    Attributes:
        there: whether it is there at all.
        state: its state where that is newer than the one that was known.
        tally: what is counted, where that was asked for.
    """

    exists: bool
    state: Document | None = None
    tally: Document | None = None


class Channel:
    """Tells the listeners of one room in this process how it stands.

    Args:
        room: its name in the database.
        code: by which visitors know it.
        look: runs what reads from the database.
        now: seconds since 1970.
    """

    def __init__(
        self,
        room: str,
        code: str,
        look: Callable[[Callable[[Session], Snapshot]], Awaitable[Snapshot]],
        now: Callable[[], float],
    ) -> None:
        self.room_id = room
        self.code = code
        self.subscribers: list[Subscriber] = []
        self._read = look
        self._now = now
        self._rev = -1
        self._tally_at = self._attendance_at = -REFRESH_S
        self._is_stale = True
        self._has_changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._published: dict[tuple[str, tuple[Role, ...]], bytes] = {}

    def add(self, subscriber: Subscriber, rev: int) -> None:
        """Tell one more from now on, and at once what is newer than a revision that they know."""
        self.subscribers.append(subscriber)
        if rev < self._rev:
            for (event, roles), data in self._published.items():
                if event == "room" and subscriber.role in roles:
                    subscriber.publish(event, data)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def remove(self, subscriber: Subscriber) -> None:
        """Tell somebody no more."""
        if subscriber in self.subscribers:
            self.subscribers.remove(subscriber)
        if not self.subscribers and self._task is not None:
            self._task.cancel()

    def mark_changed(self) -> None:
        """Look at the room soon: something was written."""
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
        """Wait until a snapshot is due, read it and publish it; return whether the room goes on."""
        gap = TALLY_INTERVAL_S if self._has_role("remote") else ATTENDANCE_INTERVAL_S
        wait = max(0.0, self._tally_at + gap - time.monotonic()) if self._is_stale else REFRESH_S
        with suppress(TimeoutError):
            async with asyncio.timeout(wait if self._needs_tally else None):
                await self._has_changed.wait()
        self._is_stale |= self._needs_tally
        self._has_changed.clear()
        is_due = self._needs_tally and time.monotonic() - self._tally_at >= gap
        found = await self._read(self._reader(is_due))
        if not found.exists:
            self._close()
            return False
        if found.state is not None:
            self._publish("room", found.state, "screen", "remote")
            self._publish("room", queries.participant_view(found.state), "seat")
            self._rev = found.state["rev"]
        if found.tally is not None:
            self._tally_at, self._is_stale = time.monotonic(), False
            self._publish("tally", found.tally, "remote")
            if self._tally_at - self._attendance_at >= ATTENDANCE_INTERVAL_S:
                self._attendance_at = self._tally_at
                self._publish("heads", attendance(found.tally), "screen")
            else:
                self._is_stale = self._has_role("screen")
        if found.state is not None and found.state["mode"] == "ended":
            self._close()
            return False
        return True

    def _reader(self, counts: bool) -> Callable[[Session], Snapshot]:
        def read(session: Session) -> Snapshot:
            row = session.get(RoomRow, self.room_id)
            if row is None:
                return Snapshot(False)
            state = queries.room_state(session, row) if row.rev != self._rev else None
            return Snapshot(
                True, state, queries.tally(session, row, self._now()) if counts else None
            )

        return read

    def _publish(self, event: str, document: Document, *roles: Role) -> None:
        data = to_json(document)
        if self._published.get((event, roles)) == data:
            return
        self._published[event, roles] = data
        for listener in self.subscribers:
            if listener.role in roles:
                listener.publish(event, data)

    def _close(self) -> None:
        for listener in self.subscribers:
            listener.close()

    @property
    def _needs_tally(self) -> bool:
        return self._has_role("remote") or self._has_role("screen")

    def _has_role(self, role: Role) -> bool:
        return any(listener.role == role for listener in self.subscribers)


def attendance(tally: Document) -> Document:
    """Return what the wall says of a tally."""
    return {"here": tally["here"], "answered": tally["answered"]}


def to_json(document: Any) -> bytes:
    """Return a document as JSON in one line."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
