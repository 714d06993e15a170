import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lnviz.explorable import Explorable, ParameterError, Readout, Whole
from lnviz.lessons import LESSONS, Figure
from lnviz.lessons.inputs import DATA, KEPT, WRITTEN
from lnviz.progress import Withdrawn, report
from lnviz.web.answers import Body
from lnviz.web.payload_store import PayloadStore
from lnviz.web.payloads import Busy, Payloads, Wanted

pytestmark = pytest.mark.anyio

SEED = Whole("seed", "Seed", 0, 99, 0)
OTHER = Whole("other", "Other", 0, 99, 0)
HEAVY = 2.0


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Counting:
    """A figure that counts how often it is built, by its parameters."""

    def __init__(self) -> None:
        self.built: Counter[tuple[int, int]] = Counter()
        self.figure = Figure("f", self.build, (SEED, OTHER))

    def build(self, seed: int, other: int) -> Explorable:
        self.built[seed, other] += 1
        return Explorable(f"{seed} {other}", (), {}, ((Readout("text"),),))

    def wanted(self, lesson: str = "a", **query: str) -> Wanted:
        return Wanted(lesson, self.figure, self.figure.parse(query))


class Held:
    """A figure that is built when it is let go, or ends when it is withdrawn."""

    def __init__(self) -> None:
        self.order: list[int] = []
        self.done: list[int] = []
        self.withdrawn: list[int] = []
        self._begun: dict[int, threading.Event] = {n: threading.Event() for n in range(100)}
        self._finish: dict[int, threading.Event] = {n: threading.Event() for n in range(100)}

    def build(self, seed: int) -> Explorable:
        self.order.append(seed)
        report(0.25)
        self._begun[seed].set()
        self._finish[seed].wait()
        try:
            report(0.5)
        except Withdrawn:
            self.withdrawn.append(seed)
            raise
        self.done.append(seed)
        return Explorable(f"held {seed}", (), {}, ())

    def wanted(self, seed: int = 0, seconds: float = HEAVY) -> Wanted:
        return Wanted("a", Figure("held", self.build, (SEED,), seconds), {"seed": seed})

    async def begun(self, seed: int = 0) -> None:
        await asyncio.to_thread(self._begun[seed].wait)

    def finish(self, *seeds: int) -> None:
        for seed in seeds or range(100):
            self._finish[seed].set()


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held()
    yield held
    held.finish()


@asynccontextmanager
async def computing(*rest: Wanted, **options: Any) -> AsyncIterator[Payloads]:
    payloads = Payloads(rest, **{"cores": 1, "calm": 0} | options)
    try:
        yield payloads
    finally:
        payloads.close()


def asking(payloads: Payloads, wanted: Wanted, visitor: str = "somebody") -> asyncio.Task[Body]:
    return asyncio.create_task(payloads.get(wanted, visitor))


async def in_line(*tasks: asyncio.Task[Body]) -> None:
    """Until each of those who ask has been heard."""
    for _ in tasks:
        await asyncio.sleep(0)


async def test_a_payload_is_built_once() -> None:
    counting = Counting()
    async with computing() as payloads:
        first = await payloads.get(counting.wanted(seed="1"), "a")
        assert await payloads.get(counting.wanted(seed="1"), "b") is first
    assert counting.built == {(1, 0): 1}


async def test_two_ways_to_write_the_same_parameters_are_one_payload() -> None:
    counting = Counting()
    async with computing() as payloads:
        for query in ({}, {"seed": "0"}, {"other": "0", "seed": "00"}):
            await payloads.get(counting.wanted(**query), "a")
    assert counting.built == {(0, 0): 1}


async def test_figures_of_one_name_in_two_lessons_are_two() -> None:
    counting = Counting()
    async with computing() as payloads:
        for lesson in ("a", "b"):
            await payloads.get(counting.wanted(lesson), "a")
    assert counting.built == {(0, 0): 2}


async def test_the_least_recently_used_payload_is_forgotten_first() -> None:
    counting = Counting()
    async with computing() as payloads:
        size = len((await payloads.get(counting.wanted(), "a")).packed)
    counting.built.clear()
    async with computing(memory=int(2.5 * size)) as payloads:
        for seed in ("1", "2", "1", "3", "1", "2"):
            await payloads.get(counting.wanted(seed=seed), "a")
    assert counting.built == {(1, 0): 1, (2, 0): 2, (3, 0): 1}


async def test_a_figure_at_rest_is_never_forgotten() -> None:
    counting = Counting()
    async with computing(counting.wanted(), memory=0) as payloads:
        for seed in ("0", "1", "2", "0", "1"):
            await payloads.get(counting.wanted(seed=seed), "a")
    assert counting.built == {(0, 0): 1, (1, 0): 2, (2, 0): 1}


async def test_thirty_who_ask_at_once_wait_for_one_computation(held: Held) -> None:
    async with computing() as payloads:
        tasks = [asking(payloads, held.wanted(), str(n)) for n in range(30)]
        await held.begun()
        held.finish()
        assert len(set(await asyncio.gather(*tasks))) == 1
    assert held.order == [0]


async def test_what_is_ready_does_not_wait_for_what_is_not(held: Held) -> None:
    counting = Counting()
    async with computing() as payloads:
        await payloads.get(counting.wanted(), "a")
        slow = [asking(payloads, held.wanted(seed)) for seed in range(9)]
        await held.begun()
        assert payloads.ready(counting.wanted()) is not None
        assert await payloads.get(counting.wanted(), "a")
        assert not any(task.done() for task in slow)
        held.finish()
        await asyncio.gather(*slow)


async def test_as_many_are_computed_at_once_as_there_are_cores(held: Held) -> None:
    async with computing(cores=2) as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(4)]
        await held.begun(0)
        await held.begun(1)
        assert sorted(held.order) == [0, 1]
        held.finish(0)
        await tasks[0]
        await held.begun(2)
        assert sorted(held.order) == [0, 1, 2]
        held.finish()
        await asyncio.gather(*tasks)


async def test_a_light_figure_does_not_wait_for_heavy_ones_to_end(held: Held) -> None:
    counting = Counting()
    async with computing() as payloads:
        heavy = asking(payloads, held.wanted())
        await held.begun()
        await payloads.get(counting.wanted(), "another")
        assert not heavy.done()
        held.finish()
        await heavy


async def test_who_asks_for_many_seeds_does_not_delay_anothers_first(held: Held) -> None:
    async with computing() as payloads:
        many = [asking(payloads, held.wanted(seed), "one") for seed in range(50)]
        await held.begun()
        first = asking(payloads, held.wanted(99), "another")
        await in_line(first)
        held.finish()
        await asyncio.gather(first, *many)
    assert held.order.index(99) == 2


async def test_the_line_has_an_end_with_a_sentence_and_a_time(held: Held) -> None:
    async with computing(places=3) as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(5)]
        await held.begun()
        with pytest.raises(Busy, match=r"Ask again in 6 seconds\.$") as refused:
            await tasks[4]
        assert refused.value.seconds == 6
        held.finish()
        await asyncio.gather(*tasks[:4])
    assert held.order == [0, 1, 2, 3]


async def test_a_full_line_refuses_the_last_of_whoever_asks_for_most(held: Held) -> None:
    async with computing(places=3) as payloads:
        many = [asking(payloads, held.wanted(seed), "one") for seed in range(4)]
        await held.begun()
        first = asking(payloads, held.wanted(99), "another")
        with pytest.raises(Busy):
            await many[3]
        held.finish()
        await asyncio.gather(first, *many[:3])


async def test_progress_says_how_many_wait_before_and_how_much_is_done(held: Held) -> None:
    async with computing() as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(3)]
        await held.begun()
        said = [payloads.progress(held.wanted(seed)) for seed in range(4)]
        assert said == [
            {"ahead": 0, "done": 0.25},
            {"ahead": 0, "done": None},
            {"ahead": 1, "done": None},
            None,
        ]
        held.finish()
        await asyncio.gather(*tasks)
        assert payloads.progress(held.wanted()) is None


async def left(task: asyncio.Task[Body]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_nobody_waits_for_any_more_is_withdrawn(held: Held) -> None:
    async with computing() as payloads:
        task = asking(payloads, held.wanted(0))
        await held.begun()
        await left(task)
        assert payloads.progress(held.wanted(0)) is None
        held.finish()
        # Its place is free for the next.
        await payloads.get(held.wanted(1), "a")
        assert payloads.ready(held.wanted(0)) is None
    assert held.withdrawn == [0]


async def test_what_somebody_still_waits_for_goes_on(held: Held) -> None:
    async with computing() as payloads:
        one, other = (asking(payloads, held.wanted()) for _ in range(2))
        await held.begun()
        await left(one)
        held.finish()
        assert b"held 0" in (await other).content
    assert held.withdrawn == []


async def test_who_leaves_the_line_is_never_computed(held: Held) -> None:
    async with computing() as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(3)]
        await held.begun()
        await left(tasks[1])
        held.finish()
        await asyncio.gather(tasks[0], tasks[2])
    assert held.order == [0, 2]


async def test_what_was_withdrawn_can_be_asked_for_again_at_once(held: Held) -> None:
    async with computing(cores=2) as payloads:
        task = asking(payloads, held.wanted())
        await held.begun()
        await left(task)
        again = asking(payloads, held.wanted())
        await in_line(again)
        held.finish()
        assert b"held 0" in (await again).content
    assert (held.order, held.withdrawn) == ([0, 0], [0])


async def test_the_end_of_the_server_ends_all_computing(held: Held) -> None:
    async with computing() as payloads:
        tasks = [asking(payloads, held.wanted(seed)) for seed in range(3)]
        await held.begun()
        payloads.close()
        for task in tasks:
            with pytest.raises(Busy, match="shutting down"):
                await task
        with pytest.raises(Busy, match="shutting down"):
            await payloads.get(held.wanted(7), "a")
    assert held.order == [0]
    held.finish()


async def test_a_refusal_is_not_remembered() -> None:
    answers = [ParameterError("not yet"), Explorable("now", (), {}, ())]

    def build() -> Explorable:
        answer = answers.pop(0)
        if isinstance(answer, ParameterError):
            raise answer
        return answer

    wanted = Wanted("a", Figure("f", build), {})
    async with computing() as payloads:
        with pytest.raises(ParameterError, match="not yet"):
            await payloads.get(wanted, "a")
        assert b"now" in (await payloads.get(wanted, "a")).content


def own(data: str) -> tuple[list[str], Wanted]:
    built: list[str] = []

    def build(data: str) -> Explorable:
        built.append(data)
        return Explorable(data, (), {}, ())

    return built, Wanted("a", Figure("f", build, (DATA,)), {"data": data})


async def test_what_a_visitor_uploaded_is_kept_for_nobody_else() -> None:
    built, wanted = own(f"{KEPT}token")
    async with computing() as payloads:
        for _ in range(2):
            await payloads.get(wanted, "a")
    assert built == [f"{KEPT}token"] * 2


@pytest.mark.parametrize("data", [f"{KEPT}token", f"{WRITTEN}1~2"])
async def test_a_visitors_numbers_are_never_written_to_disk(tmp_path: Path, data: str) -> None:
    async with computing(store=PayloadStore(tmp_path, "v1")) as payloads:
        await payloads.get(own(data)[1], "a")
        assert not list(tmp_path.iterdir())
        await payloads.get(own("worked")[1], "a")
        assert list(tmp_path.iterdir())


async def test_after_a_start_the_figures_at_rest_are_computed_cheapest_first(held: Held) -> None:
    held.finish()
    costs = {1: 3.0, 2: 0.5, 3: 1.0}
    async with computing(*(held.wanted(*item) for item in costs.items())) as payloads:
        await payloads.prepare()
        assert all(payloads.ready(held.wanted(seed)) for seed in costs)
    assert held.order == [2, 3, 1]


async def test_the_next_start_finds_the_figures_on_disk(tmp_path: Path) -> None:
    counting = Counting()
    for _ in range(2):
        async with computing(counting.wanted(), store=PayloadStore(tmp_path, "v1")) as payloads:
            await payloads.prepare()
            assert payloads.ready(counting.wanted())
    assert counting.built == {(0, 0): 1}


@pytest.mark.parametrize("end", ["low", "high", "start"])
def test_every_figure_states_its_cost_wherever_its_parameters_are(end: str) -> None:
    for lesson in LESSONS:
        for figure in lesson.figures:
            values = {p.name: getattr(p, end, p.start) for p in figure.parameters}
            assert 0 < figure.cost(values) < 10


async def test_what_is_computed_ahead_waits_while_a_visitor_needs_the_machine(held: Held) -> None:
    async with computing(held.wanted(0)) as payloads:
        preparing = asyncio.create_task(payloads.prepare())
        await held.begun(0)
        visitors = asking(payloads, held.wanted(1))
        await held.begun(1)
        held.finish(0)
        held.finish(1)
        await visitors
        await preparing
        assert payloads.ready(held.wanted(0))
    assert (held.order, held.done) == ([0, 1], [1, 0])


async def test_a_visitor_who_wants_what_is_computed_ahead_gets_it_at_once(held: Held) -> None:
    async with computing(held.wanted(0)) as payloads:
        preparing = asyncio.create_task(payloads.prepare())
        await held.begun(0)
        visitors = asking(payloads, held.wanted(0))
        await in_line(visitors)
        held.finish()
        await visitors
        await preparing
    assert (held.order, held.withdrawn) == ([0, 0], [0])


async def test_a_figure_that_fails_keeps_no_other_from_being_computed_ahead(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken() -> Explorable:
        raise ZeroDivisionError

    counting = Counting()
    wrong = Wanted("a", Figure("broken", broken, seconds=0.1), {})
    async with computing(wrong, counting.wanted()) as payloads:
        await payloads.prepare()
        assert payloads.ready(counting.wanted())
    assert "broken" in caplog.text


async def test_the_end_of_the_server_ends_what_is_computed_ahead(
    held: Held, caplog: pytest.LogCaptureFixture
) -> None:
    async with computing(held.wanted(0), held.wanted(1)) as payloads:
        preparing = asyncio.create_task(payloads.prepare())
        await held.begun(0)
        payloads.close()
        held.finish()
        await preparing
    assert (held.order, held.withdrawn) == ([0], [0])
    assert not caplog.messages
