import asyncio
import gc
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from lnviz import background, memory
from lnviz.memory import MIN_HEADROOM, RECLAIM_INTERVAL_S, Memory, container_memory


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


@pytest.mark.slow
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


def test_the_log_says_with_both_numbers_that_a_limit_is_raised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    monkeypatch.setattr(memory._log, "warning", lambda form, *rest: said.append(form % rest))
    Memory(700 * 2**20, lambda: 300 * 2**20).set_baseline()
    assert said == [
        "A memory limit of 700 MB is too little: the process has 300 MB at its start, so the limit "
        "is 812 MB. LNVIZ_MEMORY sets it."
    ]
    Memory(900 * 2**20, lambda: 300 * 2**20).set_baseline()
    assert len(said) == 1


def test_a_process_keeps_within_its_container(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(memory._log, "warning", lambda form, *rest: said.append(form % rest))
    found = Memory(1500 * 2**20, lambda: 300 * 2**20, container=1000 * 2**20)
    found.set_baseline()
    assert found.ceiling == 900 * 2**20
    assert not said
    found = Memory(1500 * 2**20, lambda: 300 * 2**20, container=500 * 2**20)
    found.set_baseline()
    assert found.ceiling == 450 * 2**20
    assert "may use 450 MB" in said[0]


@pytest.mark.parametrize(
    ("groups", "files", "limit"),
    [
        ("0::/", {"memory.max": "max"}, None),
        ("0::/", {"memory.max": "1000"}, 1000),
        ("0::/a/b", {"a/memory.max": "500", "a/b/memory.max": "max"}, 500),
        ("0::/host/only", {"memory.max": "1000"}, 1000),
        ("4:memory:/a\n0::/", {"memory/a/memory.limit_in_bytes": "700"}, 700),
        ("4:cpu:/a", {"memory/a/memory.limit_in_bytes": "700"}, None),
        ("4:memory:/a", {"memory/memory.limit_in_bytes": "9223372036854771712"}, None),
    ],
)
def test_the_memory_of_a_container_is_that_of_its_smallest_group(
    groups: str, files: dict[str, str], limit: int | None, tmp_path: Path
) -> None:
    named, mounted = tmp_path / "cgroup", tmp_path / "mounted"
    named.write_text(groups)
    for name, content in files.items():
        (mounted / name).parent.mkdir(parents=True, exist_ok=True)
        (mounted / name).write_text(content + "\n")
    assert container_memory(named, mounted) == limit


@pytest.mark.parametrize("value", ["", "0", "much"])
def test_the_ceiling_is_one_and_a_half_gib_unless_a_number_is_named(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv(memory.MEMORY_ENV, value)
    assert memory._ceiling() == 1.5 * 2**30
    monkeypatch.setenv(memory.MEMORY_ENV, "900")
    assert memory._ceiling() == 900 * 2**20


@pytest.mark.slow
def test_pages_of_a_mapped_file_are_not_counted(tmp_path: Path) -> None:
    size = 2**26
    file = tmp_path / "weights"
    file.write_bytes(bytes(size))
    before = memory._used()
    mapped = np.memmap(file, mode="r")
    assert mapped.sum() == 0  # every page has been read
    after = memory._used()
    if before is None or after is None:  # only Linux tells
        assert before is after
    else:
        assert after - before < size / 2
