"""An HTTP client with a cookie and an address of its own, and messages of Streamlit."""

from __future__ import annotations

import gzip
import http.client
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.typing import Subprotocol

from lnviz.web.identity_cookie import COOKIE, ID_LENGTH, IdentityCookies
from tests.sharing import SECRET

PATIENCE = 180.0
STREAM = "/_stcore/stream"
STREAMLIT = Subprotocol("streamlit")
COOKIES = IdentityCookies(SECRET)


class ScriptFailed(Exception):
    """A page's script ended with an error."""


@dataclass(frozen=True)
class Answer:
    """The answer of a server."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> bytes:
        """Its decompressed content."""
        packed = self.headers.get("content-encoding") == "gzip"
        return gzip.decompress(self.raw) if packed else self.raw

    @property
    def text(self) -> str:
        """Its content as text."""
        return self.body.decode()

    @property
    def json(self) -> Any:
        """Its content, parsed."""
        return json.loads(self.body)

    def granted(self) -> Self:
        """Return the answer itself.

        Raises:
            ValueError: Its status is that of an error.
        """
        if self.status >= 400:
            raise ValueError(f"{self.status} {self.raw[:200]!r}")
        return self


@dataclass(frozen=True)
class Asked:
    """A request: its status, 0 where there was no answer, and the seconds that it took."""

    status: int
    seconds: float


def cookie(name: str) -> str:
    """Return the cookie of a browser whose id begins so."""
    return f"{COOKIE}={COOKIES.sign(f'{name:_<{ID_LENGTH}}')}"


class Client:
    """An HTTP client with a connection that is kept.

    Paths go out as they are written, without `..` being resolved.

    Args:
        port: The server's port.
        name: The client's id; without one, no cookie is sent.
        address: The client's address, one of this machine's own.
    """

    def __init__(self, port: int, name: str = "", address: str = "127.0.0.1") -> None:
        self.port, self.address = port, address
        self.cookie = cookie(name) if name else ""
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(
        self, path: str, *, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> http.client.HTTPConnection:
        """Send a request, and return the connection on which the answer will come."""
        if self._connection is None:
            self._connection = http.client.HTTPConnection(
                "127.0.0.1", self.port, timeout=PATIENCE, source_address=(self.address, 0)
            )
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        own = {"Cookie": self.cookie} if self.cookie else {}
        self._connection.request(method, path, body, own | named)
        return self._connection

    def ask(self, path: str, **request: Any) -> Answer:
        """Send a request, and return the answer.

        Raises:
            OSError, http.client.HTTPException: There was none.
        """
        try:
            response = self.begin(path, **request).getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, headers, response.read())
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def attempt(self, path: str, **request: Any) -> Asked:
        """Send a request, and return its status and time, with or without an answer."""
        began, status = time.perf_counter(), 0
        with suppress(OSError, http.client.HTTPException):  # the status says so
            status = self.ask(path, **request).status
        return Asked(status, time.perf_counter() - began)

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def rerun(port: int, page: str) -> bytes:
    """Return the message that runs a page's script."""
    message = BackMsg()
    message.rerun_script.page_name = page
    message.rerun_script.context_info.url = f"http://127.0.0.1:{port}/{page}"
    return bytes(message.SerializeToString())


def finished(data: str | bytes) -> bool:
    """Return whether a message says that the script has ended.

    Raises:
        ScriptFailed: It ended with an error.
    """
    message = ForwardMsg.FromString(data.encode() if isinstance(data, str) else data)
    if message.WhichOneof("type") != "script_finished":
        return False
    if message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
        raise ScriptFailed(f"the script ended with status {message.script_finished}")
    return True
