"""Limit on repeated log records, so that nobody fills a disk by causing errors."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from threading import Lock

MAX_ALIKE = 5
"""Number of records from one place in the code that are logged in each interval."""
INTERVAL_S = 60.0

RecordKey = tuple[str, int, type[BaseException] | None]
"""What records have in common that are alike: file, line, and type of the exception."""


class RepeatFilter(logging.Filter):
    """Logging filter that passes a few records from each place in the code, and counts the others.

    Records are told apart by where they come from, not by what they say, since a client may choose
    that. Thread-safe.

    >>> limit = RepeatFilter(max_alike=1)
    >>> record = logging.makeLogRecord({"msg": "Invalid request.", "lineno": 7})
    >>> [limit.filter(logging.makeLogRecord(record.__dict__)) for _ in range(4)]
    [True, False, False, False]
    >>> limit.flush()
    '3 × Invalid request.'
    """

    def __init__(self, max_alike: int = MAX_ALIKE) -> None:
        super().__init__()
        self._max_alike = max_alike
        self._counts: Counter[RecordKey] = Counter()
        self._examples: dict[RecordKey, str] = {}
        self._lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record; several handlers of one record get the same answer."""
        passes: bool | None = getattr(record, "passes_limit", None)
        if passes is None:
            passes = record.passes_limit = self._count(record)
        return passes

    def flush(self) -> str:
        """Start the next interval; return what was not logged in the last one, or ""."""
        with self._lock:
            dropped = {key: count - self._max_alike for key, count in self._counts.items()}
            examples = self._examples
            self._counts, self._examples = Counter(), {}
        return ", ".join(f"{dropped[key]:,} × {example}" for key, example in examples.items())

    def _count(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[0] if record.exc_info else None
        key = (record.pathname, record.lineno, error)
        with self._lock:
            self._counts[key] += 1
            passes = self._counts[key] <= self._max_alike
            if not passes and key not in self._examples:
                self._examples[key] = record.getMessage().partition("\n")[0][:80]
        return passes


LIMIT = RepeatFilter()
"""The filter of this process."""


def limit_logs() -> None:
    """Add the filter to all handlers that there are."""
    loggers = [logging.getLogger(), *logging.root.manager.loggerDict.values()]
    handlers = [h for each in loggers if isinstance(each, logging.Logger) for h in each.handlers]
    for handler in {*handlers, logging.lastResort}:
        if handler is not None:
            handler.addFilter(LIMIT)


async def report_repeats() -> None:
    """At the end of each interval, and of the process, log how many records were not logged."""
    try:
        while True:
            await asyncio.sleep(INTERVAL_S)
            _report()
    finally:
        _report()


def _report() -> None:
    if dropped := LIMIT.flush():
        logging.getLogger(__name__).warning("More of what is logged above: %s", dropped)
