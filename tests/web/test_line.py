from hypothesis import given
from hypothesis import strategies as st

from lnviz.web.line import Line


def taken(line: Line[str]) -> list[str]:
    return [line.take() for _ in range(len(line))]


def test_who_asks_for_a_hundred_lets_anothers_first_pass() -> None:
    line: Line[str] = Line(200)
    for number in range(100):
        line.join(f"a{number}", "a", 1.0)
    line.take()
    line.join("b0", "b", 1.0)
    assert line.ahead("b0") == 1
    assert taken(line)[:4] == ["a1", "b0", "a2", "a3"]


def test_what_is_cheap_passes_what_is_dear() -> None:
    line: Line[str] = Line(9)
    for visitor in "abc":
        line.join(f"{visitor} dear", visitor, 3.0)
    line.join("d cheap", "d", 0.1)
    assert taken(line) == ["d cheap", "a dear", "b dear", "c dear"]


def test_many_cheap_ones_of_one_visitor_do_not_keep_a_dear_one_of_another() -> None:
    line: Line[str] = Line(99)
    line.join("dear", "b", 2.0)
    for number in range(50):
        line.join(f"a{number}", "a", 0.25)
    assert taken(line).index("dear") == 7


def test_who_has_left_the_line_is_owed_no_wait() -> None:
    line: Line[str] = Line(9)
    for number in range(5):
        line.join(f"a{number}", "a", 1.0)
    for number in range(1, 5):
        line.leave(f"a{number}")
    line.join("b", "b", 1.5)
    line.join("a", "a", 1.0)
    assert taken(line) == ["a0", "b", "a"]


def test_in_a_full_line_the_last_one_leaves() -> None:
    line: Line[str] = Line(3)
    for number in range(3):
        assert line.join(f"a{number}", "a", 1.0) is None
    assert line.join("a3", "a", 1.0) == "a3"
    assert line.join("b0", "b", 1.0) == "a2"
    assert taken(line) == ["a0", "b0", "a1"]


def test_the_cost_of_a_line_is_that_of_all_who_wait() -> None:
    line: Line[str] = Line(9)
    line.join("a", "a", 1.0)
    line.join("b", "b", 2.5)
    line.leave("a")
    assert line.cost == 2.5


REQUESTS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([0.25, 1.0, 4.0])))


@given(REQUESTS)
def test_everybody_is_served_in_the_order_of_their_own_asking(
    requests: list[tuple[str, float]],
) -> None:
    line: Line[str] = Line(1000)
    items = [f"{visitor}{number}" for number, (visitor, _) in enumerate(requests)]
    for item, (visitor, cost) in zip(items, requests, strict=True):
        line.join(item, visitor, cost)
    order = taken(line)
    assert sorted(order) == sorted(items)
    for visitor in "abc":
        assert [i for i in order if i[0] == visitor] == [i for i in items if i[0] == visitor]


@given(REQUESTS)
def test_two_who_wait_are_served_alike_within_the_dearest_figure(
    requests: list[tuple[str, float]],
) -> None:
    line: Line[int] = Line(1000)
    for number, (visitor, cost) in enumerate(requests):
        line.join(number, visitor, cost)
    left = {visitor: sum(v == visitor for v, _ in requests) for visitor in "abc"}
    served = dict.fromkeys("abc", 0.0)
    while len(line):
        visitor, cost = requests[line.take()]
        waiting = [served[v] for v in "abc" if left[v]]
        served[visitor] += cost
        left[visitor] -= 1
        assert served[visitor] - cost <= min(waiting) + 4.0
