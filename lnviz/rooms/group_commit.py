"""Writes of many, gathered: a transaction takes as long for a hundred answers as for one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from sqlalchemy.exc import DataError, IntegrityError

from lnviz.background import report_failure
from lnviz.database.errors import StoreError
from lnviz.rooms.store import RoomStore
from lnviz.rooms.transactions import Operation

BATCH_WINDOW_S = 0.05
MAX_BATCH = 256  # in one transaction

T = TypeVar("T")


@dataclass(frozen=True)
class _Pending:
    code: str
    operation: Operation[Any]
    shared: bool
    future: asyncio.Future[Any]


class GroupCommitter:
    """Does what comes within a moment in one transaction, and answers once that is kept.

    Args:
        store: gives where it is kept, in a thread.
    """

    def __init__(self, store: Callable[[], RoomStore]) -> None:
        self._store = store
        self._limiter = CapacityLimiter(1)
        self._waiting: list[_Pending] = []
        self._task: asyncio.Task[None] | None = None

    async def submit(self, code: str, operation: Operation[T], shared: bool = False) -> T:
        """Do something in a room, and return what it gives once it is kept.

        Args:
            code: of the room.
            operation: what is done.
            shared: whether others may do the same meanwhile; see `Transaction`.

        Raises:
            RequestError: it cannot be done.
            StoreError: it was not kept.
        """
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(_Pending(code, operation, shared, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        done: T = await future
        return done

    async def _run(self) -> None:
        while self._waiting:
            await asyncio.sleep(BATCH_WINDOW_S)
            taken, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            # Two processes that lock rooms in one order do not wait for each other in a circle.
            taken.sort(key=lambda each: each.code)
            for shared in (True, False):
                # Who has a share of a room cannot have it alone before all others let go.
                await self._commit([each for each in taken if each.shared is shared], shared)

    async def _commit(self, taken: list[_Pending], shared: bool) -> None:
        if not taken:
            return
        works = [each.operation for each in taken]
        try:
            given = await to_thread.run_sync(self._write, works, shared, limiter=self._limiter)
        except Exception as error:
            report_failure("room_writer")
            given = [error] * len(taken)
        for each, result in zip(taken, given, strict=True):
            if each.future.done():
                continue  # whoever asked has left
            if isinstance(result, Exception):
                each.future.set_exception(result)
            else:
                each.future.set_result(result)

    def _write(self, works: list[Operation[Any]], shared: bool) -> list[Any]:
        try:
            return self._store().execute_batch(works, shared)
        except StoreError as error:
            if len(works) == 1 or not isinstance(error.__cause__, DataError | IntegrityError):
                return [error] * len(works)
        except Exception as error:
            if len(works) == 1:
                report_failure("room_writer")
                return [error]
        # What one has brought must not cost the others theirs.
        return [each for work in works for each in self._write([work], shared)]
