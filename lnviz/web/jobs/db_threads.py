"""Database access by the `/jobs` endpoints, in a limited number of threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import to_thread
from starlette.requests import Request

from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.identity import identify_client
from lnviz.web.identity_cookie import ISSUE_BURST

MAX_WAITING = 2 * ISSUE_BURST  # requests
DB_THREADS = FairSemaphore(4, MAX_WAITING)
"""Concurrent database calls; the other threads stay free for requests without a database."""

T = TypeVar("T")


async def run_in_db_thread(request: Request, function: Callable[[], T]) -> T:
    """Call a function that uses the database, in a thread; return its result.

    Raises:
        QueueFull: Too many requests wait for the database.
    """
    async with DB_THREADS.acquire(identify_client(request)):
        return await to_thread.run_sync(function)
