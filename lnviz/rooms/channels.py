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
from lnviz.database.connection import StoreError
from lnviz.database.models import RoomRow
from lnviz.rooms import queries
from lnviz.rooms.queries import Document

Role = Literal["seat", "screen", "remote"]

TALLY_S = 0.25
HEADS_S = 1.0
STEP_S = 0.05  # between two looks at one room
REFRESH_S = 5.0
"""Seconds after which it is counted anew though nobody has said a word: somebody may have left."""

ORDER = ("you", "room", "tally", "heads", "bye")


class Listener:
    """Somebody who is told of a room; of what they have not taken yet, the latest stays.

    Args:
        role: what they listen as.
        key: whose seat it is, or who leads.
    """

    def __init__(self, role: Role, key: str) -> None:
        self.role = role
        self.key = key
        self.is_over = False
        self._mail: dict[str, bytes] = {}
        self._come = asyncio.Event()

    def tell(self, event: str, data: bytes) -> None:
        """Leave them the latest of a kind."""
        self._mail[event] = data
        self._come.set()

    def end(self) -> None:
        """Tell them no more, once they have taken what there is."""
        self.is_over = True
        self._come.set()

    async def take(self, seconds: float) -> list[tuple[str, bytes]]:
        """Return what has come, the moment that something has; nothing where it takes too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._come.wait()
        if not self.is_over:
            self._come.clear()
        mail, self._mail = self._mail, {}
        return [(event, mail[event]) for event in ORDER if event in mail]


@dataclass(frozen=True)
class Look:
    """What was found of a room.

    Attributes:
        there: whether it is there at all.
        state: its state where that is newer than the one that was known.
        tally: what is counted, where that was asked for.
    """

    there: bool
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
        look: Callable[[Callable[[Session], Look]], Awaitable[Look]],
        now: Callable[[], float],
    ) -> None:
        self.room = room
        self.code = code
        self.listeners: list[Listener] = []
        self._look = look
        self._now = now
        self._rev = -1
        self._counted = self._headed = -REFRESH_S
        self._is_stale = True
        self._has_changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._told: dict[tuple[str, tuple[Role, ...]], bytes] = {}

    def add(self, listener: Listener, rev: int) -> None:
        """Tell one more from now on, and at once what is newer than a revision that they know."""
        self.listeners.append(listener)
        if rev < self._rev:
            for (event, roles), data in self._told.items():
                if event == "room" and listener.role in roles:
                    listener.tell(event, data)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def remove(self, listener: Listener) -> None:
        """Tell somebody no more."""
        if listener in self.listeners:
            self.listeners.remove(listener)
        if not self.listeners and self._task is not None:
            self._task.cancel()

    def changed(self) -> None:
        """Look at the room soon: something was written."""
        self._has_changed.set()

    async def _run(self) -> None:
        while self.listeners:
            try:
                if not await self._refresh():
                    return
                await asyncio.sleep(STEP_S)
                continue
            except StoreError:
                pass  # requests report it; these subscribers get the state once it can be read
            except Exception:
                report_failure("room_channel")
            self._has_changed.set()
            await asyncio.sleep(REFRESH_S)

    async def _refresh(self) -> bool:
        """Wait until a snapshot is due, read it and publish it; return whether the room goes on."""
        gap = TALLY_S if self._has("remote") else HEADS_S
        wait = max(0.0, self._counted + gap - time.monotonic()) if self._is_stale else REFRESH_S
        with suppress(TimeoutError):
            async with asyncio.timeout(wait if self._counts else None):
                await self._has_changed.wait()
        self._is_stale |= self._counts
        self._has_changed.clear()
        is_due = self._counts and time.monotonic() - self._counted >= gap
        found = await self._look(self._reading(is_due))
        if not found.there:
            self._part()
            return False
        if found.state is not None:
            self._tell("room", found.state, "screen", "remote")
            self._tell("room", queries.told_seats(found.state), "seat")
            self._rev = found.state["rev"]
        if found.tally is not None:
            self._counted, self._is_stale = time.monotonic(), False
            self._tell("tally", found.tally, "remote")
            if self._counted - self._headed >= HEADS_S:
                self._headed = self._counted
                self._tell("heads", heads(found.tally), "screen")
            else:
                self._is_stale = self._has("screen")
        if found.state is not None and found.state["mode"] == "ended":
            self._part()
            return False
        return True

    def _reading(self, counts: bool) -> Callable[[Session], Look]:
        def read(session: Session) -> Look:
            row = session.get(RoomRow, self.room)
            if row is None:
                return Look(False)
            state = queries.state(session, row) if row.rev != self._rev else None
            return Look(True, state, queries.tally(session, row, self._now()) if counts else None)

        return read

    def _tell(self, event: str, document: Document, *roles: Role) -> None:
        data = encoded(document)
        if self._told.get((event, roles)) == data:
            return
        self._told[event, roles] = data
        for listener in self.listeners:
            if listener.role in roles:
                listener.tell(event, data)

    def _part(self) -> None:
        for listener in self.listeners:
            listener.end()

    @property
    def _counts(self) -> bool:
        return self._has("remote") or self._has("screen")

    def _has(self, role: Role) -> bool:
        return any(listener.role == role for listener in self.listeners)


def heads(tally: Document) -> Document:
    """Return what the wall says of a tally."""
    return {"here": tally["here"], "answered": tally["answered"]}


def encoded(document: Any) -> bytes:
    """Return a document as JSON in one line."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
