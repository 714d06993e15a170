"""Where this server keeps what visitors train, and the command that works on it."""

from __future__ import annotations

import sys
import threading
from functools import cache

from lnviz.database.connection import database_url
from lnviz.training.record import TrainingRecord
from lnviz.training.store import RunRepository

OPENING = threading.Lock()
WORK = (sys.executable, "-m", "lnviz.topics.lab.command", "work")
"""The command that works on a job."""


def store() -> RunRepository:
    """Return where this server keeps trainings; the first time, all of its file is read.

    Raises:
        StoreError: As `Store`.
    """
    # Many ask when a server has just started: one of them reads.
    with OPENING:
        return _store()


@cache
def _store() -> RunRepository:
    return RunRepository(database_url(), integrity_check=True)


def record(job: str) -> TrainingRecord | None:
    """Return what has become of a visitor's job so far; None where there is no such job."""
    known = store().find(job)
    return store().record(known) if known and known.id == job else None
