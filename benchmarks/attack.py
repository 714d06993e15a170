"""Attacks by one student behind the address that a class shares, while the class works.

Each attack goes on while classmates at the same address, and some at another one, ask for pages,
new figures, uploads, trainings and messages. The table has, for each of these, the share that was
served at the first try, and the 95th percentile of the seconds, refusals included; the first rows
are without an attacker. Everything stays on this machine, is bounded, and ends with the script.

    python -m benchmarks.attack --seconds 20
    python -m benchmarks.attack --seconds 20 --nginx
"""

from __future__ import annotations

import argparse
import contextlib
import json
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection

from benchmarks.tables import quantile, table
from lnviz.web.visitors import COOKIE, LETTERS
from tests.service.client import Client, Told, together
from tests.service.cluster import cluster
from tests.service.reader import RUNS
from tests.service.server import PORT, Server, started

CLASS, AWAY = "127.0.0.2", "127.0.0.4"
KINDS = ("page", "figure", "upload", "training", "message")
SEEDS = count(1)
TABLE = "\n".join(",".join(f"{(7 * n + d) % 97}.5" for d in range(30)) for n in range(60)).encode()
JSON = "application/json"


@dataclass(frozen=True)
class Attacker:
    """One student, with any number of threads.

    Attributes:
        port: Of the server.
        over: Set when it is enough.
    """

    port: int
    over: threading.Event

    def made_up(self, number: int) -> Client:
        """Somebody with a name that no server has signed."""
        client = Client(self.port, address=CLASS)
        client.cookie = f"{COOKIE}={f'made-up-{number}':_<{LETTERS}}.{secrets.token_urlsafe(32)}"
        return client

    def many(self, deed: Callable[[Client], object], names: int) -> None:
        """Do something over and over, by as many made-up names at once."""

        def go_on(number: int) -> None:
            with self.made_up(number) as client:
                while not self.over.is_set():
                    deed(client)

        with ThreadPoolExecutor(names) as pool:
            list(pool.map(go_on, range(names)))

    def hold(self, sent: bytes, connections: int) -> None:
        """Hold connections on which something was begun and comes a byte at a time."""
        with contextlib.ExitStack() as held:
            sockets = []
            for _ in range(connections):
                with contextlib.suppress(OSError):
                    made = socket.create_connection(
                        ("127.0.0.1", self.port), 5, source_address=(CLASS, 0)
                    )
                    sockets.append(held.enter_context(made))
                    made.sendall(sent)
            while not self.over.wait(1):
                for each in sockets:
                    with contextlib.suppress(OSError):
                        each.sendall(b"1")


def trainings(attacker: Attacker) -> None:
    """Ask for the longest trainings that there may be, with made-up names."""
    body = json.dumps(RUNS | {"steps": 90_000, "every": 90_000}).encode()
    names = count()

    def ask(_: Client) -> None:
        with attacker.made_up(next(names)) as client:
            client.attempt("/jobs", method="POST", body=body, content_type=JSON)

    attacker.many(ask, 5)


def figures(attacker: Attacker) -> None:
    """Ask for new figures, the cheapest, with ninety names."""
    attacker.many(
        lambda client: client.attempt(f"/explorables/axes/grid.json?data=digits&seed={_seed()}"), 90
    )


def slow_bodies(attacker: Attacker) -> None:
    """Begin bodies that never end."""
    attacker.hold(b"POST /jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n", 2000)


def slow_files(attacker: Attacker) -> None:
    """Begin files that never end."""
    head = b"POST /uploads?name=a.csv HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n"
    attacker.hold(head, 2000)


def half_requests(attacker: Attacker) -> None:
    """Begin requests that never end."""
    attacker.hold(b"GET / HTTP/1.1\r\nHost: a\r\nX-A: ", 1300)


def sessions(attacker: Attacker) -> None:
    """Open pages without end, and send empty messages."""
    with contextlib.ExitStack() as held:
        opened: list[ClientConnection] = []
        while not attacker.over.wait(0.001):
            with contextlib.suppress(OSError, InvalidHandshake, ConnectionClosed):
                opened.append(held.enter_context(attacker.made_up(len(opened) % 100).session()))
            for each in opened[-50:]:
                with contextlib.suppress(OSError, ConnectionClosed):
                    each.send(b"")


def one_byte(attacker: Attacker) -> None:
    """Send files of a byte."""
    attacker.many(lambda client: client.attempt("/uploads?name=a.csv", method="POST", body=b"1"), 5)


def newlines(attacker: Attacker) -> None:
    """Send tables of newlines."""
    body = b"\n" * (19 * 2**20)
    attacker.many(lambda client: client.attempt("/uploads?name=a.csv", method="POST", body=body), 2)


ATTACKS = (
    trainings,
    figures,
    slow_bodies,
    slow_files,
    half_requests,
    sessions,
    one_byte,
    newlines,
)


def work(client: Client, over: threading.Event) -> Told:
    """Do what a student does, over and over."""
    small = json.dumps(RUNS | {"steps": 2, "seeds": [0]}).encode()
    with client:
        while not over.is_set():
            client.attempt("/axes", "page")
            client.attempt(f"/explorables/axes/grid.json?data=digits&seed={_seed()}", "figure")
            client.attempt("/uploads?name=a.csv", "upload", method="POST", body=TABLE)
            client.visit("axes", "message")
            began, status = time.perf_counter(), 0
            with contextlib.suppress(OSError, ValueError):
                # One that has not ended stands for one that is kept.
                status = client.ask("/jobs", method="POST", body=small, content_type=JSON).status
            client.note(201 if status == 409 else status, "training", began)
    return client.told


def _seed() -> int:
    return next(SEEDS) % 9999


def attacked(
    port: int, attack: Callable[[Attacker], None] | None, seconds: float, mates: int
) -> tuple[Told, Told]:
    """Return how classmates fared, and how those elsewhere."""
    over = threading.Event()
    with ThreadPoolExecutor(2 * mates + 1) as pool:
        attacking = pool.submit(attack, Attacker(port, over)) if attack else None
        if attack:
            time.sleep(2)  # until it is under way
        here, away = (
            [
                pool.submit(work, Client(port, f"{secrets.token_hex(6)}", address), over)
                for _ in range(number)
            ]
            for address, number in ((CLASS, mates), (AWAY, max(1, mates // 5)))
        )
        time.sleep(seconds)
        over.set()
        if attacking:
            attacking.result()
        return together(f.result() for f in here), together(f.result() for f in away)


def cells(told: Told) -> Iterator[str]:
    """The share that was served of each kind, and how fast."""
    for kind in KINDS:
        asked = [each for each in told.asked if each.kind == kind]
        served = sum(each.status in (200, 201) for each in asked) / max(1, len(asked))
        p95 = quantile(told.seconds(kind), 0.95) if asked else float("nan")
        yield f"{served:.0%} {p95:.2f}"


@contextlib.contextmanager
def server(behind_nginx: bool) -> Iterator[tuple[int, list[Server]]]:
    """A server, bare or behind nginx."""
    if behind_nginx:
        with tempfile.TemporaryDirectory() as folder, cluster(Path(folder), 2) as several:
            yield several.port, several.servers
    else:
        with started(("-m", "lnviz", "serve", "--port", PORT, "--processes", "1")) as one:
            yield one.port, [one]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0, help="of each attack")
    parser.add_argument("--classmates", type=int, default=10, help="at the attacker's address")
    parser.add_argument("--nginx", action="store_true", help="two processes behind nginx")
    given = parser.parse_args()
    rows = []
    head = ("attack", "who", *(f"{kind}: served, p95 s" for kind in KINDS), "peak MB")
    with server(given.nginx) as (port, servers):
        for attack in (None, *ATTACKS):
            found = attacked(port, attack, given.seconds, given.classmates)
            peak = f"{max(each.peak() for each in servers) / 2**20:.0f}"
            for who, told in zip(("class", "elsewhere"), found, strict=True):
                name = attack.__name__.replace("_", " ") if attack else "none"
                rows.append((name, who, *cells(told), peak))
                print(table(head, rows[-1:]).splitlines()[-1], flush=True)
        began = time.perf_counter()
        servers[0].stop()
        print(f"\nFrom SIGTERM to the end: {time.perf_counter() - began:.1f} s.\n")
    print(table(head, rows))


if __name__ == "__main__":
    main()
