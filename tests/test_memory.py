import gc
import weakref

import pytest

from lnviz import memory
from lnviz.memory import MIN_HEADROOM, RECLAIM_INTERVAL_S, Memory


def test_who_can_give_memory_back_does_so_only_when_others_need_it() -> None:
    held, asked = [60, 30], []

    def giving(n: int) -> None:
        asked.append(n)
        held[n] = 0

    found = Memory(100, lambda: sum(held))
    found.on_pressure(lambda: giving(0))
    found.on_pressure(lambda: giving(1))
    assert (found.room(10), asked) == (True, [])
    assert (found.room(50), asked) == (True, [0])
    assert not found.room(101)


def test_what_was_given_back_and_holds_itself_is_gone_when_it_is_needed() -> None:
    class Model:
        def __init__(self) -> None:
            self.itself = self

    kept = [Model()]
    ref = weakref.ref(kept[0])
    found = Memory(100, lambda: 100 if ref() else 0)
    found.on_pressure(kept.clear)
    gc.disable()
    try:
        assert found.room(50)
    finally:
        gc.enable()


def test_garbage_is_looked_for_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now, looked = [0.0], []
    monkeypatch.setattr(memory.gc, "collect", lambda: looked.append(now[0]))
    found = Memory(100, lambda: 100, clock=lambda: now[0])
    for now[0] in (0.0, 1.0, RECLAIM_INTERVAL_S, RECLAIM_INTERVAL_S + 1):
        assert not found.room(1)
    assert looked == [0.0, RECLAIM_INTERVAL_S]


def test_a_process_that_begins_with_much_may_still_take_some() -> None:
    found = Memory(100, lambda: 2 * MIN_HEADROOM)
    found.set_baseline()
    assert found.headroom() == MIN_HEADROOM


@pytest.mark.parametrize("said", ["", "0", "much"])
def test_the_ceiling_is_one_and_a_half_gib_unless_a_number_is_named(
    monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setenv(memory.MEMORY_ENV, said)
    assert memory._ceiling() == 1.5 * 2**30
    monkeypatch.setenv(memory.MEMORY_ENV, "900")
    assert memory._ceiling() == 900 * 2**20
