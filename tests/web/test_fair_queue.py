"""Shares are equal among addresses, and within an address among names."""

import asyncio
from contextlib import suppress
from typing import TypeVar

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lnviz.web import fair_queue
from lnviz.web.fair_queue import (
    HALF_S,
    FairQueue,
    FairRateLimiter,
    FairSemaphore,
    QueueFull,
    RecentUsage,
    heaviest,
)
from lnviz.web.identity import Client

Item = TypeVar("Item")
A, B, C = (Client("here", name) for name in "abc")
AWAY = Client("there", "d")


def take(queue: FairQueue[Item]) -> Item:
    item = queue.first()
    assert item is not None
    queue.pop(item)
    return item


def taken(queue: FairQueue[Item]) -> list[Item]:
    return [take(queue) for _ in range(len(queue))]


def still(places: int) -> FairQueue[str]:
    return FairQueue(places, clock=lambda: 0.0)


def test_a_newcomers_dear_figure_comes_before_the_hundredth_of_somebody_else() -> None:
    queue = still(200)
    for number in range(100):
        queue.add(f"a{number}", A, 0.02)
    take(queue)
    queue.add("dear", B, 4.0)
    assert queue.position("dear") == 0
    assert taken(queue)[0] == "dear"


def test_ninety_names_of_an_address_do_not_keep_another_address_waiting() -> None:
    queue = still(64)
    for number in range(90):
        queue.add(f"cheap {number}", Client("here", f"made up {number}"), 0.2)
    take(queue)
    pushed = queue.add("dear", AWAY, 4.0), queue.add("dear, too", AWAY, 4.0)
    assert all(item is not None and item.startswith("cheap") for item in pushed if item)
    assert take(queue) == "dear"


def test_those_without_a_name_are_one_visitor_beside_classmates() -> None:
    queue = still(64)
    for number in range(60):
        queue.add(f"flood {number}", Client("here"), 0.2)
    for visitor in (A, B, C):
        queue.add(visitor.id, visitor, 4.0)
    assert taken(queue)[:4] == ["flood 0", "a", "b", "c"]


def test_what_was_had_long_ago_does_not_count() -> None:
    now = [0.0]
    queue: FairQueue[str] = FairQueue(9, clock=lambda: now[0])
    queue.add("a", A, 8.0)
    take(queue)
    queue.add("b", B, 2.0)
    take(queue)
    queue.add("a", A, 1.0)
    queue.add("b", B, 1.0)
    assert queue.first() == "b"
    now[0] = 3 * HALF_S
    queue.remove("a")
    queue.add("b2", B, 1.0)
    queue.pop("b")
    queue.add("a", A, 1.0)
    assert queue.first() == "a"


def test_who_has_left_the_queue_has_had_nothing() -> None:
    queue = still(9)
    for number in range(5):
        queue.add(f"a{number}", A, 1.0)
    for number in range(5):
        queue.remove(f"a{number}")
    queue.add("a", A, 1.0)
    queue.add("b", B, 1.0)
    assert taken(queue) == ["a", "b"]


def test_who_is_taken_before_their_turn_has_had_it() -> None:
    queue = still(9)
    queue.add("a", A, 1.0)
    queue.add("b", B, 5.0)
    assert queue.first(lambda item: item == "b") == "b"
    queue.pop("b")
    queue.add("b2", B, 0.5)
    queue.add("c", C, 0.5)
    assert queue.first(lambda item: item == "d") is None
    assert taken(queue) == ["a", "c", "b2"]


def test_a_full_queue_refuses_the_last_of_whoever_has_most_in_it() -> None:
    queue = still(3)
    for number in range(3):
        assert queue.add(f"a{number}", A, 1.0) is None
    assert queue.add("a3", A, 1.0) == "a3"
    assert queue.add("b0", B, 1.0) == "a2"
    assert taken(queue) == ["a0", "b0", "a1"]


def test_of_those_who_have_as_much_the_one_loses_who_has_had_more() -> None:
    queue = still(2)
    queue.add("before", A, 1.0)
    take(queue)
    queue.add("a", A, 1.0)
    queue.add("b", B, 1.0)
    assert queue.add("c", C, 1.0) == "a"


def test_in_a_full_queue_a_newcomer_is_not_the_one_who_loses() -> None:
    queue = still(3)
    for visitor in (A, B, C):
        queue.add(visitor.id, visitor, 1.0)
    assert queue.add("new", Client("here", "new"), 1.0) == "a"
    assert taken(queue) == ["b", "c", "new"]


def test_the_order_of_a_queue_is_worked_out_once_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = still(9)
    for visitor in (A, B, C):
        queue.add(visitor.id, visitor, 1.0)
    assert [queue.position(item) for item in "abc"] == [0, 1, 2]
    with monkeypatch.context() as patched:
        patched.setattr(queue, "_turns", None)  # which would fail when asked
        assert [queue.position(item) for item in "cba"] == [2, 1, 0]
    take(queue)
    assert [queue.position(item) for item in "abc"] == [0, 0, 1]


def test_the_cost_of_a_queue_is_that_of_all_who_wait() -> None:
    queue = still(9)
    queue.add("a", A, 1.0)
    queue.add("b", B, 2.5)
    queue.remove("a")
    assert queue.cost == 2.5


def test_the_largest_share_is_the_largest_addresss() -> None:
    one_each = [Client("class", str(n)) for n in range(5)]
    assert heaviest([*one_each, *3 * [AWAY]]) == Client("class", "0")
    assert heaviest([*one_each, *6 * [AWAY]]) == AWAY
    assert heaviest([A, B, B, C]) == B
    assert heaviest([]) is None


def test_few_are_remembered() -> None:
    lately = RecentUsage(clock=lambda: 0.0)
    for number in range(10_000):
        lately.add(Client(str(number)), 1.0)
    assert len(lately._had) < 5000
    assert lately.client_usage(Client("9999")) == (1.0, 1.0)


REQUESTS = st.lists(st.tuples(st.sampled_from([A, B, AWAY]), st.sampled_from([0.25, 1.0, 4.0])))


@given(REQUESTS)
def test_everybody_is_served_in_the_order_of_their_own_asking(
    requests: list[tuple[Client, float]],
) -> None:
    queue: FairQueue[tuple[Client, int]] = FairQueue(1000, clock=lambda: 0.0)
    items = [(visitor, number) for number, (visitor, _) in enumerate(requests)]
    for item, (visitor, cost) in zip(items, requests, strict=True):
        queue.add(item, visitor, cost)
    assert [queue.position(item) for item in sorted(items, key=queue.position)] == [
        *range(len(items))
    ]
    expected = sorted(items, key=queue.position)
    order = taken(queue)
    assert order == expected
    for visitor in (A, B, AWAY):
        own = [item for item in order if item[0] == visitor]
        assert own == [item for item in items if item[0] == visitor]


@given(REQUESTS)
def test_two_addresses_and_two_names_are_served_alike_within_the_dearest_figure(
    requests: list[tuple[Client, float]],
) -> None:
    queue: FairQueue[int] = FairQueue(1000, clock=lambda: 0.0)
    for number, (visitor, cost) in enumerate(requests):
        queue.add(number, visitor, cost)
    left = [visitor for visitor, _ in requests]
    served = dict.fromkeys((A, B, AWAY), 0.0)
    while len(queue):
        visitor, cost = requests[take(queue)]
        here, there = served[A] + served[B], served[AWAY]
        if {A, B} & set(left) and AWAY in left:
            assert (here if visitor != AWAY else there) <= min(here, there)
        if visitor != AWAY and A in left and B in left:
            assert served[visitor] <= min(served[A], served[B])
        served[visitor] += cost
        left.remove(visitor)


@pytest.mark.anyio
async def test_messages_that_come_too_fast_go_on_in_fair_turns() -> None:
    now = [0.0]
    pace = FairRateLimiter(burst=2, second=1e6, places=99, clock=lambda: now[0])
    flood = [pace.acquire(A) for _ in range(50)]
    other = pace.acquire(B)
    assert [turn.done() for turn in (*flood, other)] == [True] * 2 + [False] * 49
    now[0] = 1.5e-6
    await other
    assert sum(turn.done() for turn in flood) == 2
    now[0] = 1.0
    await flood[2]
    for turn in flood:
        pace.release(turn)


@pytest.mark.anyio
async def test_as_many_go_on_at_once_as_may_until_they_leave_or_take_too_long() -> None:
    pace = FairRateLimiter(burst=9, second=1, places=9, at_once=1)
    first, second = pace.acquire(A), pace.acquire(B)
    assert [first.done(), second.done()] == [True, False]
    pace.release(first)
    assert second.done()
    impatient = FairRateLimiter(burst=9, second=1, places=9, at_once=1, patience=0.0)
    impatient.acquire(A)
    await impatient.acquire(B)


@pytest.mark.anyio
async def test_who_leaves_takes_no_turn() -> None:
    now = [0.0]
    pace = FairRateLimiter(burst=1, second=1e6, places=9, clock=lambda: now[0])
    _, gone, there = pace.acquire(A), pace.acquire(A), pace.acquire(B)
    pace.release(gone)
    now[0] = 1e-6
    await there
    assert not gone.done()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("patience", "seen"), [(1e9, ["a", "a"]), (0.0, ["a", "a", "a has left", "b"])]
)
async def test_who_holds_most_makes_room_for_who_waits_but_not_at_once(
    patience: float, seen: list[str]
) -> None:
    turns, order = FairSemaphore(2, 9, patience), []

    async def have(visitor: Client) -> None:
        try:
            async with turns.acquire(visitor):
                order.append(visitor.id)
                await anyio.sleep_forever()
        except QueueFull:
            order.append(f"{visitor.id} has left")

    async with anyio.create_task_group() as tasks:
        for visitor in (A, A, A, B):
            tasks.start_soon(have, visitor)
            await anyio.wait_all_tasks_blocked()
        assert order == seen
        tasks.cancel_scope.cancel()
    assert (turns._held, len(turns._queue)) == ([], 0)


@pytest.mark.anyio
async def test_of_those_who_hold_as_much_the_one_makes_room_who_has_been_at_it_longest() -> None:
    turns, left = FairSemaphore(2, 9, patience=0.0), []

    async def have(visitor: Client) -> None:
        try:
            async with turns.acquire(visitor):
                await anyio.sleep_forever()
        except QueueFull:
            left.append(visitor)

    async with anyio.create_task_group() as tasks:
        for visitor in (A, B, C):
            tasks.start_soon(have, visitor)
            await anyio.wait_all_tasks_blocked()
        assert left == [A]
        assert [turn.visitor for turn in turns._held] == [B, C]
        tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_who_holds_more_makes_room_before_who_holds_as_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fair_queue, "EVEN", 1e9)
    turns = FairSemaphore(2, 9, patience=1e-9)

    async def have(visitor: Client) -> None:
        with suppress(QueueFull):
            async with turns.acquire(visitor):
                await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        for visitor in (A, A, B, C):
            tasks.start_soon(have, visitor)
            await anyio.wait_all_tasks_blocked()
        while {turn.visitor for turn in turns._held} != {A, B}:
            await anyio.sleep(0)
        tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_nobody_leaves_who_will_soon_be_ready() -> None:
    turns, order = FairSemaphore(2, 9, patience=0.0), []
    over = anyio.Event()

    async def have(visitor: Client) -> None:
        async with turns.acquire(visitor) as turn:
            turn.settled = True
            order.append(visitor.id)
            await over.wait()

    async with anyio.create_task_group() as tasks:
        for visitor in (A, A, B):
            tasks.start_soon(have, visitor)
            await anyio.wait_all_tasks_blocked()
        assert order == ["a", "a"]
        over.set()
    assert order == ["a", "a", "b"]


@pytest.mark.anyio
async def test_where_too_many_wait_one_of_whoever_has_most_is_refused() -> None:
    turns = FairSemaphore(0, 2, patience=0.0)
    refused: list[str] = []

    async def have(visitor: Client) -> None:
        try:
            async with turns.acquire(visitor):
                raise AssertionError
        except QueueFull:
            refused.append(visitor.id)

    async with anyio.create_task_group() as tasks:
        for visitor in (A, A, B, A):
            tasks.start_soon(have, visitor)
        await anyio.wait_all_tasks_blocked()
        assert refused == ["a", "a"]
        tasks.cancel_scope.cancel()


@pytest.mark.anyio
async def test_however_many_wait_one_timer_looks_after_them() -> None:
    turns = FairSemaphore(1, 99, patience=1e9)

    async def have(visitor: Client) -> None:
        async with turns.acquire(visitor):
            await anyio.sleep_forever()

    async with anyio.create_task_group() as tasks:
        for visitor in [A, *[B] * 50]:
            tasks.start_soon(have, visitor)
        await anyio.wait_all_tasks_blocked()
        timers = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
        assert sum(timer._callback == turns._advance for timer in timers) == 1
        tasks.cancel_scope.cancel()
