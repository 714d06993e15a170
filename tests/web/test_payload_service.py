import asyncio
import threading
from pathlib import Path

import pytest

from lnviz.book import PAGES
from lnviz.explorable import Explorable, ParameterError
from lnviz.lessons import FigureSpec
from lnviz.lessons.data_parameters import DATA, INLINE_PREFIX, RUN_PREFIX, STORED_PREFIX
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_store import PayloadStore
from lnviz.web.responses import CompressedBody
from tests.web.computing import Counting, asking, computing

pytestmark = pytest.mark.anyio


async def test_a_payload_is_built_once() -> None:
    counting = Counting()
    async with computing() as payloads:
        first = await asking(payloads, counting.wanted(seed="1"), "a")
        assert await asking(payloads, counting.wanted(seed="1"), "b") is first
    assert counting.built == {(1, 0): 1}


class SlowFirstRead(PayloadStore):
    """A store on disk whose first read ends when it is released."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.first, self.release = threading.Event(), threading.Event()

    def get(self, key: str, version: str) -> CompressedBody | None:
        body = super().get(key, version)
        if not self.first.is_set():
            self.first.set()
            self.release.wait()
        return body


async def test_a_payload_that_is_finished_while_the_disk_is_read_is_not_built_again(
    tmp_path: Path,
) -> None:
    counting, store = Counting(), SlowFirstRead(tmp_path)
    async with computing(store=store) as payloads:
        first = asking(payloads, counting.wanted(), "a")
        await asyncio.to_thread(store.first.wait)
        await asking(payloads, counting.wanted(), "b")
        store.release.set()
        await first
    assert counting.built == {(0, 0): 1}


async def test_two_ways_to_write_the_same_parameters_are_one_payload() -> None:
    counting = Counting()
    async with computing() as payloads:
        for query in ({}, {"seed": "0"}, {"other": "0", "seed": "00"}):
            await asking(payloads, counting.wanted(**query), "a")
    assert counting.built == {(0, 0): 1}


async def test_figures_of_one_name_in_two_lessons_are_two() -> None:
    counting = Counting()
    async with computing() as payloads:
        for lesson in ("a", "b"):
            await asking(payloads, counting.wanted(lesson), "a")
    assert counting.built == {(0, 0): 2}


async def test_the_least_recently_used_payload_is_forgotten_first() -> None:
    counting = Counting()
    async with computing() as payloads:
        size = len((await asking(payloads, counting.wanted(), "a")).gzipped)
    counting.built.clear()
    async with computing(recent_bytes=int(2.5 * size)) as payloads:
        for seed in ("1", "2", "1", "3", "1", "2"):
            await asking(payloads, counting.wanted(seed=seed), "a")
    assert counting.built == {(1, 0): 1, (2, 0): 2, (3, 0): 1}


async def test_a_figure_at_rest_is_never_forgotten() -> None:
    counting = Counting()
    async with computing(counting.wanted(), recent_bytes=0) as payloads:
        for seed in ("0", "1", "2", "0", "1"):
            await asking(payloads, counting.wanted(seed=seed), "a")
    assert counting.built == {(0, 0): 1, (1, 0): 2, (2, 0): 1}


async def test_a_refusal_is_not_remembered() -> None:
    answers = [ParameterError("not yet"), Explorable("now", (), {}, ())]

    def build() -> Explorable:
        answer = answers.pop(0)
        if isinstance(answer, ParameterError):
            raise answer
        return answer

    wanted = PayloadRequest("a", FigureSpec("f", build), {})
    async with computing() as payloads:
        with pytest.raises(ParameterError, match="not yet"):
            await asking(payloads, wanted, "a")
        assert b"now" in (await asking(payloads, wanted, "a")).content


def own(data: str) -> tuple[list[str], PayloadRequest]:
    built: list[str] = []

    def build(data: str) -> Explorable:
        built.append(data)
        return Explorable(data, (), {}, ())

    return built, PayloadRequest("a", FigureSpec("f", build, (DATA,)), {"data": data})


@pytest.mark.parametrize("before", [STORED_PREFIX, RUN_PREFIX])
async def test_what_a_visitor_has_left_here_is_kept_for_nobody_else(before: str) -> None:
    built, wanted = own(f"{before}token")
    async with computing() as payloads:
        for _ in range(2):
            await asking(payloads, wanted, "a")
    assert built == [f"{before}token"] * 2


@pytest.mark.parametrize(
    "data", [f"{STORED_PREFIX}token", f"{INLINE_PREFIX}1~2", f"{RUN_PREFIX}token"]
)
async def test_a_visitors_numbers_are_never_written_to_disk(tmp_path: Path, data: str) -> None:
    async with computing(store=PayloadStore(tmp_path)) as payloads:
        await asking(payloads, own(data)[1], "a")
        assert not list(tmp_path.iterdir())
        await asking(payloads, own("worked")[1], "a")
        assert list(tmp_path.iterdir())


@pytest.mark.parametrize("end", ["low", "high", "start"])
def test_every_figure_states_its_cost_wherever_its_parameters_are(end: str) -> None:
    for lesson in PAGES:
        for figure in lesson.figures:
            values = {p.name: getattr(p, end, p.start) for p in figure.parameters}
            assert 0 < figure.cost(values) < 10
