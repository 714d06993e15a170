"""Memory limit of this process, and callbacks that drop caches when memory runs short."""

from __future__ import annotations

import ctypes
import gc
import logging
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

LIMIT_FRACTION = 0.9
"""Fraction of its container's memory that a process uses; trainings and files need some, too."""

RECLAIM_INTERVAL_S = 5.0
"""Shortest time between two reclaims. One takes up to a second of a core."""

_UNLIMITED = 2**60  # bytes from which on a limit is none
_log = logging.getLogger(__name__)
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
        container: The memory of the container in bytes, of which `LIMIT_FRACTION` is the highest
            limit; None if there is none.

    >>> memory = Memory(ceiling=100, used=lambda: 80)
    >>> memory.headroom(), memory.has_room(20), memory.has_room(30)
    (20, True, False)
    """

    def __init__(
        self,
        ceiling: int,
        used: Callable[[], int | None],
        clock: Callable[[], float] = time.monotonic,
        container: int | None = None,
    ) -> None:
        self._highest = math.inf if container is None else int(container * LIMIT_FRACTION)
        self.ceiling = int(min(ceiling, self._highest))
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
            trim()
            return self.has_room(needed)

    def on_pressure(self, free: Callable[[], None]) -> None:
        """Register a callback that drops a cache; callbacks are called in order of registration.

        Args:
            free: Drops the cache; may be called in any thread.
        """
        self._callbacks.append(free)

    def set_baseline(self) -> None:
        """Raise the limit if an idle process already needs much memory, and tune the allocator.

        The log says if the limit is raised, or if a container leaves less room than that.
        """
        used = self.used() or 0
        needed = used + MIN_HEADROOM
        if needed > self._highest:
            _log.warning(
                "The container has too little memory: the process has %d MB at its start and may "
                "use %d MB, so it refuses some figures. It needs %d MB.",
                *(_megabytes(each) for each in (used, self._highest, needed / LIMIT_FRACTION)),
            )
            needed = int(self._highest)
        elif needed > self.ceiling:
            _log.warning(
                "A memory limit of %d MB is too little: the process has %d MB at its start, so the "
                "limit is %d MB. %s sets it.",
                *(*map(_megabytes, (self.ceiling, used, needed)), MEMORY_ENV),
            )
        self.ceiling = max(self.ceiling, needed)
        _call_libc("mallopt", _MMAP_THRESHOLD, _MMAP_BYTES)
        _call_libc("mallopt", _ARENA_MAX, _ARENAS)


def trim() -> None:
    """Give back to the system what is no longer used; it blocks for up to a second."""
    gc.collect()
    _call_libc("malloc_trim", 0)


def container_memory(
    cgroups: Path = Path("/proc/self/cgroup"), mounted: Path = Path("/sys/fs/cgroup")
) -> int | None:
    """Return the memory in bytes that this process's control groups allow; None if any amount.

    Source: https://docs.kernel.org/admin-guide/cgroup-v2.html, and cgroup-v1/memory.html there.

    Args:
        cgroups: The file that names the groups of the process.
        mounted: The folder of all groups.
    """
    if not cgroups.is_file():
        return None
    limits = []
    for line in cgroups.read_text().splitlines():
        _, controllers, name = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root = mounted / "memory" if controllers else mounted
        file = "memory.limit_in_bytes" if controllers else "memory.max"
        group = root / name.strip("/")
        for folder in (group, *group.parents):  # a limit holds for the groups inside, too
            if folder.is_relative_to(root) and (folder / file).is_file():
                limits.append((folder / file).read_text().strip())
    known = [int(limit) for limit in limits if limit.isdecimal() and int(limit) < _UNLIMITED]
    return min(known, default=None)


def _used() -> int | None:
    """Return the resident memory of this process in bytes on Linux, or None elsewhere.

    Pages of mapped files, such as a model's weights, do not count: the system takes them back when
    it needs them. With them, one model left no room for a figure beside it.
    """
    if not _STATM.is_file():
        return None
    _, resident, from_files, *_ = map(int, _STATM.read_text().split())
    return (resident - from_files) * os.sysconf("SC_PAGE_SIZE")


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


def _megabytes(size: float) -> int:
    return math.ceil(size / 2**20)


MEMORY = Memory(_ceiling(), _used, container=container_memory())
"""The memory of this process."""
