"""Memory limit of this process, and callbacks that drop caches when memory runs short."""

from __future__ import annotations

import ctypes
import gc
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from anyio import CapacityLimiter, to_thread

from lnviz.background import survives

MEMORY_ENV = "LNVIZ_MEMORY"
"""Environment variable with the memory limit of one process, in MB."""

CEILING = 3 * 2**29
"""Default memory limit of one process, in bytes: 1.5 GiB."""

MIN_HEADROOM = 2**29
"""Bytes that a process may use on top of what it has at its start, which is much on a GPU."""

RECLAIM_INTERVAL_S = 5.0
"""Shortest time between two reclaims. One takes up to a second of a core."""

_STATM = Path("/proc/self/statm")
# Parameters of the C library: https://man7.org/linux/man-pages/man3/mallopt.3.html
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
_MMAP_BYTES = 2**20  # allocations of this size and more go back to the system when they are freed
_ARENAS = 2


class Memory:
    """Memory monitor of this process: bytes in use, a limit, and callbacks that free memory.

    If the number of bytes in use is unknown, the headroom is the whole limit.

    Args:
        ceiling: The limit in bytes.
        used: Returns the number of bytes in use, or None if unknown.
        clock: Returns the time in seconds.

    >>> memory = Memory(ceiling=100, used=lambda: 80)
    >>> memory.headroom(), memory.has_room(20), memory.has_room(30)
    (20, True, False)
    """

    def __init__(
        self,
        ceiling: int,
        used: Callable[[], int | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ceiling = ceiling
        self.used = used
        self._callbacks: list[Callable[[], None]] = []
        self._lock = Lock()
        self._thread = CapacityLimiter(1)
        self._clock = clock
        self._reclaimed_at = -math.inf

    def headroom(self) -> int:
        """Return the limit minus the bytes in use; negative if the limit is exceeded."""
        return self.ceiling - (self.used() or 0)

    def has_room(self, needed: int) -> bool:
        """Return whether `needed` bytes can be allocated without exceeding the limit."""
        return self.headroom() >= needed

    @property
    def is_reclaim_due(self) -> bool:
        """True if the last reclaim was at least `RECLAIM_INTERVAL_S` ago."""
        return self._clock() - self._reclaimed_at >= RECLAIM_INTERVAL_S

    async def make_room(self, needed: int) -> bool:
        """Ensure that `needed` bytes are free, reclaiming memory in a thread; return success."""
        if self.has_room(needed):
            return True
        if not self.is_reclaim_due and not self._thread.borrowed_tokens:
            return False
        try:
            return await to_thread.run_sync(self.reclaim, needed, limiter=self._thread)
        except Exception:
            self._reclaimed_at = self._clock()  # no thread could be started: not again at once
            raise

    def reclaim(self, needed: int) -> bool:
        """Drop caches until `needed` bytes are free; at most once in `RECLAIM_INTERVAL_S`.

        It blocks for up to a second: do not call it on an event loop, but in a thread.

        Args:
            needed: Bytes that are about to be allocated.

        Returns:
            Whether `needed` bytes are free now.
        """
        with self._lock:
            if self.has_room(needed) or not self.is_reclaim_due:
                return self.has_room(needed)
            self._reclaimed_at = self._clock()
            for free in self._callbacks:
                with survives("memory_reclaim"):
                    free()
                _call_libc("malloc_trim", 0)
                if self.has_room(needed):
                    return True
            # Freed objects may refer to themselves, which would keep half a gigabyte for minutes.
            gc.collect()
            _call_libc("malloc_trim", 0)
            return self.has_room(needed)

    def on_pressure(self, free: Callable[[], None]) -> None:
        """Register a callback that drops a cache; callbacks are called in order of registration.

        Args:
            free: Drops the cache; may be called in any thread.
        """
        self._callbacks.append(free)

    def set_baseline(self) -> None:
        """Raise the limit if an idle process already needs much memory, and tune the allocator."""
        self.ceiling = max(self.ceiling, (self.used() or 0) + MIN_HEADROOM)
        _call_libc("mallopt", _MMAP_THRESHOLD, _MMAP_BYTES)
        _call_libc("mallopt", _ARENA_MAX, _ARENAS)


def _used() -> int | None:
    """Return the resident memory of this process in bytes on Linux, or None elsewhere."""
    if not _STATM.is_file():
        return None
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _call_libc(function: str, *arguments: int) -> None:
    """Call a function of the C library; do nothing if it does not exist.

    `malloc_trim` and `mallopt` reduce the process's memory: after two threads had built the figures
    of eight lessons twice, it was 374 MB (604 at most) instead of 646 MB (781 at most).
    """
    library = ctypes.CDLL(None) if _STATM.is_file() else None
    if hasattr(library, function):
        getattr(library, function)(*arguments)


def _ceiling() -> int:
    value = os.environ.get(MEMORY_ENV, "")
    return int(value) * 2**20 if value.isdecimal() and int(value) else CEILING


MEMORY = Memory(_ceiling(), _used)
"""The memory of this process."""
