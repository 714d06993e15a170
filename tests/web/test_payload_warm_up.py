"""The warm-up of the default payloads."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import TestCase

import pytest

from lnviz.background import failures
from lnviz.explorable import Explorable
from lnviz.lessons import FigureSpec
from lnviz.web import lifespan
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_store import PayloadStore
from tests.web.computing import Counting, Held, asking, computing, in_queue

pytestmark = pytest.mark.anyio


async def test_after_a_start_the_figures_at_rest_are_computed_cheapest_first(held: Held) -> None:
    held.finish()
    costs = {1: 3.0, 2: 0.5, 3: 1.0}
    async with computing(*(held.wanted(*item) for item in costs.items())) as payloads:
        await payloads.warm_up()
        assert all(payloads.cache.get_from_memory(held.wanted(seed)) for seed in costs)
    assert held.order == [2, 3, 1]


async def test_the_next_start_finds_the_figures_on_disk(tmp_path: Path) -> None:
    counting = Counting()
    for _ in range(2):
        async with computing(counting.wanted(), store=PayloadStore(tmp_path)) as payloads:
            await payloads.warm_up()
            assert payloads.cache.get_from_memory(counting.wanted())
    async with computing(store=PayloadStore(tmp_path)) as payloads:
        assert b"0 0" in (await asking(payloads, counting.wanted(), "a")).content
    assert counting.built == {(0, 0): 1}


async def test_what_is_computed_ahead_waits_while_a_visitor_needs_the_machine(held: Held) -> None:
    async with computing(held.wanted(0)) as payloads:
        preparing = asyncio.create_task(payloads.warm_up())
        await held.begun(0)
        visitors = asking(payloads, held.wanted(1))
        await held.begun(1)
        held.finish(0)
        held.finish(1)
        await visitors
        await preparing
        assert payloads.cache.get_from_memory(held.wanted(0))
    assert (held.order, held.done) == ([0, 1], [1, 0])


async def test_a_visitor_who_wants_what_is_computed_ahead_gets_it_at_once(held: Held) -> None:
    async with computing(held.wanted(0)) as payloads:
        preparing = asyncio.create_task(payloads.warm_up())
        await held.begun(0)
        visitors = asking(payloads, held.wanted(0))
        await in_queue(visitors)
        held.finish()
        await visitors
        await preparing
    assert (held.order, held.withdrawn) == ([0, 0], [0])


async def test_a_figure_that_fails_keeps_no_other_from_being_computed_ahead() -> None:
    def broken() -> Explorable:
        raise ZeroDivisionError

    counting, before = Counting(), failures().get("warm_up", 0)
    wrong = PayloadRequest("a", FigureSpec("broken", broken, cpu_seconds=0.1), {})
    async with computing(wrong, counting.wanted()) as payloads:
        with TestCase().assertLogs() as log:
            await payloads.warm_up()
        assert payloads.cache.get_from_memory(counting.wanted())
    assert "broken" in log.output[-1]
    assert failures()["warm_up"] == before + 1


async def test_the_end_of_the_server_ends_what_is_computed_ahead(held: Held) -> None:
    async with computing(held.wanted(0), held.wanted(1)) as payloads:
        with TestCase().assertNoLogs():
            preparing = asyncio.create_task(payloads.warm_up())
            await held.begun(0)
            payloads.close()
            held.finish()
            await preparing
    assert (held.order, held.withdrawn) == ([0], [0])


async def test_what_figures_need_is_imported_before_the_first_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []

    async def warm_up() -> None:
        done.append("figures")

    monkeypatch.setattr(lifespan, "PAGES", ())
    monkeypatch.setattr(lifespan, "import_libraries", lambda: done.append("imports"))
    payloads: Any = SimpleNamespace(warm_up=warm_up)
    await lifespan._warm_up(payloads)
    assert done == ["imports", "figures"]
