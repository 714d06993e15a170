"""Who may try codes of rooms."""

import pytest

from lnviz.errors import RequestError
from lnviz.web.identity import Client
from lnviz.web.rooms.code_throttle import PER_CLIENT, PER_NETWORK, PERIOD_S, CodeAttemptLimiter


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def may(guesses: CodeAttemptLimiter, who: Client) -> bool:
    try:
        guesses.require_allowed(who)
    except RequestError as error:
        return error.status != 429 or f"in {error.retry_after} s" not in str(error)
    return True


def test_ten_wrong_codes_are_a_visitor_s_in_five_minutes() -> None:
    clock = Clock()
    guesses, ann = CodeAttemptLimiter(clock), Client("class", "ann")
    for _ in range(PER_CLIENT):
        assert may(guesses, ann)
        guesses.record_failure(ann)
    assert not may(guesses, ann)
    clock.now += PERIOD_S / PER_CLIENT
    assert may(guesses, ann)


def test_where_an_address_has_tried_too_many_who_tried_none_comes_in() -> None:
    guesses = CodeAttemptLimiter(Clock())
    for number in range(PER_NETWORK):
        guesses.record_failure(Client("class", f"name {number}"))
    assert not may(guesses, Client("class", "name 0"))
    assert not may(guesses, Client("class"))
    newcomer = Client("class", "newcomer")
    assert may(guesses, newcomer)
    guesses.record_failure(newcomer)
    assert not may(guesses, newcomer)
    assert may(guesses, Client("elsewhere", "name 0"))


@pytest.mark.parametrize("name", ["", "ann"])
def test_right_codes_cost_nothing(name: str) -> None:
    guesses = CodeAttemptLimiter(Clock())
    assert all(may(guesses, Client("class", name)) for _ in range(10 * PER_NETWORK))
