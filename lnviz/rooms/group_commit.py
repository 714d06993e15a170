"""Group commit: operations that arrive at about the same time share a database transaction."""

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
MAX_BATCH = 256

T = TypeVar("T")


@dataclass(frozen=True)
class _Pending:
    code: str
    operation: Operation[Any]
    shared: bool
    future: asyncio.Future[Any]


class GroupCommitter:
    """Batch writer: runs database operations in a thread, each batch in one transaction.

    Args:
        store: Returns the store; called in the thread.
    """

    def __init__(self, store: Callable[[], RoomStore]) -> None:
        self._store = store
        self._limiter = CapacityLimiter(1)
        self._pending: list[_Pending] = []
        self._task: asyncio.Task[None] | None = None

    async def submit(self, code: str, operation: Operation[T], shared: bool = False) -> T:
        """Run an operation in the next batch; return its result once the batch is committed.

        Args:
            code: Code of the room.
            operation: Function of the transaction, which returns the result.
            shared: Whether it may run concurrently with others; see `Transaction`.

        Raises:
            RequestError: The operation raised it.
            StoreError: The batch could not be committed.
        """
        future = asyncio.get_running_loop().create_future()
        self._pending.append(_Pending(code, operation, shared, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        result: T = await future
        return result

    async def drain(self) -> None:
        """Wait until no batch is pending."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while self._pending:
            await asyncio.sleep(BATCH_WINDOW_S)
            batch, self._pending = self._pending[:MAX_BATCH], self._pending[MAX_BATCH:]
            # All processes lock rooms in the same order, so they cannot deadlock.
            batch.sort(key=lambda each: each.code)
            for shared in (True, False):
                # A shared lock cannot become an exclusive one while others share it.
                await self._commit([each for each in batch if each.shared is shared], shared)

    async def _commit(self, batch: list[_Pending], shared: bool) -> None:
        if not batch:
            return
        operations = [each.operation for each in batch]
        try:
            results = await to_thread.run_sync(
                self._write, operations, shared, limiter=self._limiter
            )
        except Exception as error:
            report_failure("room_writer")
            results = [error] * len(batch)
        for each, result in zip(batch, results, strict=True):
            if each.future.done():
                continue  # the caller was cancelled
            if isinstance(result, Exception):
                each.future.set_exception(result)
            else:
                each.future.set_result(result)

    def _write(self, operations: list[Operation[Any]], shared: bool) -> list[Any]:
        try:
            return self._store().execute_batch(operations, shared)
        except StoreError as error:
            is_of_one = isinstance(error.__cause__, DataError | IntegrityError)
            if len(operations) == 1 or not is_of_one:
                return [error] * len(operations)
        except Exception as error:
            if len(operations) == 1:
                report_failure("room_writer")
                return [error]
        # One operation has failed the batch: run each in a transaction of its own.
        return [result for each in operations for result in self._write([each], shared)]
