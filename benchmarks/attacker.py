"""One student who attacks a server from one address, in a process of the lowest priority.

Reads what to do as JSON from its one argument, says when it has begun, and goes on until it is
ended. It imports nothing of the app: what it costs, it costs the machine of the server.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import secrets
import sys
from asyncio import StreamReader, StreamWriter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from itertools import count, cycle
from typing import Any

from websockets.asyncio.client import connect as connect_websocket
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from benchmarks.http_client import HOST, LOST, answered, ask, connected, request

JSON = "application/json"
TRIES = 300  # for names: more than an address gets at once
LONGEST = {
    "experiment": "digits",
    "norms": ["none", "layer"],
    "batch_sizes": [32],
    "rates": [0.001],
    "seeds": [0, 1],
    "steps": 40_000,
    "every": 40_000,
}


@dataclass(frozen=True)
class Attacker:
    """One student.

    Attributes:
        port: Of the server.
        address: From where.
        names: Cookies to go by, in turn.
        rerun: The message that has a page's script run.
    """

    port: int
    address: str
    names: Iterator[str]
    rerun: bytes

    def asking(self, path: str, body: bytes | None = None, kind: str = "") -> bytes:
        """A request by the next name."""
        return request(path, next(self.names), body, kind)

    async def many(self, made: Callable[[], bytes], at_once: int) -> None:
        """Send requests without end over so many connections."""

        async def go_on() -> None:
            while True:
                with suppress(*LOST):
                    async with connected(self.port, self.address) as wire:
                        while True:
                            await answered(*wire, made())
                await asyncio.sleep(0.01)

        await asyncio.gather(*(go_on() for _ in range(at_once)))

    async def hold(self, made: Callable[[], bytes], connections: int) -> None:
        """Hold connections on which something was begun and comes a byte at a time."""

        async def one(number: int) -> None:
            await asyncio.sleep(number / 1000)
            while True:
                with suppress(*LOST):
                    async with connected(self.port, self.address) as (reader, writer):
                        writer.write(made())
                        while not reader.at_eof():
                            writer.write(b"1")
                            await writer.drain()
                            with suppress(TimeoutError):
                                await asyncio.wait_for(reader.read(9999), 1)
                await asyncio.sleep(0.1)

        await asyncio.gather(*(one(number) for number in range(connections)))

    async def open_pages(self, pages: int, message: bytes, each_s: float) -> None:
        """Open pages, and send a message from each over and over."""

        async def one(number: int) -> None:
            await asyncio.sleep(number / 1000)
            while True:
                with suppress(OSError, TimeoutError, InvalidHandshake, ConnectionClosed):
                    async with self.session() as page:
                        while True:
                            await page.send(message)
                            with suppress(TimeoutError):
                                async with asyncio.timeout(each_s):
                                    while True:
                                        await page.recv()
                await asyncio.sleep(0.1)

        await asyncio.gather(*(one(number) for number in range(pages)))

    def session(self) -> connect_websocket:
        """A page's WebSocket."""
        return connect_websocket(
            f"ws://{HOST}:{self.port}/_stcore/stream",
            subprotocols=[Subprotocol("streamlit")],
            local_addr=(self.address, 0),
            additional_headers={"Cookie": next(self.names)},
            open_timeout=5,
            compression=None,
            max_size=None,
        )


async def trainings(attacker: Attacker) -> None:
    """Ask for the longest trainings."""
    body = json.dumps(LONGEST).encode()
    await attacker.many(lambda: attacker.asking("/jobs", body, JSON), 5)


async def figures(attacker: Attacker) -> None:
    """Ask for new figures, the cheapest, ninety at once."""
    seeds = count()
    at = "/explorables/axes/grid.json?data=digits&eps=1e-3&seed="
    await attacker.many(lambda: attacker.asking(f"{at}{next(seeds) % 9999}"), 90)


async def slow_bodies(attacker: Attacker) -> None:
    """Hold 4,200 bodies that never end."""
    body = request("/jobs", "", b"", JSON).replace(b"Length: 0", b"Length: 9999")
    await attacker.hold(lambda: body, 4200)


async def slow_files(attacker: Attacker) -> None:
    """Hold 2,000 files that never end."""

    def begun() -> bytes:
        sent = attacker.asking("/uploads?name=a.csv", b"", "text/csv")
        return sent.replace(b"Length: 0", b"Length: 99999")

    await attacker.hold(begun, 2000)


async def half_requests(attacker: Attacker) -> None:
    """Hold 1,300 requests that never end."""
    await attacker.hold(lambda: b"GET / HTTP/1.1\r\nHost: a\r\nX-A: ", 1300)


async def sessions(attacker: Attacker) -> None:
    """Open 1,200 pages, with an empty message each a second."""
    await attacker.open_pages(1200, b"", 1.0)


async def messages(attacker: Attacker) -> None:
    """Open 300 pages, and have their scripts run twice a second."""
    await attacker.open_pages(300, attacker.rerun, 0.5)


async def one_byte(attacker: Attacker) -> None:
    """Send files of a byte, five at once."""
    await attacker.many(lambda: attacker.asking("/uploads?name=a.csv", b"1", "text/csv"), 5)


async def large(attacker: Attacker) -> None:
    """Send tables that are kept, of 250 kB, three at once."""
    row = b",".join(b"%d.25" % (n % 97) for n in range(40))
    table = b"\n".join([row] * 1000)
    await attacker.many(lambda: attacker.asking("/uploads?name=a.csv", table, "text/csv"), 3)


async def newlines(attacker: Attacker) -> None:
    """Send tables of 19 MB of newlines, two at once."""
    body = b"\n" * (19 * 2**20)
    await attacker.many(lambda: attacker.asking("/uploads?name=a.csv", body, "text/csv"), 2)


ATTACKS = (
    trainings,
    figures,
    slow_bodies,
    slow_files,
    half_requests,
    sessions,
    messages,
    one_byte,
    large,
    newlines,
)
BY_NAME = {attack.__name__.replace("_", " "): attack for attack in ATTACKS}


def made_up(sizes: Sequence[int]) -> Iterator[str]:
    """Names that no server has signed, of parts as large as those of one that it has."""
    while True:
        yield "lnviz-visitor=" + ".".join(map(secrets.token_urlsafe, sizes))


async def taken(port: int, address: str) -> list[str]:
    """As many true names as the server gives to one who asks for them one after the other."""
    names = []
    for _ in range(TRIES):
        _, name = await ask(port, address, request("/axes"))
        if not name:
            break
        names.append(name)
    return names


async def nobody(reader: StreamReader, writer: StreamWriter) -> None:
    """Answer whatever comes, in the place of a server."""
    with suppress(*LOST):
        while await reader.read(2**20):
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
    writer.close()


async def main(told: dict[str, Any]) -> None:
    """Attack."""
    os.nice(19)
    port, address = told["port"], told["address"]
    async with AsyncExitStack() as stack:
        if told["elsewhere"]:
            other = await stack.enter_async_context(await asyncio.start_server(nobody, HOST))
            port = other.sockets[0].getsockname()[1]
        names = made_up(told["sizes"])
        if told["signed"]:
            known = await taken(port, address)
            names = cycle(known or [""])
            print(f"{len(known)} names", flush=True)
        else:
            print("made-up names", flush=True)
        rerun = base64.b64decode(told["rerun"])
        await BY_NAME[told["attack"]](Attacker(port, address, names, rerun))


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
