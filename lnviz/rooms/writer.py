"""Writes of many, gathered: a transaction takes as long for a hundred answers as for one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from sqlalchemy.exc import DataError, IntegrityError

from lnviz.database.connection import StoreError
from lnviz.rooms.store import Store
from lnviz.rooms.transactions import Work

GATHER_S = 0.05
MOST = 256  # in one transaction

T = TypeVar("T")
LOG = logging.getLogger(__name__)


class Writer:
    """Does what comes within a moment in one transaction, and answers once that is kept.

    Args:
        store: gives where it is kept, in a thread.
    """

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._limiter = CapacityLimiter(1)
        self._waiting: list[tuple[str, Work[Any], asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def do(self, code: str, work: Work[T]) -> T:
        """Do something in a room, and return what it gives once it is kept.

        Raises:
            Refused: it cannot be done.
            StoreError: it was not kept.
        """
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((code, work, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        done: T = await future
        return done

    async def _run(self) -> None:
        while self._waiting:
            await asyncio.sleep(GATHER_S)
            taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            # Two processes that lock rooms in one order do not wait for each other in a circle.
            taken.sort(key=lambda each: each[0])
            works, futures = [work for _, work, _ in taken], [future for *_, future in taken]
            given = await to_thread.run_sync(self._write, works, limiter=self._limiter)
            for future, result in zip(futures, given, strict=True):
                if future.done():
                    continue  # whoever asked has left
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)

    def _write(self, works: list[Work[Any]]) -> list[Any]:
        try:
            return self._store().write(works)
        except StoreError as error:
            if len(works) == 1 or not isinstance(error.__cause__, DataError | IntegrityError):
                return [error] * len(works)
        except Exception as error:
            if len(works) == 1:
                LOG.exception("a write to a room has failed")
                return [error]
        # What one has brought must not cost the others theirs.
        return [each for work in works for each in self._write([work])]
