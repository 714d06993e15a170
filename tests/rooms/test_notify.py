"""What one process writes, another hears; and many writes of a moment are one."""

import asyncio
from collections.abc import Iterator, Sequence
from queue import Queue
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.exc import DataError

from lnviz.database.connection import StoreError
from lnviz.database.models import RoomRow
from lnviz.errors import RequestError
from lnviz.rooms.group_commit import Writer
from lnviz.rooms.notify import Watch
from lnviz.rooms.store import Store
from lnviz.rooms.transactions import Work


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = Store(url)
    yield opened
    opened.close()


def test_a_write_of_another_process_is_heard(store: Store, url: str) -> None:
    opened = store.one(lambda tx: tx.open("axes", 1))
    heard: Queue[str] = Queue()
    watch = Watch(url, heard.put)
    assert heard.get() == ""  # whatever was before
    store.one(lambda tx: tx.enter(opened["code"], "ann"))
    room = store.look(lambda session: session.scalars(select(RoomRow.id)).one())
    assert heard.get() == ("" if store.database.is_file else room)
    watch.close()


@pytest.mark.anyio
async def test_what_comes_in_a_moment_is_kept_at_once(store: Store) -> None:
    opened = store.one(lambda tx: tx.open("axes", 1))
    times: list[int] = []
    write = store.write

    def counted(works: Sequence[Work[Any]], shared: bool) -> list[Any]:
        times.append(len(works))
        return write(works, shared)

    store.write = counted  # type: ignore[method-assign]
    writer = Writer(lambda: store)
    seats = [
        writer.do(opened["code"], lambda tx, n=n: tx.enter(opened["code"], f"name {n}"))
        for n in range(40)
    ]
    found = await asyncio.gather(
        *seats, writer.do("none", lambda tx: tx.enter("none", "ann")), return_exceptions=True
    )
    assert times == [41]
    assert sorted(seat["number"] for seat in found[:40]) == list(range(1, 41))
    assert isinstance(found[40], RequestError)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [ZeroDivisionError, StoreError])
async def test_a_write_that_breaks_costs_the_others_nothing(
    store: Store, kind: type[Exception]
) -> None:
    opened = store.one(lambda tx: tx.open("axes", 1))
    writer = Writer(lambda: store)

    def broken(tx: Any) -> None:
        if kind is StoreError:
            raise DataError("integer out of range", None, ValueError("integer out of range"))
        raise ZeroDivisionError

    found = await asyncio.gather(
        writer.do(opened["code"], lambda tx: tx.enter(opened["code"], "ann")),
        writer.do(opened["code"], broken),
        return_exceptions=True,
    )
    assert found[0]["number"] == 1
    assert isinstance(found[1], kind)
