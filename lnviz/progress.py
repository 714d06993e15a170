"""How far a computation is, and word that nobody waits for it any more."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
Report = Callable[[str, int], None]
"""Called with the label of what is done, and how many of its steps are."""


class Withdrawn(Exception):
    """Nobody waits for the result any more."""


class Watch:
    """A computation as seen by whoever waits for it, from another thread.

    Attributes:
        share: how much of it is done, from 0 to 1; None until it has said so.
    """

    def __init__(self) -> None:
        self.share: float | None = None
        self._part = (0.0, 1.0)
        self._withdrawn = False
        self._going = threading.Event()
        self._going.set()

    def withdraw(self) -> None:
        """End the computation at its next report."""
        self._withdrawn = True
        self._going.set()

    def pause(self) -> None:
        """Stop the computation at its next report, until it is resumed or withdrawn."""
        if not self._withdrawn:
            self._going.clear()

    def resume(self) -> None:
        """Let a paused computation go on."""
        self._going.set()

    def _report(self, share: float) -> None:
        self._going.wait()
        if self._withdrawn:
            raise Withdrawn
        first, last = self._part
        # A part may hold several loops, each of which begins at 0: what was reached stays.
        self.share = max(self.share or 0.0, first + share * (last - first))


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Let whatever is computed within the block report to this watch."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


def report(share: float) -> None:
    """Say how much is done; every loop over time calls this at each step.

    Without anybody watching it does nothing.

    Args:
        share: the share of the present computation, or of its present part, from 0 to 1.

    Raises:
        Withdrawn: nobody waits for the result any more.

    >>> watch = Watch()
    >>> with watched(watch):
    ...     for step in range(10):
    ...         report(step / 10)
    >>> watch.share
    0.9
    """
    watch = _WATCH.get()
    if watch is not None:
        watch._report(share)


def reporting(items: Sequence[Item]) -> Iterator[Item]:
    """Go through items that take about as long each; what they report counts for their part.

    Args:
        items: one for each part.

    Raises:
        Withdrawn: nobody waits for the result any more.

    >>> watch = Watch()
    >>> with watched(watch):
    ...     for norm in reporting(["layer", "rms", "batch", "none"]):
    ...         report(0.5)
    >>> watch.share
    0.875
    """
    watch = _WATCH.get()
    if watch is None:
        yield from items
        return
    whole = first, last = watch._part
    width = (last - first) / max(1, len(items))
    try:
        for at, item in enumerate(items):
            watch._part = (first + at * width, first + (at + 1) * width)
            watch._report(0.0)
            yield item
    finally:
        watch._part = whole
