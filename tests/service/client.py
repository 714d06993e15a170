"""Somebody who asks a server, from an address of their own and over a connection that is kept."""

from __future__ import annotations

import gzip
import http.client
import json
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from lnviz.web.identity_cookie import COOKIE, ID_LENGTH, IdentityCookies
from tests.sharing import SECRET

PATIENCE = 180.0
STREAM = "/_stcore/stream"
STREAMLIT = Subprotocol("streamlit")
NAMES = IdentityCookies(SECRET)
LEAKS = (b"Traceback", b"site-packages", b'File "')


class ScriptFailed(Exception):
    """A page's script ended, but not well."""


@dataclass(frozen=True)
class Answer:
    """What a server answers."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> bytes:
        """Its content, unpacked."""
        packed = self.headers.get("content-encoding") == "gzip"
        return gzip.decompress(self.raw) if packed else self.raw

    @property
    def text(self) -> str:
        """Its content as text."""
        return self.body.decode()

    @property
    def json(self) -> Any:
        """What its content says."""
        return json.loads(self.body)

    def granted(self) -> Self:
        """The answer itself.

        Raises:
            ValueError: The server has refused.
        """
        if self.status >= 400:
            raise ValueError(f"{self.status} {self.raw[:200]!r}")
        return self


@dataclass(frozen=True)
class Asked:
    """A request: when it began and how long it took (`time.perf_counter`), and its status.

    The status is 0 where there was no answer.
    """

    status: int
    kind: str = ""
    began: float = 0.0
    seconds: float = 0.0


@dataclass
class Told:
    """What became of requests."""

    asked: list[Asked] = field(default_factory=list)
    leaks: int = 0
    """Answers that hold what the server is made of."""

    @property
    def statuses(self) -> Counter[int]:
        """How often each status came."""
        return Counter(asked.status for asked in self.asked)

    def seconds(self, kind: str = "") -> list[float]:
        """How long each request of a kind took."""
        return [asked.seconds for asked in self.asked if asked.kind == kind]

    def shown(self) -> str:
        """All statuses, and how often."""
        return ", ".join(f"{n:,} x {status}" for status, n in sorted(self.statuses.items()))


def together(parts: Iterable[Told]) -> Told:
    """All that became of the requests of several."""
    told = Told()
    for part in parts:
        told.asked += part.asked
        told.leaks += part.leaks
    return told


def cookie(visitor: str) -> str:
    """What a browser sends that was given a name beginning with this one."""
    return f"{COOKIE}={NAMES.sign(f'{visitor:_<{ID_LENGTH}}')}"


class Client:
    """Somebody with an address, perhaps a name, and a connection that is kept.

    Paths go out as they are written, without `..` being resolved.

    Args:
        port: Of the server.
        name: What the server knows the visitor by; without one, the address.
        address: From where is asked, of this machine's own.
    """

    def __init__(self, port: int, name: str = "", address: str = "127.0.0.1") -> None:
        self.port, self.address = port, address
        self.cookie = cookie(name) if name else ""
        self.told = Told()
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(
        self, path: str, *, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> http.client.HTTPConnection:
        """Asks, and returns the connection on which the answer will come."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection(
                "127.0.0.1", self.port, timeout=PATIENCE, source_address=(self.address, 0)
            )
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        own = {"Cookie": self.cookie} if self.cookie else {}
        self._connection.request(method, path, body, own | named)
        return self._connection

    def ask(self, path: str, kind: str = "", **request: Any) -> Answer:
        """Asks, and waits for the answer.

        Raises:
            OSError, http.client.HTTPException: There was none.
        """
        began, answer = time.perf_counter(), None
        try:
            response = self.begin(path, **request).getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            answer = Answer(response.status, headers, response.read())
            return answer
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        finally:
            self.note(answer.status if answer else 0, kind, began)
            self.told.leaks += any(leak in answer.raw for leak in LEAKS) if answer else 0

    def attempt(self, path: str, kind: str = "", **request: Any) -> Asked:
        """Asks, and says what became of it, with or without an answer."""
        with suppress(OSError, http.client.HTTPException):  # the status says so
            self.ask(path, kind, **request)
        return self.told.asked[-1]

    def note(self, status: int, kind: str = "", began: float | None = None) -> None:
        """Writes down what became of a request that ends now."""
        now = time.perf_counter()
        began = now if began is None else began
        self.told.asked.append(Asked(status, kind, began, now - began))

    def session(self) -> ClientConnection:
        """A page's WebSocket."""
        return connect(
            f"ws://127.0.0.1:{self.port}{STREAM}",
            subprotocols=[STREAMLIT],
            source_address=(self.address, 0),
            additional_headers={"Cookie": self.cookie},
            open_timeout=PATIENCE,
            max_size=None,
        )

    def visit(self, page: str, kind: str) -> None:
        """Has a page's script run in a session of its own."""
        began, status = time.perf_counter(), 0
        with suppress(OSError, ConnectionClosed, InvalidHandshake, ScriptFailed):
            with self.session() as session:
                run(session, self.port, page)
            status = 200
        self.note(status, kind, began)

    def close(self) -> None:
        """Leaves."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def rerun(port: int, page: str) -> bytes:
    """The message that has a page's script run."""
    message = BackMsg()
    message.rerun_script.page_name = page
    message.rerun_script.context_info.url = f"http://127.0.0.1:{port}/{page}"
    return bytes(message.SerializeToString())


def finished(data: str | bytes) -> bool:
    """Whether a message says that the script has ended.

    Raises:
        ScriptFailed: It has not ended well.
    """
    message = ForwardMsg.FromString(data.encode() if isinstance(data, str) else data)
    if message.WhichOneof("type") != "script_finished":
        return False
    if message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
        raise ScriptFailed(f"the script ended with status {message.script_finished}")
    return True


def run(session: ClientConnection, port: int, page: str) -> None:
    """Has a page's script run, and waits for its end.

    Raises:
        ScriptFailed: It has not ended well.
    """
    session.send(rerun(port, page))
    while not finished(session.recv(PATIENCE)):
        pass
