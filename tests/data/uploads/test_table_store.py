import re
import threading

import pytest
import torch

from lnviz.data.uploads import Table, TableStore


def test_the_store_gives_back_what_was_put_under_a_new_name_each_time() -> None:
    store = TableStore()
    values = Table(torch.ones(2, 3))
    first, second = store.put(values), store.put(values)
    assert first != second
    assert store.get(first) is values
    assert store.get(second) is values


def test_a_name_is_long_and_safe_in_an_address() -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", TableStore().put(Table(torch.ones(2, 2))))


def test_an_unknown_name_gives_none() -> None:
    assert TableStore().get("unknown") is None


def test_the_least_recently_used_array_goes_when_there_are_too_many() -> None:
    store = TableStore(max_items=2)
    old, used = store.put(Table(torch.zeros(2, 2))), store.put(Table(torch.ones(2, 2)))
    assert store.get(old) is not None
    new = store.put(Table(torch.ones(3, 3)))
    assert [store.get(token) is not None for token in (old, used, new)] == [True, False, True]


def test_the_least_recently_used_arrays_go_when_the_cells_are_too_many() -> None:
    store = TableStore(max_cells=20)
    small = [store.put(Table(torch.zeros(2, 4))) for _ in range(2)]
    large = store.put(Table(torch.zeros(4, 4)))
    assert [store.get(token) is not None for token in (*small, large)] == [False, False, True]
    exact = store.put(Table(torch.zeros(2, 2)))
    assert store.get(large) is not None
    assert store.get(exact) is not None


def test_an_array_larger_than_the_store_is_refused() -> None:
    store = TableStore(max_cells=5)
    kept = store.put(Table(torch.zeros(2, 2)))
    message = "a table must fit the store of 5 cells; got one of 6. Give the store more cells."
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        store.put(Table(torch.zeros(2, 3)))
    assert store.get(kept) is not None


def test_many_threads_can_use_the_store_at_once() -> None:
    store = TableStore(max_items=8, max_cells=100)
    kept: list[str] = []

    def visit() -> None:
        for size in range(2, 7):
            for _ in range(50):
                token = store.put(Table(torch.zeros(size, size)))
                store.get(token)
                kept.append(token)

    threads = [threading.Thread(target=visit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alive = [found.values for token in kept if (found := store.get(token)) is not None]
    assert len(kept) == 8 * 5 * 50
    assert 1 <= len(alive) <= 8
    assert sum(values.numel() for values in alive) <= 100
