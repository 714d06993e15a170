"""Progress reports from computations in threads, and cooperative cancellation."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
ProgressCallback = Callable[[str, int], None]
"""Called with a label of the current stage and the number of its steps done so far."""


class Cancelled(Exception):
    """Exception raised inside a computation that another thread has cancelled."""


class Progress:
    """Progress of one computation, and a handle to pause, resume or cancel it from another thread.

    Attributes:
        fraction: Completed fraction, from 0 to 1; None before the first report.
    """

    def __init__(self) -> None:
        self.fraction: float | None = None
        self._range = (0.0, 1.0)
        self._cancelled = False
        self._unpausable = 0  # number of surrounding `unpausable` blocks
        self._running = threading.Event()
        self._running.set()

    def cancel(self) -> None:
        """Make the computation raise `Cancelled` at its next report."""
        self._cancelled = True
        self._running.set()

    def pause(self) -> None:
        """Block the computation at its next report until it is resumed or cancelled.

        It goes on to the end of an `unpausable` block first.
        """
        if not self._cancelled:
            self._running.clear()

    def resume(self) -> None:
        """Resume a paused computation."""
        self._running.set()

    def _update(self, fraction: float) -> None:
        if not self._unpausable:
            self._running.wait()
        if self._cancelled:
            raise Cancelled
        first, last = self._range
        # A subtask may contain several loops that each start at 0: progress never goes back.
        self.fraction = max(self.fraction or 0.0, first + fraction * (last - first))


_CURRENT: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def track(progress: Progress) -> Iterator[None]:
    """Context manager: progress reported inside the block goes to `progress`."""
    token = _CURRENT.set(progress)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def report_progress(fraction: float) -> None:
    """Report the completed fraction of the current computation; long loops call it at every step.

    Outside of `track`, it does nothing.

    Args:
        fraction: Completed fraction of the computation, or of its current subtask, from 0 to 1.

    Raises:
        Cancelled: The computation was cancelled.

    >>> progress = Progress()
    >>> with track(progress):
    ...     for step in range(10):
    ...         report_progress(step / 10)
    >>> progress.fraction
    0.9
    """
    progress = _CURRENT.get()
    if progress is not None:
        progress._update(fraction)


@contextmanager
def unpausable() -> Iterator[None]:
    """Context manager: the current computation is not paused inside the block.

    For what holds a lock: computations that wait for the lock would keep a paused one from being
    resumed, and so would wait forever. It can be cancelled inside the block.
    """
    progress = _CURRENT.get()
    if progress is None:
        yield
        return
    progress._unpausable += 1
    try:
        yield
    finally:
        progress._unpausable -= 1


def subtasks(items: Sequence[Item]) -> Iterator[Item]:
    """Iterate over subtasks of similar duration; rescale their progress to the whole task's.

    Args:
        items: One item per subtask.

    Raises:
        Cancelled: The computation was cancelled.

    >>> progress = Progress()
    >>> with track(progress):
    ...     for norm in subtasks(["layer", "rms", "batch", "none"]):
    ...         report_progress(0.5)
    >>> progress.fraction
    0.875
    """
    progress = _CURRENT.get()
    if progress is None:
        yield from items
        return
    whole = first, last = progress._range
    width = (last - first) / max(1, len(items))
    try:
        for at, item in enumerate(items):
            progress._range = (first + at * width, first + (at + 1) * width)
            progress._update(0.0)
            yield item
    finally:
        progress._range = whole
