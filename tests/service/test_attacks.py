"""A small attack on a server of its own; `benchmarks/attack.py` is the large one."""

from collections.abc import Callable, Iterator

import pytest

from lnviz.memory import CEILING
from tests.service import attacks
from tests.service.attacks import Attacked, Size, at_once
from tests.service.client import Asked, Told
from tests.service.server import serve

pytestmark = [pytest.mark.slow, pytest.mark.long]
SMALL = Size(addresses=200, dear=2, files=50, large=2, messages=200, sessions=5, slow=5)
CODES = {200, 204, 301, 307, 400, 404, 405, 408, 410, 413, 422, 429, 503, 1013}


@pytest.fixture(scope="module")
def found() -> Iterator[Attacked]:
    with serve() as server:
        yield at_once(server, SMALL)


def test_nothing_breaks_and_no_answer_says_what_the_server_is_made_of(found: Attacked) -> None:
    assert set(found.told.statuses) <= CODES
    assert found.told.leaks == 0


def test_who_reads_meanwhile_gets_every_answer(found: Attacked) -> None:
    assert set(found.reader.statuses) == {200}


def test_every_burst_of_messages_is_cut_off(found: Attacked) -> None:
    assert found.told.statuses[1013] == 5


def test_the_memory_of_the_process_has_its_ceiling(found: Attacked) -> None:
    assert 0 < found.peak < CEILING


@pytest.mark.parametrize("attack", [attacks.dear, attacks.flood])
def test_what_an_answer_gives_away_is_counted(
    attack: Callable[[int, Size], Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Leaking(attacks.Client):
        def attempt(self, path: str, kind: str = "", **given: object) -> Asked:
            self.note(200)
            self.told.leaks += 1
            return self.told.asked[-1]

    monkeypatch.setattr(attacks, "Client", Leaking)
    told = attack(1, SMALL)
    assert told.leaks == told.statuses.total() > 0
