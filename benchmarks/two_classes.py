"""Two classes of 300, one after the other behind one address, and beside it the same with a student
of that address who attacks.

Three processes behind nginx. A class comes in 3 s with phones that have no name yet and do what
phones do when they are refused: they wait as long as the server says, and try again. Each votes
within 5 s, and is asked afterwards what the server has of its vote. Meanwhile a visitor at another
address asks for a new figure every few seconds.

    python -m benchmarks.two_classes [--students 300] [--runs 1]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

from benchmarks.classroom import Browser
from benchmarks.harness import quantile, table
from tests.service.cluster import cluster
from tests.service.server import ROOT

CLASS, TEACHER, VISITOR = "127.0.0.2", "127.0.0.3", "127.0.0.4"
ARRIVAL_S, VOTING_S = 3.0, 5.0
LONGEST_S = 120.0  # after which a student gives up
FIGURE_EVERY_S = 2.0
RELOAD_S = 10.0  # that a phone waits before it loads the page once more


@dataclass
class Measured:
    """What one class, or the visitor, has met.

    Attributes:
        seconds: By event: how long each took.
        kept: Number of votes that the server has as they were cast.
        refused: How often each status came.
    """

    seconds: dict[str, list[float]] = field(default_factory=dict)
    kept: int = 0
    refused: Counter[int] = field(default_factory=Counter)


class Student:
    """A student with a phone.

    Args:
        port: Of the server.
        code: Of the room.
        measured: Takes what happens.
    """

    def __init__(self, port: int, code: str, measured: Measured) -> None:
        self._browser = Browser(port, "", CLASS)
        self._room, self._code, self._measured = f"/rooms/{code}", code, measured
        self._value = random.randrange(4)
        self._stream: asyncio.Task[None] | None = None

    async def come_in(self) -> None:
        """Open the page, take a seat, and hear of the room."""
        await asyncio.sleep(random.uniform(0, ARRIVAL_S))
        began, reloads = time.perf_counter(), 0
        await self._browser.ask("GET", f"/{self._code}")
        while (status := (await self._browser.ask("POST", f"{self._room}/seat", {}))[0]) != 200:
            self._measured.refused[status] += 1
            if status == 401:
                await asyncio.sleep(RELOAD_S * random.uniform(0.75, 1.25) if reloads else 0)
                reloads += 1
                await self._browser.ask("GET", f"/{self._code}")
            else:
                await self._wait()
        events = f"{self._room}/events?as=seat"
        self._stream = asyncio.create_task(self._browser.listen(events))
        await self._browser.here.wait()
        self._took("join", began)

    async def vote(self, poll: int) -> None:
        """Vote, until it is acknowledged."""
        await asyncio.sleep(random.uniform(0, VOTING_S))
        began, path = time.perf_counter(), f"{self._room}/polls/{poll}/1"
        attempt = 1
        while True:
            answer = {"value": self._value, "attempt": attempt}
            status, _ = await self._browser.ask("PUT", path, answer)
            if status == 200:
                break
            self._measured.refused[status] += 1
            attempt += 1
            await self._wait()
        self._took("vote", began)

    async def check(self, poll: int) -> None:
        """Ask what the server has of the vote, and leave."""
        while (found := await self._browser.ask("GET", f"{self._room}/state?as=seat"))[0] != 200:
            await self._wait()
        answers = found[1]["you"]["answers"].get(str(poll), {})
        self._measured.kept += answers.get("1", {}).get("value") == self._value
        if self._stream is not None:
            self._stream.cancel()
        self._browser.leave()

    async def _wait(self) -> None:
        await asyncio.sleep((self._browser.retry_after or 1.0) * random.uniform(1.0, 1.5))

    def _took(self, event: str, began: float) -> None:
        self._measured.seconds.setdefault(event, []).append(time.perf_counter() - began)


class Teacher:
    """A teacher with a room that is open.

    Args:
        port: Of the server.
    """

    def __init__(self, port: int) -> None:
        self._browser = Browser(port, "", TEACHER)
        self.code = ""

    async def open(self) -> None:
        """Open the room."""
        await self._browser.ask("GET", "/join")
        opened = {"lesson": "axes", "screen": "shared"}
        status, room = await self._browser.ask("POST", "/rooms", opened)
        assert status == 201, (status, room)
        self.code = room["code"]

    async def poll(self) -> int:
        """Ask the question, and return its number."""
        rev = (await self._state())["rev"]
        command = {"verb": "ask", "rev": rev}
        status, said = await self._browser.ask("POST", f"/rooms/{self.code}/do", command)
        assert status == 200, (status, said)
        poll: int = (await self._state())["poll"]["id"]
        return poll

    async def _state(self) -> Any:
        _, found = await self._browser.ask("GET", f"/rooms/{self.code}/state?as=remote")
        return found["room"]


async def visit(port: int, measured: Measured) -> None:
    """Ask for a new figure every few seconds, as a visitor elsewhere does."""
    browser = Browser(port, "", VISITOR)
    await browser.ask("GET", "/join")
    while True:
        began = time.perf_counter()
        seed = random.randrange(10_000)
        while (await browser.ask("GET", f"/explorables/why/depth.json?seed={seed}"))[0] != 200:
            await asyncio.sleep(browser.retry_after or 1.0)
        measured.seconds.setdefault("figure", []).append(time.perf_counter() - began)
        await asyncio.sleep(FIGURE_EVERY_S)


async def lesson(port: int, teacher: Teacher, students: int) -> Measured:
    """Let a class come in and vote."""
    measured = Measured()
    class_ = [Student(port, teacher.code, measured) for _ in range(students)]
    await _all(student.come_in() for student in class_)
    poll = await teacher.poll()
    await _all(student.vote(poll) for student in class_)
    await _all(student.check(poll) for student in class_)
    return measured


async def _all(deeds: Iterator[Any]) -> None:
    tasks = [asyncio.create_task(deed) for deed in deeds]
    await asyncio.wait(tasks, timeout=LONGEST_S)
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result


@contextmanager
def attacked(port: int) -> Iterator[Callable[[str], None]]:
    """Context manager: a student attacks; it yields what tells the student the code of a room."""
    command = [sys.executable, "-m", "benchmarks.classmate"]
    told = json.dumps({"port": port, "address": CLASS})
    with Popen([*command, told], cwd=ROOT, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        codes = process.stdin

        def tell(code: str) -> None:
            codes.write(f"{code}\n")
            codes.flush()

        try:
            yield tell
        finally:
            process.terminate()
            print("the attacker got", process.stdout.read().strip())


def nobody(_: str) -> None:
    """Nobody is told the code."""


async def run(port: int, students: int, with_attacker: bool) -> list[tuple[str, ...]]:
    """Let both classes come, one right after the other; return the table's rows."""
    teachers = [Teacher(port), Teacher(port)]
    for teacher in teachers:
        await teacher.open()
    who = "with an attacker" if with_attacker else "without"
    rows = []
    visitor = Measured()
    visiting = asyncio.create_task(visit(port, visitor))
    await asyncio.sleep(10 * FIGURE_EVERY_S)  # every process has loaded what figures need
    visitor.seconds.clear()
    with attacked(port) if with_attacker else nullcontext(nobody) as tell:
        for number, teacher in enumerate(teachers, 1):
            tell(teacher.code)
            measured = await lesson(port, teacher, students)
            joins, votes = (measured.seconds.get(event, []) for event in ("join", "vote"))
            said = ", ".join(f"{n} x {s}" for s, n in sorted(measured.refused.items())) or "none"
            joined = f"{len(joins)} of {students}"
            times = [*_times(joins), *_times(votes)]
            rows.append((who, str(number), joined, f"{measured.kept}", *times, said))
        await asyncio.sleep(FIGURE_EVERY_S)
        visiting.cancel()
        figures = visitor.seconds.get("figure", [])
        print(who, "figures of a visitor, s:", *(f"{seconds:.2f}" for seconds in figures))
        late = Teacher(port)
        await late.open()  # there is room for another one
    return rows


def _times(seconds: list[float]) -> list[str]:
    return [f"{quantile(seconds, 0.95):.2f}", f"{max(seconds):.2f}"] if seconds else ["", ""]


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    head = ("attack", "class", "joined", "votes kept", "join p95 s", "longest")
    rows = []
    for _ in range(given.runs):
        for with_attacker in (False, True):
            with (
                tempfile.TemporaryDirectory() as name,
                cluster(Path(name), 3, ROOT) as several,
            ):
                rows += asyncio.run(run(several.port, given.students, with_attacker))
            print(rows[-2:], os.getloadavg(), flush=True)
    print(table((*head, "vote p95 s", "longest", "refusals"), rows))


if __name__ == "__main__":
    main()
