"""Networks are served in turns, and within a network its clients."""

from typing import TypeVar

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnviz.web.fair_queue import FairQueue, FairSemaphore, QueueFull
from lnviz.web.identity import Client
from lnviz.web.rate_limit import RateLimiter

Item = TypeVar("Item")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


A, B, C = (Client("here", name) for name in "abc")
AWAY = Client("there", "d")


def take(queue: FairQueue[Item]) -> Item:
    item = queue.first()
    assert item is not None
    queue.pop(item)
    return item


def taken(queue: FairQueue[Item]) -> list[Item]:
    return [take(queue) for _ in range(len(queue))]


def test_a_newcomer_comes_before_the_second_item_of_whoever_asks_for_a_hundred() -> None:
    queue: FairQueue[str] = FairQueue(200)
    for number in range(100):
        queue.add(f"a{number}", A)
    take(queue)
    queue.add("b", B)
    assert taken(queue)[:3] == ["a1", "b", "a2"]


def test_ninety_names_of_a_network_do_not_keep_another_network_waiting() -> None:
    queue: FairQueue[str] = FairQueue(64)
    for number in range(90):
        queue.add(f"flood {number}", Client("here", f"made up {number}"))
    evicted = queue.add("a", AWAY), queue.add("b", AWAY)
    assert all(item is not None and item.startswith("flood") for item in evicted)
    assert [item for item in taken(queue)[:4] if not item.startswith("flood")] == ["a", "b"]


def test_those_without_a_name_are_one_client_beside_classmates() -> None:
    queue: FairQueue[str] = FairQueue(64)
    for number in range(60):
        queue.add(f"flood {number}", Client("here"))
    for client in (A, B, C):
        queue.add(client.id, client)
    assert taken(queue)[:4] == ["flood 0", "a", "b", "c"]


def test_who_comes_back_after_each_item_gets_no_more_turns_than_others() -> None:
    queue: FairQueue[str] = FairQueue(64)
    queue.add("a", A)
    for number in range(2):
        queue.add(f"b{number}", B)
    served = []
    for number in range(4):
        served.append(take(queue))
        queue.add(f"a{number}", A) if served[-1].startswith("a") else None
    assert [item[0] for item in served] == ["a", "b", "a", "b"]


def test_an_item_that_is_served_out_of_turn_counts_as_a_turn() -> None:
    queue: FairQueue[str] = FairQueue(9)
    for item, client in (("a", A), ("b", B), ("b2", B), ("c", C)):
        queue.add(item, client)
    assert queue.first(lambda item: item == "b") == "b"
    queue.pop("b")
    assert queue.first(lambda item: item == "d") is None
    assert taken(queue) == ["a", "c", "b2"]


def test_a_full_queue_loses_the_newest_item_of_whoever_has_most_in_it() -> None:
    queue: FairQueue[str] = FairQueue(3)
    for number in range(3):
        assert queue.add(f"a{number}", A) is None
    assert queue.add("a3", A) == "a3"
    assert queue.add("b0", B) == "a2"
    assert taken(queue) == ["a0", "b0", "a1"]


ITEMS = st.lists(st.sampled_from([A, B, AWAY]))


@given(ITEMS)
def test_positions_are_the_order_in_which_items_are_served(clients: list[Client]) -> None:
    queue: FairQueue[tuple[Client, int]] = FairQueue(1000)
    items = [(client, number) for number, client in enumerate(clients)]
    for item in items:
        queue.add(item, item[0])
    expected = sorted(items, key=queue.position)
    assert [queue.position(item) for item in expected] == [*range(len(items))]
    order = taken(queue)
    assert order == expected
    for client in (A, B, AWAY):
        own = [item for item in order if item[0] == client]
        assert own == [item for item in items if item[0] == client]


@given(ITEMS)
def test_two_networks_and_two_clients_that_wait_are_served_equally_often(
    clients: list[Client],
) -> None:
    queue: FairQueue[int] = FairQueue(1000)
    for number, client in enumerate(clients):
        queue.add(number, client)
    left, order = list(clients), []
    while len(queue):
        here, there = sum(client != AWAY for client in order), order.count(AWAY)
        if {A, B} & set(left) and AWAY in left:
            assert abs(here - there) <= 1
        if A in left and B in left:
            assert abs(order.count(A) - order.count(B)) <= 1
        order.append(clients[take(queue)])
        left.remove(order[-1])


@pytest.mark.anyio
async def test_a_rate_limit_grants_leases_one_after_another_in_fair_turns() -> None:
    now = [0.0]
    rate = RateLimiter(burst=2, per_second=1e6, clock=lambda: now[0])
    semaphore = FairSemaphore(99, 99, rate=rate)
    flood = [semaphore.request(A) for _ in range(50)]
    other = semaphore.request(B)
    assert [lease.granted.done() for lease in (*flood, other)] == [True] * 2 + [False] * 49
    now[0] = 2.5e-6
    assert await other.granted
    assert sum(lease.granted.done() for lease in flood) == 3
    for lease in flood:
        semaphore.release(lease)


@pytest.mark.anyio
async def test_as_many_leases_are_held_as_there_is_room_for_and_few_by_one_client() -> None:
    semaphore, order = FairSemaphore(2, 9, per_client=1), []

    async def hold(client: Client) -> None:
        async with semaphore.acquire(client):
            order.append(client.id)
            await anyio.sleep_forever()

    async with anyio.create_task_group() as holders:
        async with anyio.create_task_group() as tasks:
            for client in (A, A, A):
                tasks.start_soon(hold, client)
            await anyio.wait_all_tasks_blocked()
            assert order == ["a"]
            for client in (B, C):
                holders.start_soon(hold, client)
            await anyio.wait_all_tasks_blocked()
            assert order == ["a", "b"]
            tasks.cancel_scope.cancel()
        await anyio.wait_all_tasks_blocked()
        assert order == ["a", "b", "c"]
        holders.cancel_scope.cancel()


@pytest.mark.anyio
async def test_where_too_many_wait_the_newest_of_whoever_has_most_is_refused() -> None:
    semaphore, refused = FairSemaphore(1, 2), []

    async def hold(client: Client) -> None:
        try:
            async with semaphore.acquire(client):
                await anyio.sleep_forever()
        except QueueFull:
            refused.append(client.id)

    async with anyio.create_task_group() as tasks:
        for client in (C, A, A, B, A):
            tasks.start_soon(hold, client)
            await anyio.wait_all_tasks_blocked()
        assert refused == ["a", "a"]
        tasks.cancel_scope.cancel()
