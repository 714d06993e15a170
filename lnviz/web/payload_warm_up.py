"""Warm-up of the payload cache: computes all figures' default payloads while the server is idle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from lnviz.background import report_failure
from lnviz.progress import Cancelled, Progress
from lnviz.web.payload_cache import PayloadCache
from lnviz.web.payload_executor import PayloadExecutor
from lnviz.web.payload_request import PayloadRequest


class WarmUp:
    """Background task that fills the cache with default payloads; clients' requests go first.

    Args:
        requests: Requests for the payloads to compute.
        cache: Cache that receives the payloads.
        executor: Executor that computes the payloads.
        is_pending: Whether the payload with a given cache key is being computed for a client.
        is_busy: Whether any payload is being computed for a client.
        idle_s: Seconds without computations for clients before the warm-up continues.
    """

    def __init__(
        self,
        requests: Iterable[PayloadRequest],
        cache: PayloadCache,
        executor: PayloadExecutor,
        *,
        is_pending: Callable[[str], bool],
        is_busy: Callable[[], bool],
        idle_s: float,
    ) -> None:
        self._requests = list(requests)
        self._cache = cache
        self._executor = executor
        self._is_pending = is_pending
        self._is_busy = is_busy
        self._idle_s = idle_s
        self._current: tuple[str, Progress] | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def run(self) -> None:
        """Compute the default payloads that are not cached yet, cheapest first."""
        for request in sorted(self._requests, key=lambda request: request.cost):
            await self._idle.wait()
            if self._is_pending(request.key) or await self._cache.get(request) is not None:
                continue
            if self._closed:
                return
            progress = Progress()
            self._current = request.key, progress
            try:
                self._cache.put(request, await self._executor.compute(request, progress))
            except Cancelled:
                continue
            except Exception:
                report_failure("warm_up", request.key)
            finally:
                self._current = None

    def pause(self) -> None:
        """Pause until clients have requested no computation for `idle_s` seconds."""
        self._idle.clear()
        if self._current is not None:
            self._current[1].pause()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._idle_s, self._resume)

    def skip(self, key: str) -> None:
        """Cancel the warm-up of the payload with this cache key, if it is being computed."""
        if self._current is not None and self._current[0] == key:
            self._current[1].cancel()

    def close(self) -> None:
        """Cancel the running warm-up computation, and start no more."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._current is not None:
            self._current[1].cancel()

    def _resume(self) -> None:
        if self._is_busy():
            return  # the end of the last computation calls `pause`, which sets a new timer
        self._idle.set()
        if self._current is not None:
            self._current[1].resume()
