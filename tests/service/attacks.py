"""Attacks on a server, as one visitor of a class might try them, while another one reads.

The attacker and the reader have addresses of their own on the loopback (127.0.0.3 and 127.0.0.2).
Everything stays on this machine and is bounded.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed, InvalidStatus

from lnviz.book import PAGES
from tests.service import hostile
from tests.service.client import Client, Told, rerun, together
from tests.service.server import Server

ATTACKER = "127.0.0.3"
READER = "127.0.0.2"
SEEDS = count(1)
"""Of light figures that nobody has asked for before."""
CALM_S = 3.0  # without an answer, after which a session waits for nothing more
FLOW = {"nonlinearity": "tanh", "input": "large"}


@dataclass(frozen=True)
class Size:
    """How many of each."""

    addresses: int
    dear: int
    files: int
    large: int
    messages: int
    sessions: int
    slow: int


def dear(port: int, size: Size) -> Told:
    """Asks for different figures of the dearest kind at once: half by one name, half by many."""

    def ask(number: int) -> Told:
        name = "attacker" if number % 2 else f"attacker-{number}"
        query = {"hidden": 40 - number % 10, "steps": 500 - number // 10} | FLOW
        with Client(port, name, ATTACKER) as client:
            client.attempt(f"/explorables/recurrence/flow.json?{urlencode(query)}")
        return client.told

    with ThreadPoolExecutor(size.dear) as pool:
        return together(pool.map(ask, range(size.dear)))


def hostile_addresses(port: int, size: Size) -> Told:
    """Asks for hostile addresses."""
    with Client(port, address=ATTACKER) as client:
        for path in hostile.addresses(size.addresses):
            client.attempt(path)
    return client.told


def hostile_files(port: int, size: Size) -> Told:
    """Sends hostile files."""
    with Client(port, address=ATTACKER) as client:
        for name, content in hostile.files(size.files):
            client.attempt(f"/uploads?{urlencode({'name': name})}", method="POST", body=content)
    return client.told


def flood(port: int, size: Size) -> Told:
    """Sends large files at once, by as many names."""
    row = b",".join([b"1.2345678901234567"] * 9) + b"\n"
    rows = row * 100_000  # 17 MB

    def send(number: int) -> Told:
        with Client(port, f"attacker-{number}", ATTACKER) as client:
            client.attempt("/uploads?name=a.csv", method="POST", body=rows)
            client.attempt("/_stcore/upload_file/a/b", method="PUT", body=rows[:1000])
        return client.told

    with ThreadPoolExecutor(min(size.large, 100)) as pool:
        return together(pool.map(send, range(size.large)))


def burst(port: int, size: Size) -> Told:
    """Sends messages that make a page's script run, as fast as they go, on five connections."""

    def send(number: int) -> Told:
        client = Client(port, f"attacker-{number}", ATTACKER)
        with client.session() as session:
            try:
                for _ in range(size.messages):
                    session.send(rerun(port, "axes"))
                while True:
                    session.recv(timeout=CALM_S)
            except TimeoutError:
                client.note(200)
            except ConnectionClosed as closed:
                client.note(closed.rcvd.code if closed.rcvd else 0)
        return client.told

    with ThreadPoolExecutor(5) as pool:
        return together(pool.map(send, range(5)))


def dropped_sessions(port: int, size: Size) -> Told:
    """Opens sessions and drops them at once."""
    clients = [Client(port, f"attacker-{number}", ATTACKER) for number in range(7)]
    for number in range(size.sessions):
        client = clients[number % len(clients)]
        try:
            with client.session() as session:
                session.send(rerun(port, "axes"))
            client.note(200)
        except InvalidStatus as refused:
            client.note(refused.response.status_code)
    return together(client.told for client in clients)


def slow(port: int, size: Size) -> Told:
    """Holds connections on which a request never ends; returns when they have been held a while."""
    with contextlib.ExitStack() as stack:
        connections = [
            stack.enter_context(
                socket.create_connection(("127.0.0.1", port), source_address=(ATTACKER, 0))
            )
            for _ in range(size.slow)
        ]
        for number, connection in enumerate(connections):
            head = b"POST /uploads?name=a.csv HTTP/1.1\r\nHost: a\r\n"
            ending = b"Content-Length: 9999\r\n\r\n" if number % 2 else b"X-A: "
            connection.sendall(head + ending)
        for _ in range(10):
            time.sleep(0.3)
            for connection in connections:
                with contextlib.suppress(OSError):
                    connection.sendall(b"1")
    return Told()


ATTACKS: Mapping[str, Callable[[int, Size], Told]] = {
    "hostile addresses": hostile_addresses,
    "dearest figures at once": dear,
    "hostile files": hostile_files,
    "large files at once": flood,
    "five bursts of messages": burst,
    "sessions, dropped": dropped_sessions,
    "slow clients": slow,
}


@contextlib.contextmanager
def reading(port: int) -> Iterator[Told]:
    """Walks through all lessons, over and over, until the block is left."""
    reader, over = Client(port, "reader", READER), threading.Event()

    def read() -> None:
        while not over.is_set():
            for page in PAGES:
                reader.attempt(f"/{page.address}", "ready")
                for figure in page.figures:
                    reader.attempt(f"/explorables/{page.slug}/{figure.name}.json", "ready")
                    if over.is_set():
                        return
                light = f"/explorables/axes/grid.json?data=digits&seed={next(SEEDS)}"
                reader.attempt(light, "light")
                reader.visit(page.address, "page")
                if over.is_set():
                    break

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield reader.told
    finally:
        over.set()
        thread.join()
        reader.close()


@dataclass(frozen=True)
class Attacked:
    """What was answered, how the reader fared, and the server's most bytes."""

    told: Told
    reader: Told
    peak: int


def at_once(server: Server, size: Size) -> Attacked:
    """Returns what all attacks together do while somebody reads."""
    with reading(server.port) as reader, ThreadPoolExecutor(len(ATTACKS)) as pool:
        told = together(pool.map(lambda attack: attack(server.port, size), ATTACKS.values()))
    return Attacked(told, reader, server.peak())
