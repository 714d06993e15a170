from typing import TypeVar

from hypothesis import given
from hypothesis import strategies as st

from lnviz.web.fair_queue import FairQueue

Item = TypeVar("Item")


def take(queue: FairQueue[Item]) -> Item:
    item = queue.first()
    assert item is not None
    queue.take(item)
    return item


def taken(queue: FairQueue[Item]) -> list[Item]:
    return [take(queue) for _ in range(len(queue))]


def test_who_asks_for_a_hundred_lets_anothers_first_pass() -> None:
    queue: FairQueue[str] = FairQueue(200)
    for number in range(100):
        queue.join(f"a{number}", "a", 1.0)
    take(queue)
    queue.join("b0", "b", 1.0)
    assert queue.ahead("b0") == 1
    assert taken(queue)[:4] == ["a1", "b0", "a2", "a3"]


def test_what_is_cheap_passes_what_is_dear() -> None:
    queue: FairQueue[str] = FairQueue(9)
    for visitor in "abc":
        queue.join(f"{visitor} dear", visitor, 3.0)
    queue.join("d cheap", "d", 0.1)
    assert taken(queue) == ["d cheap", "a dear", "b dear", "c dear"]


def test_many_cheap_ones_of_one_visitor_do_not_keep_a_dear_one_of_another() -> None:
    queue: FairQueue[str] = FairQueue(99)
    queue.join("dear", "b", 2.0)
    for number in range(50):
        queue.join(f"a{number}", "a", 0.25)
    assert taken(queue).index("dear") == 7


def test_who_has_left_the_queue_is_owed_no_wait() -> None:
    queue: FairQueue[str] = FairQueue(9)
    for number in range(5):
        queue.join(f"a{number}", "a", 1.0)
    for number in range(1, 5):
        queue.leave(f"a{number}")
    queue.join("b", "b", 1.5)
    queue.join("a", "a", 1.0)
    assert taken(queue) == ["a0", "b", "a"]


def test_who_is_taken_before_their_turn_does_not_change_whose_turn_it_is() -> None:
    queue: FairQueue[str] = FairQueue(9)
    queue.join("a", "a", 1.0)
    queue.join("b", "b", 5.0)
    assert queue.first(lambda item: item == "b") == "b"
    queue.take("b")
    queue.join("c", "c", 0.5)
    assert queue.first(lambda item: item == "d") is None
    assert taken(queue) == ["c", "a"]


def test_in_a_full_queue_the_last_one_leaves() -> None:
    queue: FairQueue[str] = FairQueue(3)
    for number in range(3):
        assert queue.join(f"a{number}", "a", 1.0) is None
    assert queue.join("a3", "a", 1.0) == "a3"
    assert queue.join("b0", "b", 1.0) == "a2"
    assert taken(queue) == ["a0", "b0", "a1"]


def test_many_light_ones_of_one_visitor_do_not_push_out_anothers_first() -> None:
    queue: FairQueue[str] = FairQueue(64)
    for number in range(63):
        queue.join(f"a{number}", "a", 0.01)
    assert queue.join("b dear", "b", 4.0) is None
    assert queue.join("a63", "a", 0.01) == "a63"
    assert queue.join("c dear", "c", 5.0) == "a62"
    assert {"b dear", "c dear"} <= set(taken(queue))


def test_the_cost_of_a_queue_is_that_of_all_who_wait() -> None:
    queue: FairQueue[str] = FairQueue(9)
    queue.join("a", "a", 1.0)
    queue.join("b", "b", 2.5)
    queue.leave("a")
    assert queue.cost == 2.5


REQUESTS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([0.25, 1.0, 4.0])))


@given(REQUESTS)
def test_everybody_is_served_in_the_order_of_their_own_asking(
    requests: list[tuple[str, float]],
) -> None:
    queue: FairQueue[str] = FairQueue(1000)
    items = [f"{visitor}{number}" for number, (visitor, _) in enumerate(requests)]
    for item, (visitor, cost) in zip(items, requests, strict=True):
        queue.join(item, visitor, cost)
    order = taken(queue)
    assert sorted(order) == sorted(items)
    for visitor in "abc":
        assert [i for i in order if i[0] == visitor] == [i for i in items if i[0] == visitor]


@given(REQUESTS)
def test_two_who_wait_are_served_alike_within_the_dearest_figure(
    requests: list[tuple[str, float]],
) -> None:
    queue: FairQueue[int] = FairQueue(1000)
    for number, (visitor, cost) in enumerate(requests):
        queue.join(number, visitor, cost)
    left = {visitor: sum(v == visitor for v, _ in requests) for visitor in "abc"}
    served = dict.fromkeys("abc", 0.0)
    while len(queue):
        visitor, cost = requests[take(queue)]
        waiting = [served[v] for v in "abc" if left[v]]
        served[visitor] += cost
        left[visitor] -= 1
        assert served[visitor] - cost <= min(waiting) + 4.0
