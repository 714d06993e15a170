"""How much memory this process may still take, and who gives some back when others need it."""

from __future__ import annotations

import ctypes
import gc
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock

MEMORY_ENV = "LNVIZ_MEMORY"
"""Names the environment variable that says how many MB one process may take."""

CEILING = 3 * 2**29
"""Bytes that one process may take where nothing else is said: 1.5 GiB."""

MIN_HEADROOM = 2**29
"""Bytes that it may always take on top of what it has when it starts: on a GPU that is much."""

RECLAIM_INTERVAL_S = 5.0
"""Seconds between two searches for what holds itself, at least."""

_STATE = Path("/proc/self/statm")
# Of the C library: https://man7.org/linux/man-pages/man3/mallopt.3.html
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
_SEPARATE = 2**20  # bytes from which a piece goes back to the system when it is freed
_ARENAS = 2


class Memory:
    """The memory of this process: what it has, what it may have, and what can be given up.

    Where the system does not say what a process has, there is always room.

    Args:
        ceiling: bytes that the process may take.
        used: says how many bytes it has; None where that is unknown.
        clock: seconds that pass.

    >>> memory = Memory(ceiling=100, used=lambda: 80)
    >>> memory.left(), memory.room(20), memory.room(30)
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
        self._givers: list[Callable[[], None]] = []
        self._lock = Lock()
        self._clock = clock
        self._collected = -math.inf

    def headroom(self) -> int:
        """Return how many bytes may still be taken; below 0 where there are too many already."""
        return self.ceiling - (self.used() or 0)

    def room(self, needed: int) -> bool:
        """Return whether so many bytes may be taken; gives back what can be given back, if need be.

        Args:
            needed: bytes that somebody is about to take.
        """
        if self.headroom() >= needed:
            return True
        with self._lock:
            for give_up in self._givers:
                give_up()
                _ask_allocator("malloc_trim", 0)
                if self.headroom() >= needed:
                    return True
            # What was given back may hold itself: half a gigabyte would stay for minutes. To look
            # for it takes most of a second, in which nobody is answered.
            if self._clock() - self._collected < RECLAIM_INTERVAL_S:
                return False
            gc.collect()
            self._collected = self._clock()
            _ask_allocator("malloc_trim", 0)
        return self.headroom() >= needed

    def on_pressure(self, give_up: Callable[[], None]) -> None:
        """Remember somebody who can give memory back, after all who were named before.

        Args:
            give_up: drops what can be had again; called in any thread.
        """
        self._givers.append(give_up)

    def set_baseline(self) -> None:
        """Say that the process has what it needs to begin; large pieces go back when freed."""
        self.ceiling = max(self.ceiling, (self.used() or 0) + MIN_HEADROOM)
        _ask_allocator("mallopt", _MMAP_THRESHOLD, _SEPARATE)
        _ask_allocator("mallopt", _ARENA_MAX, _ARENAS)


def _used() -> int | None:
    """Resident bytes, on Linux."""
    if not _STATE.is_file():
        return None
    return int(_STATE.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _ask_allocator(function: str, *arguments: int) -> None:
    """Call a function of the C library where it has one of that name.

    Without it, two threads that built the figures of eight lessons twice over left a process with
    646 MB (781 at most), and with it 374 (604 at most).
    """
    library = ctypes.CDLL(None) if _STATE.is_file() else None
    if hasattr(library, function):
        getattr(library, function)(*arguments)


def _ceiling() -> int:
    said = os.environ.get(MEMORY_ENV, "")
    return int(said) * 2**20 if said.isdecimal() and int(said) else CEILING


MEMORY = Memory(_ceiling(), _used)
"""The memory of this process."""
