import asyncio
import gc
import threading
import weakref

import pytest

from lnviz import background, memory
from lnviz.memory import MIN_HEADROOM, RECLAIM_INTERVAL_S, Memory


def test_caches_are_dropped_one_after_another_and_only_as_far_as_needed() -> None:
    held, dropped = [60, 30], []

    def drop(n: int) -> None:
        dropped.append(n)
        held[n] = 0

    found = Memory(100, lambda: sum(held))
    found.on_pressure(lambda: drop(0))
    found.on_pressure(lambda: drop(1))
    assert (found.reclaim(10), dropped) == (True, [])
    assert (found.reclaim(50), dropped) == (True, [0])


def test_a_callback_that_fails_is_reported_and_the_next_one_is_called() -> None:
    held = [100]
    found = Memory(100, lambda: sum(held))
    found.on_pressure(lambda: [][0])
    found.on_pressure(held.clear)
    before = background.failures().get("memory_reclaim", 0)
    assert found.reclaim(50)
    assert background.failures()["memory_reclaim"] == before + 1


def test_a_freed_object_that_refers_to_itself_is_collected() -> None:
    class Model:
        def __init__(self) -> None:
            self.itself = self

    kept = [Model()]
    ref = weakref.ref(kept[0])
    found = Memory(100, lambda: 100 if ref() else 0)
    found.on_pressure(kept.clear)
    gc.disable()
    try:
        assert found.reclaim(50)
    finally:
        gc.enable()


def test_caches_are_dropped_and_garbage_is_collected_once_in_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, collected, dropped, trimmed = [0.0], [], [], []
    monkeypatch.setattr(memory.gc, "collect", lambda: collected.append(now[0]))
    monkeypatch.setattr(memory, "_call_libc", lambda *_: trimmed.append(now[0]))
    found = Memory(100, lambda: 100, clock=lambda: now[0])
    found.on_pressure(lambda: dropped.append(now[0]))
    for now[0] in (0.0, 1.0, RECLAIM_INTERVAL_S, RECLAIM_INTERVAL_S + 1):
        assert not found.reclaim(1)
        assert not asyncio.run(found.make_room(1))
    assert collected == dropped == [0.0, RECLAIM_INTERVAL_S]
    assert set(trimmed) == {0.0, RECLAIM_INTERVAL_S}


def test_the_event_loop_goes_on_while_caches_are_dropped() -> None:
    held, threads = [100], []

    async def many() -> list[bool]:
        loop, went_on = asyncio.get_running_loop(), threading.Event()

        def drop() -> None:
            threads.append(threading.current_thread())
            loop.call_soon_threadsafe(went_on.set)
            assert went_on.wait(60), "the event loop was blocked"
            held.clear()

        found = Memory(100, lambda: sum(held))
        found.on_pressure(drop)
        return await asyncio.gather(*(found.make_room(50) for _ in range(100)))

    assert all(asyncio.run(many()))
    assert len(threads) == 1
    assert threads[0] is not threading.main_thread()


def test_a_process_that_begins_with_much_may_still_take_some() -> None:
    found = Memory(100, lambda: 2 * MIN_HEADROOM)
    found.set_baseline()
    assert found.headroom() == MIN_HEADROOM


@pytest.mark.parametrize("value", ["", "0", "much"])
def test_the_ceiling_is_one_and_a_half_gib_unless_a_number_is_named(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv(memory.MEMORY_ENV, value)
    assert memory._ceiling() == 1.5 * 2**30
    monkeypatch.setenv(memory.MEMORY_ENV, "900")
    assert memory._ceiling() == 900 * 2**20
