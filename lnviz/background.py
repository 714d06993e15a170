"""Exceptions in long-lived threads and tasks: logged and counted for `/metrics`, never fatal."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_failures: Counter[str] = Counter()
_lock = Lock()


def report_failure(task: str, detail: str = "") -> None:
    """Log the exception being handled, with its traceback, and count it.

    It is meant for the `except Exception` of a long-lived thread or task that releases its
    resources and continues. Thread-safe.

    Args:
        task: Name of the thread or task, a label in `/metrics`: `signing_keys`, `room_poll`.
        detail: The object that the task was working on, for the log; "" for none.
    """
    with _lock:
        _failures[task] += 1
    subject = f"{task} ({detail})" if detail else task
    logging.getLogger(__name__).exception("Unexpected error in %s; the task continues.", subject)


@contextmanager
def survives(task: str) -> Iterator[None]:
    """Context manager for a step of a background task: report an exception instead of raising it.

    A loop must still wait between two failing steps, or it would fail at full speed.

    Args:
        task: As in `report_failure`.

    >>> with survives("example"):
    ...     [].pop()
    >>> failures()["example"]
    1
    """
    try:
        yield
    except Exception:
        report_failure(task)


def failures() -> dict[str, int]:
    """Return the number of reported exceptions since the process started, by background task."""
    with _lock:
        return dict(_failures)
