"""Somebody who asks a server for figures and pages, from an address of their own."""

from __future__ import annotations

import contextlib
import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.serving import Server, quantile
from lnviz.book import PAGES
from lnviz.web.visitors import COOKIE, LETTERS

READER = "127.0.0.2"
SEEDS = count(1)
"""Of light figures that nobody has asked for before."""
PATIENCE = 180.0
LEAKS = (b"Traceback", b"site-packages", b'File "')


@dataclass
class Told:
    """What became of requests: statuses, and the seconds of each kind."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    leaks: int = 0

    def add(self, other: Told) -> None:
        """Adds what became of other requests."""
        self.statuses.update(other.statuses)
        for kind, seconds in other.seconds.items():
            self.seconds.setdefault(kind, []).extend(seconds)
        self.leaks += other.leaks

    @property
    def broken(self) -> int:
        """Answers that no server should give, and requests without one."""
        return sum(n for status, n in self.statuses.items() if status in (0, 500, 502, 504))

    def p95(self, kind: str) -> float:
        """Seconds that 95 of 100 of a kind took at most."""
        return quantile(self.seconds[kind], 0.95)

    def shown(self) -> str:
        """All statuses, and how often."""
        return ", ".join(f"{n:,} x {status}" for status, n in sorted(self.statuses.items()))


class Client:
    """Somebody with an address, a name and a connection that is kept."""

    def __init__(self, server: Server, address: str, name: str = "") -> None:
        self.server, self.address, self.name = server, address, name
        self.told = Told()
        self._connection: http.client.HTTPConnection | None = None

    def ask(
        self, path: str, kind: str = "", *, method: str = "GET", body: bytes | None = None
    ) -> int:
        """Returns the status; 0 where there is no answer."""
        if self._connection is None:
            host, _, port = self.server.host.partition(":")
            self._connection = http.client.HTTPConnection(
                host, int(port), timeout=PATIENCE, source_address=(self.address, 0)
            )
        headers = {"Cookie": f"{COOKIE}={self.name:_<{LETTERS}}"} if self.name else {}
        begun, status = time.perf_counter(), 0
        try:
            self._connection.putrequest(method, path, skip_accept_encoding=True)
            for header in (
                *headers.items(),
                *((("Content-Length", str(len(body))),) if body else ()),
            ):
                self._connection.putheader(*header)
            self._connection.endheaders(body)
            answer = self._connection.getresponse()
            content, status = answer.read(), answer.status
            self.told.leaks += any(leak in content for leak in LEAKS)
            if answer.will_close:
                self.close()
        except (OSError, http.client.HTTPException):
            self.close()
        self.told.statuses[status] += 1
        self.told.seconds.setdefault(kind, []).append(time.perf_counter() - begun)
        return status

    def close(self) -> None:
        """Leaves."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


@contextlib.contextmanager
def reading(server: Server) -> Iterator[Told]:
    """Walks through all lessons, over and over, until the block is left."""
    reader, over = Client(server, READER, "reader"), threading.Event()

    def read() -> None:
        while not over.is_set():
            for page in PAGES:
                reader.ask(f"/{page.address}", "ready")
                for figure in page.figures:
                    reader.ask(f"/explorables/{page.slug}/{figure.name}.json", "ready")
                    if over.is_set():
                        return
                reader.ask(f"/explorables/axes/grid.json?data=digits&seed={next(SEEDS)}", "light")
                begun = time.perf_counter()
                with session(server, READER, "reader") as socket_:
                    run(socket_, page.address)
                reader.told.seconds.setdefault("page", []).append(time.perf_counter() - begun)
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


def session(server: Server, address: str, name: str) -> ClientConnection:
    """A page's WebSocket."""
    return connect(
        f"ws://{server.host}/_stcore/stream",
        subprotocols=[Subprotocol("streamlit")],
        source_address=(address, 0),
        additional_headers={"Cookie": f"{COOKIE}={name:_<{LETTERS}}"},
        open_timeout=PATIENCE,
    )


def rerun(page: str) -> bytes:
    """The message that has a page's script run."""
    message = BackMsg()
    message.rerun_script.page_name = page
    return bytes(message.SerializeToString())


def run(socket_: ClientConnection, page: str) -> None:
    """Has a page's script run, and waits for its end."""
    socket_.send(rerun(page))
    message = ForwardMsg()
    while message.WhichOneof("type") != "script_finished":
        message.ParseFromString(bytes(socket_.recv(timeout=PATIENCE)))  # type: ignore[arg-type]
