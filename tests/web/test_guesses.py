"""Who may try codes of rooms."""

import pytest

from lnviz.errors import RequestError
from lnviz.web.identity import Visitor
from lnviz.web.rooms.code_throttle import OWN, PERIOD_S, SHARED, Guesses


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def may(guesses: Guesses, who: Visitor) -> bool:
    try:
        guesses.check(who)
    except RequestError as error:
        return error.status != 429 or f"in {error.retry_after} s" not in str(error)
    return True


def test_ten_wrong_codes_are_a_visitor_s_in_five_minutes() -> None:
    clock = Clock()
    guesses, ann = Guesses(clock), Visitor("class", "ann")
    for _ in range(OWN):
        assert may(guesses, ann)
        guesses.wrong(ann)
    assert not may(guesses, ann)
    clock.now += PERIOD_S / OWN
    assert may(guesses, ann)


def test_where_an_address_has_tried_too_many_who_tried_none_comes_in() -> None:
    guesses = Guesses(Clock())
    for number in range(SHARED):
        guesses.wrong(Visitor("class", f"name {number}"))
    assert not may(guesses, Visitor("class", "name 0"))
    assert not may(guesses, Visitor("class"))
    newcomer = Visitor("class", "newcomer")
    assert may(guesses, newcomer)
    guesses.wrong(newcomer)
    assert not may(guesses, newcomer)
    assert may(guesses, Visitor("elsewhere", "name 0"))


@pytest.mark.parametrize("name", ["", "ann"])
def test_right_codes_cost_nothing(name: str) -> None:
    guesses = Guesses(Clock())
    assert all(may(guesses, Visitor("class", name)) for _ in range(10 * SHARED))
