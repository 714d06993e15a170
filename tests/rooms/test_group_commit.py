"""Group commit: many writes in one transaction, and errors that concern one of them alone."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from anyio import to_thread
from sqlalchemy.exc import DataError

from lnviz.background import failures
from lnviz.database.errors import StoreError
from lnviz.errors import RequestError
from lnviz.rooms import group_commit, lifecycle, participation
from lnviz.rooms.group_commit import GroupCommitter
from lnviz.rooms.store import RoomStore
from lnviz.rooms.transactions import Operation


@pytest.mark.anyio
async def test_what_comes_in_a_moment_is_kept_at_once(store: RoomStore) -> None:
    opened = store.execute(lambda tx: lifecycle.open_room(tx, "axes", 1))
    times: list[int] = []
    write = store.execute_batch

    def counted(works: Sequence[Operation[Any]], shared: bool) -> list[Any]:
        times.append(len(works))
        return write(works, shared)

    store.execute_batch = counted  # type: ignore[method-assign]
    writer = GroupCommitter(lambda: store)
    seats = [
        writer.submit(
            opened["code"], lambda tx, n=n: participation.join(tx, opened["code"], f"name {n}")
        )
        for n in range(40)
    ]
    found = await asyncio.gather(
        *seats,
        writer.submit("none", lambda tx: participation.join(tx, "none", "ann")),
        return_exceptions=True,
    )
    assert times == [41]
    assert sorted(seat["number"] for seat in found[:40]) == list(range(1, 41))
    assert isinstance(found[40], RequestError)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [ZeroDivisionError, StoreError])
async def test_a_write_that_breaks_costs_the_others_nothing(
    store: RoomStore, kind: type[Exception]
) -> None:
    opened = store.execute(lambda tx: lifecycle.open_room(tx, "axes", 1))
    writer = GroupCommitter(lambda: store)

    def broken(tx: Any) -> None:
        if kind is StoreError:
            raise DataError("integer out of range", None, ValueError("integer out of range"))
        raise ZeroDivisionError

    found = await asyncio.gather(
        writer.submit(opened["code"], lambda tx: participation.join(tx, opened["code"], "ann")),
        writer.submit(opened["code"], broken),
        return_exceptions=True,
    )
    assert found[0]["number"] == 1
    assert isinstance(found[1], kind)


@pytest.mark.anyio
async def test_a_writer_without_a_thread_answers_with_the_error_and_goes_on(
    store: RoomStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, before = GroupCommitter(lambda: store), failures().get("room_writer", 0)

    async def no_thread(*_: Any, **__: Any) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(to_thread, "run_sync", no_thread)
        with pytest.raises(RuntimeError, match="new thread"):
            await asyncio.wait_for(
                writer.submit("", lambda tx: lifecycle.open_room(tx, "axes", 1)), 10.0
            )
    assert failures()["room_writer"] == before + 1
    assert (await writer.submit("", lambda tx: lifecycle.open_room(tx, "axes", 1)))["rev"] == 0


@pytest.mark.anyio
async def test_shared_operations_of_a_batch_come_first_and_rooms_in_one_order(
    store: RoomStore,
) -> None:
    batches: list[tuple[list[Any], bool]] = []

    def record(operations: Sequence[Operation[Any]], shared: bool = False) -> list[Any]:
        batches.append(([operation(None) for operation in operations], shared))  # type: ignore[arg-type]
        return [None] * len(operations)

    store.execute_batch = record  # type: ignore[method-assign]
    writer = GroupCommitter(lambda: store)
    kinds = [("3", False), ("2", True), ("1", False), ("1", True), ("2", False)]
    await asyncio.gather(
        *(writer.submit(code, lambda _, code=code: code, shared) for code, shared in kinds)
    )
    assert batches == [(["1", "2"], True), (["1", "2", "3"], False)]


@pytest.mark.anyio
async def test_a_batch_is_bounded_and_the_rest_comes_next(
    store: RoomStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "MAX_BATCH", 4)
    sizes: list[int] = []

    def record(operations: Sequence[Operation[Any]], shared: bool = False) -> list[Any]:
        assert not shared  # unless a caller says so
        sizes.append(len(operations))
        return list(range(len(operations)))

    store.execute_batch = record  # type: ignore[method-assign]
    writer = GroupCommitter(lambda: store)
    results = await asyncio.gather(*(writer.submit("", lambda _: None) for _ in range(6)))
    assert sizes == [4, 2]
    assert results == [0, 1, 2, 3, 0, 1]


@pytest.mark.anyio
async def test_a_caller_that_was_cancelled_keeps_no_other_from_its_result(
    store: RoomStore,
) -> None:
    writer = GroupCommitter(lambda: store)
    tasks = [
        asyncio.create_task(writer.submit("", lambda tx: lifecycle.open_room(tx, "axes", 1)))
        for _ in range(2)
    ]
    await asyncio.sleep(0)
    tasks[0].cancel()
    assert (await tasks[1])["rev"] == 0
    assert tasks[0].cancelled()
