"""In-memory cache of figure payloads, in front of the cache on disk."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable

from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_store import PayloadStore, code_version
from lnviz.web.responses import CompressedBody

RECENT_BYTES = 64 * 2**20  # capacity for payloads other than the defaults


class PayloadCache:
    """In-memory cache of figure payloads: default payloads are permanent, others in an LRU cache.

    Args:
        defaults: Requests for the default payloads, which most clients request.
        store: Cache on disk.
        recent_bytes: Capacity of the LRU cache.
    """

    def __init__(
        self,
        defaults: Iterable[PayloadRequest],
        store: PayloadStore | None,
        recent_bytes: int = RECENT_BYTES,
    ) -> None:
        self._default_keys = {request.key for request in defaults}
        self._store = store
        self._recent_bytes = recent_bytes
        self._defaults: dict[str, CompressedBody] = {}
        self._recent: OrderedDict[str, CompressedBody] = OrderedDict()

    def get_from_memory(self, request: PayloadRequest) -> CompressedBody | None:
        """Return a payload if it is cached in memory, otherwise None."""
        name, recent = request.key, self._recent
        if name in recent:
            recent.move_to_end(name)
        return self._defaults.get(name) or recent.get(name)

    async def get(self, request: PayloadRequest) -> CompressedBody | None:
        """Return a payload if it is cached in memory or on disk, otherwise None."""
        body, store = self.get_from_memory(request), self._store
        if body is None and store is not None and not request.has_user_data:
            body = await asyncio.to_thread(
                lambda: store.get(request.key, code_version(request.module))
            )
            if body is not None:
                self.put(request, body)
        return body

    def put(self, request: PayloadRequest, body: CompressedBody) -> None:
        """Cache a payload in memory unless it is private."""
        if request.key in self._default_keys:
            self._defaults[request.key] = body
        elif not request.is_private:
            recent = self._recent
            recent[request.key] = body
            size = sum(len(cached.gzipped) for cached in recent.values())
            while size > self._recent_bytes:
                size -= len(recent.popitem(last=False)[1].gzipped)

    def evict_recent(self) -> None:
        """Drop the in-memory LRU cache, whose payloads are also on disk. Thread-safe."""
        self._recent = OrderedDict()

    @property
    def size_bytes(self) -> int:
        """The size of all payloads in memory, in bytes."""
        bodies = (*self._defaults.values(), *self._recent.values())
        return sum(len(body.gzipped) for body in bodies)
