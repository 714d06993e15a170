import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from lnviz.explorable import Explorable, ParameterError, Readout, Whole
from lnviz.lessons import Figure
from lnviz.lessons.inputs import DATA
from lnviz.web.routes import Body, Payloads

SEED = Whole("seed", "Seed", 0, 99, 0)
OTHER = Whole("other", "Other", 0, 99, 0)


class Counting:
    """A figure that counts how often it is built, by its parameters."""

    def __init__(self) -> None:
        self.built: Counter[tuple[int, int]] = Counter()
        self.figure = Figure("f", self.build, (SEED, OTHER))

    def build(self, seed: int, other: int) -> Explorable:
        self.built[seed, other] += 1
        return Explorable(f"{seed} {other}", (), {}, ((Readout("text"),),))


def get(payloads: Payloads, lesson: str, figure: Figure, query: dict[str, str]) -> Body:
    return payloads.get(lesson, figure, figure.parse(query))


def test_a_payload_is_built_once() -> None:
    counting, payloads = Counting(), Payloads(4)
    first = get(payloads, "a", counting.figure, {"seed": "1"})
    assert get(payloads, "a", counting.figure, {"seed": "1"}) is first
    assert counting.built == {(1, 0): 1}


def test_the_order_of_parameters_makes_no_other_payload() -> None:
    counting, payloads = Counting(), Payloads(4)
    for query in ({"seed": "1", "other": "2"}, {"other": "2", "seed": "1"}):
        get(payloads, "a", counting.figure, query)
    assert counting.built == {(1, 2): 1}


def test_figures_of_one_name_in_two_lessons_are_two() -> None:
    counting, payloads = Counting(), Payloads(4)
    for lesson in ("a", "b"):
        get(payloads, lesson, counting.figure, {})
    assert counting.built == {(0, 0): 2}


def test_the_least_recently_used_payload_is_forgotten_first() -> None:
    counting, payloads = Counting(), Payloads(2)
    for seed in ("1", "2", "1", "3", "1", "2"):
        get(payloads, "a", counting.figure, {"seed": seed})
    assert counting.built == {(1, 0): 1, (2, 0): 2, (3, 0): 1}


def test_thirty_who_ask_at_once_wait_for_one_computation() -> None:
    counting, payloads = Counting(), Payloads(4)
    together = threading.Barrier(30)

    def ask(_: int) -> bytes:
        together.wait()
        return get(payloads, "a", counting.figure, {"seed": "1"}).content

    with ThreadPoolExecutor(30) as pool:
        assert len(set(pool.map(ask, range(30)))) == 1
    assert counting.built == {(1, 0): 1}


def test_one_computation_does_not_hold_up_another() -> None:
    started, finish = threading.Event(), threading.Event()

    def slow() -> Explorable:
        started.set()
        finish.wait()
        return Explorable("slow", (), {}, ())

    counting, payloads = Counting(), Payloads(4)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(get, payloads, "a", Figure("slow", slow), {})
        started.wait()
        get(payloads, "a", counting.figure, {})
        assert not waiting.done()
        finish.set()
        assert b"slow" in waiting.result().content


def test_a_refusal_is_not_remembered() -> None:
    answers = [ParameterError("not yet"), Explorable("now", (), {}, ())]

    def build() -> Explorable:
        answer = answers.pop(0)
        if isinstance(answer, ParameterError):
            raise answer
        return answer

    payloads, figure = Payloads(4), Figure("f", build)
    with pytest.raises(ParameterError, match="not yet"):
        get(payloads, "a", figure, {})
    assert b"now" in get(payloads, "a", figure, {}).content


def test_what_a_visitor_uploaded_is_kept_for_nobody_else() -> None:
    built: list[str] = []

    def build(data: str) -> Explorable:
        built.append(data)
        return Explorable(data, (), {}, ())

    payloads, figure = Payloads(4), Figure("f", build, (DATA,))
    for _ in range(2):
        get(payloads, "a", figure, {"data": "upload.token"})
    assert built == ["upload.token", "upload.token"]


def test_two_ways_to_write_the_same_parameters_are_one_payload() -> None:
    counting, payloads = Counting(), Payloads(4)
    for query in ({}, {"seed": "0"}, {"seed": "00", "other": "0"}):
        get(payloads, "a", counting.figure, query)
    assert counting.built == {(0, 0): 1}
