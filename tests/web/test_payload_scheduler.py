"""The order in which payloads are computed, and the limits of the queue."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Coroutine
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from lnviz.background import failures
from lnviz.explorable import Explorable, ParameterError, TextParameter
from lnviz.lessons import FigureSpec
from lnviz.memory import Memory
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_scheduler import HEAVY_BYTES, LIGHT_BYTES, Overloaded
from lnviz.web.responses import CompressedBody
from tests.web.computing import HEAVY, SEED, Counting, Held, asking, computing, in_queue

pytestmark = pytest.mark.anyio


async def test_thirty_who_ask_at_once_wait_for_one_computation(held: Held) -> None:
    async with computing() as payloads:
        tasks = [asking(payloads, held.wanted(), str(n)) for n in range(30)]
        await held.begun()
        held.finish()
        assert len(set(await asyncio.gather(*tasks))) == 1
    assert held.order == [0]


async def test_what_is_ready_does_not_wait_for_what_is_not(held: Held) -> None:
    counting = Counting()
    async with computing() as payloads:
        await asking(payloads, counting.wanted(), "a")
        slow = [asking(payloads, held.wanted(seed)) for seed in range(9)]
        await held.begun()
        assert payloads.cache.get_from_memory(counting.wanted()) is not None
        assert await asking(payloads, counting.wanted(), "a")
        assert not any(task.done() for task in slow)
        held.finish()
        await asyncio.gather(*slow)


async def test_as_many_are_computed_at_once_as_there_are_cores(held: Held) -> None:
    async with computing(cores=2) as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(4)]
        await held.begun(0)
        await held.begun(1)
        assert sorted(held.order) == [0, 1]
        held.finish(0)
        await tasks[0]
        await held.begun(2)
        assert sorted(held.order) == [0, 1, 2]
        held.finish()
        await asyncio.gather(*tasks)


@pytest.mark.parametrize("room", [2**40, HEAVY_BYTES], ids=["much memory", "short of memory"])
async def test_a_light_figure_does_not_wait_for_heavy_ones_to_end(held: Held, room: int) -> None:
    counting = Counting()
    async with computing(memory=Memory(room, lambda: 0)) as payloads:
        heavy = asking(payloads, held.wanted())
        await held.begun()
        await asking(payloads, counting.wanted(), "another")
        assert not heavy.done()
        held.finish()
        await heavy


async def test_who_asks_for_many_seeds_does_not_delay_anothers_first(held: Held) -> None:
    async with computing() as payloads:
        many = [asking(payloads, held.wanted(seed), "one") for seed in range(50)]
        await held.begun()
        first = asking(payloads, held.wanted(99), "another")
        await in_queue(first)
        held.finish()
        await asyncio.gather(first, *many)
    assert held.order.index(99) == 2  # after the one that was begun and the one that was first


async def test_the_queue_has_an_end_with_a_sentence_and_a_time(held: Held) -> None:
    async with computing(max_waiting=3) as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(5)]
        await held.begun()
        with pytest.raises(Overloaded, match=r"Ask again in 6 seconds\.$") as refused:
            await tasks[4]
        assert refused.value.retry_after == 6
        held.finish()
        await asyncio.gather(*tasks[:4])
    assert held.order == [0, 1, 2, 3]


async def test_what_nobody_has_asked_for_by_hand_is_begun_where_nothing_else_is_on_its_way(
    held: Held,
) -> None:
    async with computing() as payloads:

        def in_background(seed: int, seconds: float = HEAVY) -> Coroutine[Any, Any, CompressedBody]:
            visitor = Client("somewhere", "somebody")
            return payloads.get(held.wanted(seed, seconds), visitor, background=True)

        asked = asking(payloads, held.wanted(1))
        await held.begun(1)
        with pytest.raises(Overloaded, match="requests come first"):
            await in_background(2)
        same, light = (asyncio.create_task(in_background(*one)) for one in ((1,), (3, 0.1)))
        await held.begun(3)
        held.finish()
        assert await same is await asked
        await light
        await in_background(2)
    assert held.order == [1, 3, 2]


async def test_a_full_queue_refuses_the_last_of_whoever_asks_for_most(held: Held) -> None:
    async with computing(max_waiting=3) as payloads:
        many = [asking(payloads, held.wanted(seed), "one") for seed in range(4)]
        await held.begun()
        first = asking(payloads, held.wanted(99), "another")
        with pytest.raises(Overloaded):
            await many[3]
        held.finish()
        await asyncio.gather(first, *many[:3])


async def test_one_who_floods_the_queue_denies_nobody_behind_the_same_address_a_figure(
    held: Held,
) -> None:
    async with computing(max_waiting=8) as payloads:
        flood = [asking(payloads, held.wanted(seed, 0.5), "", "class") for seed in range(50)]
        await held.begun()
        mates = [asking(payloads, held.wanted(50 + n, HEAVY), str(n), "class") for n in range(3)]
        other = asking(payloads, held.wanted(60, HEAVY), "another", "elsewhere")
        await in_queue(*mates, other)
        held.finish()
        await asyncio.gather(*mates, other)
        refused = await asyncio.gather(*flood, return_exceptions=True)
    assert set(held.order[:6]) == {0, 1, 50, 51, 52, 60}
    assert (
        sum(isinstance(each, Overloaded) for each in refused)
        == payloads.scheduler.rejected
        == 50 - 1 - 4
    )


async def test_a_figure_waits_for_each_who_wants_it_and_the_first_turn_counts(held: Held) -> None:
    async with computing() as payloads:
        many = [asking(payloads, held.wanted(seed), "one") for seed in range(5)]
        await held.begun()
        joined, gone = (
            asking(payloads, held.wanted(seed), name) for seed, name in ((4, "a"), (3, "b"))
        )
        await in_queue(joined, gone)
        said = payloads.progress(held.wanted(4))
        assert said is not None
        assert said["ahead"] == 1
        await left(gone)  # in whose turn nothing is computed now
        held.finish()
        await asyncio.gather(joined, *many)
    assert held.order == [0, 1, 4, 2, 3]


async def test_a_figure_is_refused_only_when_all_who_want_it_are(held: Held) -> None:
    async with computing(max_waiting=3) as payloads:
        many = [asking(payloads, held.wanted(seed), "one") for seed in range(4)]
        await held.begun()
        joined, fresh = (asking(payloads, held.wanted(n), str(n)) for n in (3, 9))
        with pytest.raises(Overloaded):
            await many[2]
        held.finish()
        await asyncio.gather(joined, fresh, *many[:2], many[3])
    assert payloads.scheduler.rejected == 1


async def test_a_class_that_wants_one_figure_takes_nobody_the_place_of_another(held: Held) -> None:
    async with computing(max_waiting=3) as payloads:
        first = asking(payloads, held.wanted(0), "one")
        await held.begun()
        mates = [asking(payloads, held.wanted(1), str(n)) for n in range(20)]
        others = [asking(payloads, held.wanted(seed), "another") for seed in (2, 3)]
        await in_queue(*mates, *others)
        assert payloads.scheduler.waiting == 3
        held.finish()
        await asyncio.gather(first, *mates, *others)
    assert (sorted(held.order), payloads.scheduler.rejected) == ([0, 1, 2, 3], 0)


async def test_figures_are_computed_one_by_one_where_memory_is_short(held: Held) -> None:
    async with computing(cores=2, memory=Memory(HEAVY_BYTES, lambda: 0)) as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(2)]
        await held.begun(0)
        assert (payloads.scheduler.running, payloads.scheduler.waiting) == (1, 1)
        held.finish()
        await asyncio.gather(*tasks)


@pytest.mark.parametrize("room", [2 * HEAVY_BYTES, HEAVY_BYTES])
async def test_a_light_figure_does_not_wait_for_heavy_ones_of_many_names(
    held: Held, room: int
) -> None:
    counting = Counting()
    async with computing(cores=2, memory=Memory(room, lambda: 0)) as payloads:
        heavy = [asking(payloads, held.wanted(seed), str(seed)) for seed in range(9)]
        await held.begun()
        await asking(payloads, counting.wanted(), "another")
        assert not any(task.done() for task in heavy)
        held.finish()
        await asyncio.gather(*heavy)


@pytest.mark.parametrize("room", [2**40, HEAVY_BYTES], ids=["much memory", "short of memory"])
async def test_texts_of_a_class_are_computed_one_by_one_beside_the_figures_of_others(
    held: Held, room: int
) -> None:
    text = TextParameter("text", "Text", "", lambda _: None)
    figure = FigureSpec("text", lambda seed, text: held.build(seed), (SEED, text), HEAVY)

    def own(seed: int) -> PayloadRequest:
        return PayloadRequest("a", figure, {"seed": seed, "text": f"sentence {seed}"})

    async with computing(memory=Memory(room, lambda: 0)) as payloads:
        texts = [asking(payloads, own(seed), f"student {seed}") for seed in range(30)]
        await held.begun(0)
        first, second = (asking(payloads, held.wanted(seed), str(seed)) for seed in (50, 51))
        await held.begun(50)
        assert held.order == [0, 50]
        assert payloads.progress(own(29)) == {"ahead": 28, "done": None}
        assert payloads.progress(held.wanted(51)) == {"ahead": 0, "done": None}
        held.finish(50, 51)
        await asyncio.gather(first, second)
        assert held.order == [0, 50, 51]
        held.finish()
        await asyncio.gather(*texts)


async def test_who_asks_for_light_figures_without_end_keeps_no_heavy_one(held: Held) -> None:
    held.finish()
    counting, over = Counting(), asyncio.Event()
    async with computing(cores=2) as payloads:

        async def many(client: int) -> None:
            while not over.is_set():
                await asking(payloads, counting.wanted(seed=str(client)), "one")
                payloads.cache.evict_recent()  # so that the next is computed anew

        lights = [asyncio.create_task(many(client)) for client in range(6)]
        await in_queue(*lights)
        await asking(payloads, held.wanted(), "another")
        over.set()
        await asyncio.gather(*lights)


async def test_what_may_be_taken_costs_nobody_what_is_kept(held: Held) -> None:
    counting = Counting()
    async with computing(cores=2, memory=Memory(2 * HEAVY_BYTES, lambda: 0)) as payloads:
        heavy = [asking(payloads, held.wanted(seed), str(seed)) for seed in range(2)]
        await held.begun()
        await asking(payloads, counting.wanted(), "another")
        await asking(payloads, counting.wanted(seed="1"), "another")
        assert payloads.cache.get_from_memory(counting.wanted()) is not None
        held.finish()
        await asyncio.gather(*heavy)


@pytest.mark.parametrize(("light", "together"), [(0, 1), (LIGHT_BYTES, 2)])
async def test_beside_heavy_figures_room_for_a_light_one_is_left(
    held: Held, light: int, together: int
) -> None:
    room = Memory(2 * HEAVY_BYTES + light, lambda: 0)
    async with computing(cores=2, memory=room) as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(2)]
        await in_queue(*tasks)
        assert payloads.scheduler.running == together
        held.finish()
        await asyncio.gather(*tasks)


@pytest.mark.slow
async def test_a_figure_for_which_there_is_no_memory_is_refused(held: Held) -> None:
    async with computing(memory=Memory(HEAVY_BYTES, lambda: 1)) as payloads:
        with pytest.raises(Overloaded, match="out of memory for this figure"):
            await asking(payloads, held.wanted())


async def test_a_figure_waits_while_caches_are_dropped_for_it_beside_the_event_loop() -> None:
    taken, threads, counting = [1], [], Counting()

    def free() -> None:
        threads.append(threading.current_thread())
        taken.clear()

    memory = Memory(LIGHT_BYTES, lambda: sum(taken))
    memory.on_pressure(free)
    async with computing(memory=memory) as payloads:
        await asking(payloads, counting.wanted())
        assert payloads.scheduler.rejected == 0
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


async def test_where_no_thread_can_be_started_to_free_memory_a_figure_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []

    async def run_sync(*_: object, **options: object) -> None:
        tried.append(options)
        await asyncio.sleep(0)
        raise RuntimeError("can't start new thread")

    memory, before = Memory(HEAVY_BYTES, lambda: 1), failures().get("memory_reclaim", 0)
    async with computing(memory=memory) as payloads:
        monkeypatch.setattr("lnviz.memory.to_thread", SimpleNamespace(run_sync=run_sync))
        with pytest.raises(Overloaded, match="out of memory for this figure"):
            await asking(payloads, Held().wanted())
    assert len(tried) == 1
    assert failures()["memory_reclaim"] == before + 1


async def test_progress_says_how_many_wait_before_and_how_much_is_done(held: Held) -> None:
    async with computing() as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(3)]
        await held.begun()
        said = [payloads.progress(held.wanted(seed)) for seed in range(4)]
        assert said == [
            {"ahead": 0, "done": 0.25},
            {"ahead": 0, "done": None},
            {"ahead": 1, "done": None},
            None,
        ]
        held.finish()
        await asyncio.gather(*tasks)
        assert payloads.progress(held.wanted()) is None


async def left(task: asyncio.Task[CompressedBody]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_nobody_waits_for_any_more_is_withdrawn(held: Held) -> None:
    async with computing() as payloads:
        task = asking(payloads, held.wanted(0))
        await held.begun()
        await left(task)
        assert payloads.progress(held.wanted(0)) is None
        held.finish()
        # Its place is free for the next.
        await asking(payloads, held.wanted(1), "a")
        assert payloads.cache.get_from_memory(held.wanted(0)) is None
    assert held.withdrawn == [0]


async def test_what_somebody_still_waits_for_goes_on(held: Held) -> None:
    async with computing() as payloads:
        one, other = (asking(payloads, held.wanted()) for _ in range(2))
        await held.begun()
        await left(one)
        held.finish()
        assert b"held 0" in (await other).content
    assert held.withdrawn == []


@pytest.mark.parametrize("leaver", [0, 1])
async def test_who_shares_a_figure_keeps_its_place_when_the_other_leaves(
    leaver: int, held: Held
) -> None:
    async with computing(max_waiting=3) as payloads:
        first = asking(payloads, held.wanted(0), "d")
        await held.begun()
        shared = [asking(payloads, held.wanted(1), name) for name in ("a", "b")]
        await in_queue(*shared)
        # The queue is full: the last one takes the place of one of the two.
        others = [asking(payloads, held.wanted(seed), name) for seed, name in ((2, "c"), (3, "d"))]
        await in_queue(*others)
        await left(shared.pop(leaver))
        held.finish()
        await asyncio.gather(first, *shared, *others)
        assert payloads.scheduler.rejected == 0


async def test_who_leaves_the_queue_is_never_computed(held: Held) -> None:
    async with computing() as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(3)]
        await held.begun()
        await left(tasks[1])
        held.finish()
        await asyncio.gather(tasks[0], tasks[2])
    assert held.order == [0, 2]


async def test_what_was_withdrawn_can_be_asked_for_again_at_once(held: Held) -> None:
    async with computing(cores=2) as payloads:
        task = asking(payloads, held.wanted())
        await held.begun()
        await left(task)
        again = asking(payloads, held.wanted())
        await in_queue(again)
        held.finish()
        assert b"held 0" in (await again).content
        await held.ended(2)
    assert (held.order, held.withdrawn) == ([0, 0], [0])


async def test_the_end_of_the_server_ends_all_computing(held: Held) -> None:
    async with computing() as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(3)]
        await held.begun()
        payloads.close()
        for task in tasks:
            with pytest.raises(Overloaded, match="shutting down"):
                await task
        with pytest.raises(Overloaded, match="shutting down"):
            await asking(payloads, held.wanted(7), "a")
    assert held.order == [0]
    held.finish()


class Model:
    """Stands for half a gigabyte."""


async def test_what_a_figure_held_that_failed_is_gone_with_it() -> None:
    held: list[weakref.ref[Model]] = []

    def build() -> Explorable:
        model = Model()
        held.append(weakref.ref(model))
        try:
            raise ValueError
        except ValueError as error:
            raise ParameterError("No.", {}) from error

    gc.disable()
    try:
        async with computing() as payloads:
            with suppress(ParameterError):
                await asking(payloads, PayloadRequest("a", FigureSpec("f", build), {}))
        assert [ref() for ref in held] == [None]
    finally:
        gc.enable()
