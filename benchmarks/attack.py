"""Attacks by one student behind the address that a class shares, while the class works.

Two hundred classmates and forty students elsewhere each open a page and get a name. Then the
attack begins, and each of them asks for one thing more, at a moment drawn at random: a page, a new
figure, an upload, a training or a page's script. The table has, for each of these, the share that
was served at the first try and the 95th percentile of the seconds; what has no answer when the
attack ends counts as refused, and as that long. Each attack has a server of its own of two
processes, and is still under way when the server is asked to end. The attacker's process has the
lowest priority. `LNVIZ_CACHE` names a folder for what is computed ahead, from run to run.

    python -m benchmarks.attack --nginx
    python -m benchmarks.attack --signed --attack figures --attack "slow files"
    python -m benchmarks.attack --control         # the same is sent to another server
    python -m benchmarks.attack --checkout FOLDER # the server of another version
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from subprocess import PIPE, Popen

from websockets.asyncio.client import connect as connect_websocket
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from benchmarks.attacker import BY_NAME, JSON
from benchmarks.harness import quantile, table
from benchmarks.http_client import HOST, ask, request
from lnviz.cache import CACHE_VARIABLE
from tests.service.client import ScriptFailed, finished, rerun
from tests.service.cluster import cluster
from tests.service.server import PORT, ROOT, Server, keeping, python, running

HERE, AWAY = "127.0.0.2", "127.0.0.4"
NONE = "none"
KINDS = ("page", "figure", "upload", "training", "script")
DRAINING_S = 10.0  # in which answers may come, at the end of an attack
LEAD_S = 2.0  # before students ask: an attack is under way then
NO_PAGE = (OSError, InvalidHandshake, ConnectionClosed, ScriptFailed)
SEEDS = count()
TABLE = "\n".join(",".join(f"{(7 * n + d) % 97}.5" for d in range(30)) for n in range(60)).encode()
SMALL = {
    "experiment": "digits",
    "norms": ["layer"],
    "batch_sizes": [32],
    "rates": [0.001],
    "seeds": [0],
    "steps": 2,
}


@dataclass
class Student:
    """Somebody who works."""

    port: int
    address: str
    cookie: str = ""
    asked: list[tuple[str, bool, float]] = field(default_factory=list)

    async def enter(self) -> None:
        """Open a page, and keep the name that it gives."""
        await asyncio.sleep(random.uniform(0, 4))
        _, self.cookie = await ask(self.port, self.address, request("/axes"))

    async def work(self, kind: str, seconds: float) -> None:
        """Ask for one thing, at a moment of one's own."""
        await asyncio.sleep(random.uniform(0, seconds))
        began, served = time.perf_counter(), False
        try:
            served = await (self._script() if kind == "script" else self._ask(kind))
        finally:
            self.asked.append((kind, served, time.perf_counter() - began))

    async def _ask(self, kind: str) -> bool:
        sent = {
            "page": lambda: request("/axes", self.cookie),
            "figure": lambda: request(
                f"/explorables/axes/grid.json?data=digits&seed={next(SEEDS)}", self.cookie
            ),
            "upload": lambda: request("/uploads?name=a.csv", self.cookie, TABLE, "text/csv"),
            "training": lambda: request("/jobs", self.cookie, json.dumps(SMALL).encode(), JSON),
        }[kind]()
        status, _ = await ask(self.port, self.address, sent)
        return status in (200, 201)

    async def _script(self) -> bool:
        with contextlib.suppress(*NO_PAGE):
            async with connect_websocket(
                f"ws://{HOST}:{self.port}/_stcore/stream",
                subprotocols=[Subprotocol("streamlit")],
                local_addr=(self.address, 0),
                additional_headers={"Cookie": self.cookie} if self.cookie else None,
                open_timeout=None,
                compression=None,
                max_size=None,
            ) as page:
                await page.send(rerun(self.port, "axes"))
                while not finished(await page.recv()):
                    pass
            return True
        return False


@dataclass(frozen=True)
class Run:
    """What is measured.

    Attributes:
        seconds: In which students ask.
        mates: Students at the attacker's address.
        others: Students at another one.
        signed: Whether the attacker takes true names.
        first: Whether before the class comes.
        control: Whether another server is attacked instead.
        root: The tree of the server.
    """

    seconds: float
    mates: int
    others: int
    signed: bool
    first: bool
    control: bool
    root: Path

    def attacked(
        self, attack: str, port: int, end: Callable[[], None]
    ) -> tuple[str, list[Student]]:
        """Return how students fared while a server was attacked, which is ended then."""
        students = [
            Student(port, address)
            for address, number in ((HERE, self.mates), (AWAY, self.others))
            for _ in range(number)
        ]
        attacker = self._attacker(attack, port) if self.first and attack != NONE else None
        for _ in range(4):  # so that each process has loaded what it needs
            asyncio.run(_all(Student(port, AWAY).work(kind, 0) for kind in ("figure", "script")))
        asyncio.run(_all(student.enter() for student in students))
        if attacker is None and attack != NONE:
            attacker = self._attacker(attack, port)
        try:
            time.sleep(LEAD_S if attacker else 0)
            work = (s.work(k, self.seconds) for s, k in zip(students, cycle(KINDS), strict=False))
            asyncio.run(_all(work, self.seconds + DRAINING_S))
            end()
        finally:
            if attacker is not None:
                attacker[0].kill()
                attacker[0].wait()
        return attacker[1] if attacker else "", students

    def _attacker(self, attack: str, port: int) -> tuple[Popen[str], str]:
        told = {
            "attack": attack,
            "port": port,
            "address": HERE,
            "signed": self.signed,
            "elsewhere": self.control,
            # Before names were signed, one was what is the first part now.
            "sizes": (16, 16, 4, 32) if self.root == ROOT else (16,),
            "rerun": base64.b64encode(rerun(port, "axes")).decode(),
        }
        command = [sys.executable, "-m", "benchmarks.attacker", json.dumps(told)]
        process = Popen(command, cwd=ROOT, stdout=PIPE, text=True)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()


async def _all(deeds: Iterator[Awaitable[None]], seconds: float | None = None) -> None:
    tasks = [asyncio.ensure_future(deed) for deed in deeds]
    await asyncio.wait(tasks, timeout=seconds)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def cells(students: Sequence[Student]) -> Iterator[str]:
    """The share that was served of each kind, and how fast."""
    for kind in KINDS:
        asked = [(served, s) for student in students for k, served, s in student.asked if k == kind]
        share = sum(served for served, _ in asked) / max(1, len(asked))
        yield f"{share:.0%} {quantile([s for _, s in asked], 0.95):.2f}" if asked else "none"


@contextlib.contextmanager
def server(behind_nginx: bool, root: Path) -> Iterator[tuple[int, list[Server]]]:
    """A server, bare or behind nginx."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if behind_nginx:
            with contextlib.ExitStack() as stack:
                several = None
                while several is None:  # a port that was free may be an attacker's by now
                    with contextlib.suppress(RuntimeError):
                        several = stack.enter_context(cluster(folder, 2, root))
                yield several.port, several.servers
        else:
            words = ("-m", "lnviz", "serve", "--port", PORT, "--processes", "2")
            own = keeping(folder) | {n: os.environ[n] for n in (CACHE_VARIABLE,) if n in os.environ}
            with running(python(words, folder / "log", root=root, **own)) as one:
                yield one.port, [one]


def peak(server: Server) -> int:
    """Bytes that the largest process of a server has had."""
    pid = server.process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
    files = [Path(f"/proc/{each}/status") for each in (pid, *children)]
    lines = [file.read_text("utf-8").partition("VmHWM:")[2] for file in files]
    return max(int(line.split()[0]) for line in lines if line) * 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--attack", action="append", choices=[NONE, *BY_NAME], help="one of them")
    parser.add_argument("--seconds", type=float, default=24.0, help="in which students ask")
    parser.add_argument("--classmates", type=int, default=200, help="at the attacker's address")
    parser.add_argument("--elsewhere", type=int, default=40, help="at another address")
    parser.add_argument("--nginx", action="store_true", help="two processes behind nginx")
    parser.add_argument("--signed", action="store_true", help="the attacker takes true names")
    parser.add_argument("--first", action="store_true", help="and before the class comes")
    parser.add_argument("--control", action="store_true", help="another server is attacked")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="the tree of the server")
    given = parser.parse_args()
    measured = Run(
        *(given.seconds, given.classmates, given.elsewhere),
        *(given.signed or given.first, given.first, given.control, given.checkout),
    )
    rows: list[tuple[str, ...]] = []
    head = ("attack", "who", *(f"{kind}: served, p95 s" for kind in KINDS), "peak MB", "to end, s")
    for attack in given.attack or (NONE, *BY_NAME):
        with server(given.nginx, given.checkout) as (port, servers):
            ended: list[str] = []

            def end(servers: list[Server] = servers, ended: list[str] = ended) -> None:
                ended.append(f"{max(peak(each) for each in servers) / 2**20:.0f}")
                began = time.perf_counter()
                servers[0].stop()
                ended.append(f"{time.perf_counter() - began:.1f}")

            said, students = measured.attacked(attack, port, end)
        for who, where in (("class", HERE), ("elsewhere", AWAY)):
            theirs = [student for student in students if student.address == where]
            rows.append((attack, who, *cells(theirs), *ended))
            print(table(head, rows[-1:]).splitlines()[-1], said, os.getloadavg()[0], flush=True)
    print()
    print(table(head, rows))


if __name__ == "__main__":
    main()
