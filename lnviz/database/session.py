"""The app's database, opened once in each process: training jobs, uploads and signing keys."""

from __future__ import annotations

import threading
from functools import cache

from lnviz.database.connection import Database, database_url

OPENING = threading.Lock()


def get_database() -> Database:
    """Return the app's database; the first call opens it, and checks an SQLite file for damage.

    Raises:
        StoreError: As `Database`; the next call tries again.
    """
    # Many threads ask when a server has just started: one of them reads the file.
    with OPENING:
        return _database()


@cache
def _database() -> Database:
    return Database(database_url(), integrity_check=True)
