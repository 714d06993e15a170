"""Figures that say when and how often they are built, and a server that computes them."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from lnviz.explorable import Explorable, IntParameter, Readout
from lnviz.lessons import FigureSpec
from lnviz.memory import Memory
from lnviz.progress import Cancelled, report_progress
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import CompressedBody

SEED = IntParameter("seed", "Seed", 0, 99, 0)
OTHER = IntParameter("other", "Other", 0, 99, 0)
HEAVY = 2.0
HANGS_S = 30.0
"""Seconds after which a test that waits for what never happens fails, rather than hang."""
UNBOUNDED = Memory(2**40, lambda: 0)


class Counting:
    """A figure that counts how often it is built, by its parameters."""

    def __init__(self) -> None:
        self.built: Counter[tuple[int, int]] = Counter()
        self.figure = FigureSpec("f", self.build, (SEED, OTHER))

    def build(self, seed: int, other: int) -> Explorable:
        self.built[seed, other] += 1
        return Explorable(f"{seed} {other}", (), {}, ((Readout("text"),),))

    def wanted(self, lesson: str = "a", **query: str) -> PayloadRequest:
        return PayloadRequest(lesson, self.figure, self.figure.parse(query))


class Held:
    """A figure that is built when it is let go, or ends when it is withdrawn."""

    def __init__(self) -> None:
        self.order: list[int] = []
        self.done: list[int] = []
        self.withdrawn: list[int] = []
        self._ended = threading.Semaphore(0)
        self._begun: dict[int, threading.Event] = {n: threading.Event() for n in range(100)}
        self._finish: dict[int, threading.Event] = {n: threading.Event() for n in range(100)}

    def build(self, seed: int) -> Explorable:
        self.order.append(seed)
        report_progress(0.25)
        self._begun[seed].set()
        self._finish[seed].wait()
        try:
            report_progress(0.5)
            self.done.append(seed)
        except Cancelled:
            self.withdrawn.append(seed)
            raise
        finally:
            self._ended.release()
        return Explorable(f"held {seed}", (), {}, ())

    def wanted(self, seed: int = 0, seconds: float = HEAVY) -> PayloadRequest:
        return PayloadRequest("a", FigureSpec("held", self.build, (SEED,), seconds), {"seed": seed})

    async def begun(self, seed: int = 0) -> None:
        assert await asyncio.to_thread(self._begun[seed].wait, HANGS_S)

    async def ended(self, times: int) -> None:
        """Until so many more have been built or withdrawn."""
        for _ in range(times):
            assert await asyncio.to_thread(self._ended.acquire, timeout=HANGS_S)

    def finish(self, *seeds: int) -> None:
        for seed in seeds or range(100):
            self._finish[seed].set()


@asynccontextmanager
async def computing(*rest: PayloadRequest, **options: Any) -> AsyncIterator[PayloadService]:
    payloads = PayloadService(rest, **{"cores": 1, "idle_s": 0, "memory": UNBOUNDED} | options)
    try:
        async with asyncio.timeout(HANGS_S):
            yield payloads
    finally:
        payloads.close()


def asking(
    payloads: PayloadService,
    wanted: PayloadRequest,
    name: str = "somebody",
    address: str = "somewhere",
) -> asyncio.Task[CompressedBody]:
    return asyncio.create_task(payloads.get(wanted, Client(address, name)))


async def in_queue(*tasks: asyncio.Task[CompressedBody]) -> None:
    """Until each of those who ask has been heard."""
    for _ in tasks:
        await asyncio.sleep(0)
