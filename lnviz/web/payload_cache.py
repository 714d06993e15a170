"""Payloads that are at hand: in memory, or on disk."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable

from lnviz.web.payload_request import Wanted
from lnviz.web.payload_store import PayloadStore
from lnviz.web.responses import Body

RECENT = 64 * 2**20  # bytes of payloads other than those at rest


class Shelf:
    """Payloads at rest for good, and of others those that were asked for last.

    Args:
        rest: Figures at rest, which most visitors ask for.
        store: Has them, and others, on disk.
        memory: How many bytes of others are kept in memory.
    """

    def __init__(
        self, rest: Iterable[Wanted], store: PayloadStore | None, memory: int = RECENT
    ) -> None:
        self._rest = {wanted.name for wanted in rest}
        self._store = store
        self._memory = memory
        self._ready: dict[str, Body] = {}
        self._recent: OrderedDict[str, Body] = OrderedDict()

    def ready(self, wanted: Wanted) -> Body | None:
        """Return the payload, if it is in memory."""
        name, recent = wanted.name, self._recent
        if name in recent:
            recent.move_to_end(name)
        return self._ready.get(name) or recent.get(name)

    async def find(self, wanted: Wanted) -> Body | None:
        """Return the payload, if it is in memory or on disk."""
        body, store = self.ready(wanted), self._store
        if body is None and store is not None and not wanted.is_own:
            body = await asyncio.to_thread(lambda: store.get(wanted.name, wanted.maker))
            if body is not None:
                self.keep(wanted, body)
        return body

    def keep(self, wanted: Wanted, body: Body) -> None:
        """Keep a payload in memory.

        What a visitor has left on this server is computed for that visitor alone, and anew.
        """
        if wanted.name in self._rest:
            self._ready[wanted.name] = body
        elif not wanted.is_private:
            recent = self._recent
            recent[wanted.name] = body
            size = sum(len(kept.packed) for kept in recent.values())
            while size > self._memory:
                size -= len(recent.popitem(last=False)[1].packed)

    def forget_recent(self) -> None:
        """Drop what is not at rest from memory, from any thread: it is on disk, too."""
        self._recent = OrderedDict()

    @property
    def size(self) -> int:
        """The bytes of payloads in memory."""
        bodies = (*self._ready.values(), *self._recent.values())
        return sum(len(body.packed) for body in bodies)
