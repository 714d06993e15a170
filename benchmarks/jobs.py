"""What a running training costs the pages: how soon they open, answer and follow the hand.

One server, one Chromium. In turns, without a training and with one in its process:

- a page is opened in a browser that has nothing of it, until its first figure is drawn;
- a figure that nobody has computed yet is asked for;
- a slider is dragged, 60 moves a second; the delay is from a move to the frame that draws it.

The training is one of 100,000 steps, asked for over HTTP as a visitor does, paused and resumed.

    python -m benchmarks.jobs
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from playwright.async_api import Browser, async_playwright

from benchmarks.drag import APP_PICTURE, THUMB, path
from benchmarks.hand import Subject, subject
from benchmarks.pages import CHROMIUM
from benchmarks.tables import quantile, table
from tests.service.client import Answer, Client
from tests.service.server import Server, serve

AIM = 1.3
SPECIFICATION = {
    "experiment": "digits",
    "norms": ["layer"],
    "batch_sizes": [4],
    "rates": [0.001],
    "seeds": [0, 1, 2, 3, 4],
    "steps": 100_000,
    "every": 1000,
}
SEEDS = count(1)


@dataclass
class Times:
    """What was measured in one state, in milliseconds."""

    page: list[float] = field(default_factory=list)
    figure: list[float] = field(default_factory=list)
    drag: list[float] = field(default_factory=list)


class Training:
    """A training on the server, which can be held and let go on."""

    def __init__(self, server: Server) -> None:
        self._port = server.port
        body = json.dumps(SPECIFICATION).encode()
        given = {"method": "POST", "body": body, "content_type": "application/json"}
        self._path = f"/jobs/{ask(self._port, '/jobs', **given).json['id']}"

    def done(self) -> float:
        """How many steps it has done."""
        done: float = ask(self._port, self._path).json["done"]
        return done

    def go_on(self) -> None:
        """Let it train, and wait until it does."""
        before = self.done()
        ask(self._port, f"{self._path}/resume", method="POST")
        while self.done() <= before:
            time.sleep(0.1)

    def hold(self) -> None:
        """Pause it, and wait until its process has gone."""
        ask(self._port, f"{self._path}/pause", method="POST")
        time.sleep(3)  # until its worker has noticed and gone; nothing is measured meanwhile


async def measure(
    browser: Browser, server: Server, hand: Subject, into: Times, rounds: int
) -> None:
    """Measure a few of everything."""
    for _ in range(rounds):
        context = await browser.new_context()
        page = await context.new_page()
        begun = time.perf_counter()
        await page.goto(f"{server.url}/axes")
        await page.wait_for_selector(".ln .grid tbody")
        into.page.append(1000 * (time.perf_counter() - begun))
        await context.close()
        begun = time.perf_counter()
        address = f"/explorables/axes/grid.json?data=digits&seed={next(SEEDS)}"
        await asyncio.to_thread(ask, server.port, address)
        into.figure.append(1000 * (time.perf_counter() - begun))
    last = await hand.last()
    way = path(last, 2.0)
    drag = await hand.drag(way, last)
    into.drag += [change.delay for change in drag.changes]


def ask(port: int, path: str, **request: Any) -> Answer:
    """Ask once, over a connection of its own."""
    with Client(port) as client:
        return client.ask(path, **request).granted()


async def run(turns: int, rounds: int) -> None:
    """Measure in turns, and print."""
    quiet, busy = Times(), Times()
    with serve() as server:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(**CHROMIUM)
            hand = await subject(
                browser,
                f"{server.url}/gain-bias",
                'role=slider[name="gain"]',
                ".ln .main-svg",
                APP_PICTURE,
                THUMB / 2,
            )
            await measure(browser, server, hand, Times(), 2)  # to warm up
            training = await asyncio.to_thread(Training, server)
            await asyncio.to_thread(training.hold)
            for _ in range(turns):
                await measure(browser, server, hand, quiet, rounds)
                await asyncio.to_thread(training.go_on)
                begun, before = time.perf_counter(), training.done()
                await measure(browser, server, hand, busy, rounds)
                pace = (training.done() - before) / (time.perf_counter() - begun)
                await asyncio.to_thread(training.hold)
            await browser.close()
    rows = []
    for what, name in (
        ("page opened", "page"),
        ("figure computed", "figure"),
        ("drag: move to frame", "drag"),
    ):
        without, beside = (getattr(times, name) for times in (quiet, busy))
        p95 = [quantile(times, 0.95) for times in (without, beside)]
        half = [quantile(times, 0.5) for times in (without, beside)]
        rows.append(
            (
                what,
                f"{half[0]:.0f}, {half[1]:.0f}",
                f"{p95[0]:.0f}, {p95[1]:.0f}",
                f"{p95[1] / p95[0]:.2f}",
                AIM,
                len(beside),
            )
        )
    print(table(("", "median ms: without, beside", "p95 ms", "ratio of p95", "aim", "n"), rows))
    print(f"\nBeside the pages the training did about {pace:.0f} steps a second.")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=10)
    given = parser.parse_args()
    asyncio.run(run(given.turns, given.rounds))


if __name__ == "__main__":
    main()
