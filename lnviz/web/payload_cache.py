"""Payloads that are at hand: in memory, or on disk."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable

from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_store import PayloadStore
from lnviz.web.responses import CompressedBody

RECENT_BYTES = 64 * 2**20  # bytes of payloads other than those at rest


class PayloadCache:
    """Payloads at rest for good, and of others those that were asked for last.

    Args:
        rest: Figures at rest, which most visitors ask for.
        store: Has them, and others, on disk.
        memory: How many bytes of others are kept in memory.
    """

    def __init__(
        self,
        defaults: Iterable[PayloadRequest],
        store: PayloadStore | None,
        recent_bytes: int = RECENT_BYTES,
    ) -> None:
        self._default_keys = {wanted.key for wanted in defaults}
        self._store = store
        self._recent_bytes = recent_bytes
        self._defaults: dict[str, CompressedBody] = {}
        self._recent: OrderedDict[str, CompressedBody] = OrderedDict()

    def get_from_memory(self, wanted: PayloadRequest) -> CompressedBody | None:
        """Return the payload, if it is in memory."""
        name, recent = wanted.key, self._recent
        if name in recent:
            recent.move_to_end(name)
        return self._defaults.get(name) or recent.get(name)

    async def get(self, wanted: PayloadRequest) -> CompressedBody | None:
        """Return the payload, if it is in memory or on disk."""
        body, store = self.get_from_memory(wanted), self._store
        if body is None and store is not None and not wanted.has_user_data:
            body = await asyncio.to_thread(lambda: store.get(wanted.key, wanted.code_version))
            if body is not None:
                self.put(wanted, body)
        return body

    def put(self, wanted: PayloadRequest, body: CompressedBody) -> None:
        """Keep a payload in memory.

        What a visitor has left on this server is computed for that visitor alone, and anew.
        """
        if wanted.key in self._default_keys:
            self._defaults[wanted.key] = body
        elif not wanted.is_private:
            recent = self._recent
            recent[wanted.key] = body
            size = sum(len(kept.gzipped) for kept in recent.values())
            while size > self._recent_bytes:
                size -= len(recent.popitem(last=False)[1].gzipped)

    def evict_recent(self) -> None:
        """Drop what is not at rest from memory, from any thread: it is on disk, too."""
        self._recent = OrderedDict()

    @property
    def size_bytes(self) -> int:
        """The bytes of payloads in memory."""
        bodies = (*self._defaults.values(), *self._recent.values())
        return sum(len(body.gzipped) for body in bodies)
