"""What stands before the app: who may open how many sessions, how fast, and until when."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lnviz.memory import MEMORY
from lnviz.web.assets import base
from lnviz.web.bodies import refused
from lnviz.web.limits import Places, Rate
from lnviz.web.visitors import network, visitor

CLOSED = tuple(f"/_stcore/{rest}" for rest in ("metrics", "upload_file"))
"""Addresses of Streamlit's that no page needs: figures have `/uploads`, lecturers `/status`."""

TABS = 16  # sessions of one visitor at a time
CLASS = 400  # of one address, which a class may share
SESSIONS = 800  # of this process
SESSION = 2**20  # bytes that one more may take

UNREAD = 64
"""Messages of a session that may wait to be read; whoever sends more at once is no hand."""

UNREAD_BYTES = 256 * 1024
"""Bytes of these together: a page sends a click and its address, 2,000 letters with a table."""

GIVEN_UP_S = 3.0
"""After which answers that are not done when the server ends are given up."""

_LATER, _LARGE, _TEXT = 1013, 1009, 1003  # why a connection is closed: RFC 6455, section 7.4.1


@dataclass(eq=False)
class Visits:
    """Who is there.

    A message may make Streamlit run a page's script, which takes some hundredths of a second. No
    hand asks for it more often than these rates allow.

    Attributes:
        tabs: Sessions of each visitor.
        addresses: Sessions of each address.
        rates: Messages of each visitor.
        address_rates: Messages of each address.
        sessions: Of all.
        refused: Requests and sessions that were not served.
        late: Messages that had to wait.
        ending: Whether the server ends.
    """

    tabs: Places = field(default_factory=lambda: Places(TABS))
    addresses: Places = field(default_factory=lambda: Places(CLASS))
    rates: Rate = field(default_factory=lambda: Rate(burst=20, second=4))
    address_rates: Rate = field(default_factory=lambda: Rate(burst=400, second=20))
    sessions: int = 0
    refused: int = 0
    late: int = 0
    ending: bool = False
    _answering: set[asyncio.Task[object]] = field(default_factory=set)

    def refusal(self, connection: HTTPConnection) -> Response | None:
        """Why no session can be opened, if so."""
        if self.ending:
            return _later("The server is shutting down.", 503, 5)
        if not self.tabs.free(visitor(connection)):
            return _later(f"{TABS} pages are open in this browser. Close one.", 429, 10)
        if not self.addresses.free(network(connection)):
            return _later(f"{CLASS} pages are open at your address already.", 429, 60)
        if self.sessions >= SESSIONS or not MEMORY.room(SESSION):
            return _later("The server has as many readers as it can serve.", 503, 60)
        return None

    def end(self) -> None:
        """Refuses what is new; what is not answered soon is given up."""
        self.ending = True
        asyncio.get_running_loop().call_later(GIVEN_UP_S, self._give_up)

    def _give_up(self) -> None:
        for task in self._answering:
            task.cancel()


class Guard:
    """Lets visitors in, each within bounds.

    Args:
        app: What answers them.
        visits: Who is there.
    """

    def __init__(self, app: ASGIApp, visits: Visits) -> None:
        self._app = app
        self._visits = visits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As any ASGI app."""
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._session(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        visits, task = self._visits, asyncio.current_task()
        if scope["path"].removeprefix(base()).startswith(CLOSED):
            await refused("There is nothing at this address.", 404)(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        assert task is not None
        visits._answering.add(task)
        try:
            if not visits.ending:
                await self._app(scope, receive, sending)
        except asyncio.CancelledError:
            if not visits.ending:
                raise
        finally:
            visits._answering.discard(task)
        if visits.ending and not begun:
            visits.refused += 1
            await _later("The server is shutting down.", 503, 5)(scope, receive, send)

    async def _session(self, scope: Scope, receive: Receive, send: Send) -> None:
        visits, connection = self._visits, HTTPConnection(scope)
        refusal = visits.refusal(connection)
        if refusal is not None:
            visits.refused += 1
            await refusal(scope, receive, send)
            return
        name, address = visitor(connection), network(connection)
        with visits.tabs.taken(name), visits.addresses.taken(address):
            visits.sessions += 1
            line = Line(receive, send)
            reading = asyncio.create_task(line.read())

            async def paced() -> Message:
                message = await line.next()
                if message["type"] == "websocket.receive":
                    # One after the other: who waits for a token of their own takes none of the
                    # address, and who leaves meanwhile never does.
                    waited = await line.pause(visits.rates.wait(name))
                    if not line.over:
                        waited |= await line.pause(visits.address_rates.wait(address))
                    visits.late += waited
                    if line.over:
                        return await line.next()
                return message

            try:
                await self._app(scope, paced, line.send)
            finally:
                visits.sessions -= 1
                reading.cancel()


class Line:
    """A WebSocket whose messages wait here, a few of them, and are gone with whoever sent them.

    Args:
        receive: Gives what the server has read.
        send: Sends to the client.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._messages: deque[Message] = deque()
        self._bytes = 0  # of all messages that wait
        self._come = asyncio.Event()
        self._over = asyncio.Event()

    @property
    def over(self) -> bool:
        """Whether nobody is there any more."""
        return self._over.is_set()

    async def read(self) -> None:
        """Reads until the end."""
        while not self._over.is_set():
            message = await self._receive()
            size = len(message.get("bytes") or b"")
            if message["type"] == "websocket.disconnect":
                self._end(message)
            elif message.get("text") is not None:
                await self._close(_TEXT, "Streamlit's messages are binary.")
            elif len(self._messages) >= UNREAD:
                await self._close(_LATER, "These are more messages than a hand sends.")
            elif self._bytes + size > UNREAD_BYTES:
                await self._close(_LARGE, "These are more bytes than a page sends.")
            else:
                self._messages.append(message)
                self._bytes += size
                self._come.set()

    async def next(self) -> Message:
        """The next message, when it has come."""
        while not self._messages:
            self._come.clear()
            await self._come.wait()
        message = self._messages.popleft()
        self._bytes -= len(message.get("bytes") or b"")
        return message

    async def pause(self, seconds: float) -> bool:
        """Lets time pass, unless the line is over; returns whether there was any to pass."""
        if seconds:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), seconds)
        return seconds > 0

    async def send(self, message: Message) -> None:
        """Sends, while there is somebody."""
        if not self._over.is_set():
            await self._send(message)

    async def _close(self, code: int, reason: str) -> None:
        # Who does not read, or has left, must not keep the session.
        self._end({"type": "websocket.disconnect", "code": code})
        with suppress(OSError):
            await self._send({"type": "websocket.close", "code": code, "reason": reason})

    def _end(self, message: Message) -> None:
        """What waits is not wanted any more."""
        self._over.set()
        self._messages.clear()
        self._bytes = 0
        self._messages.append(message)
        self._come.set()


def _later(detail: str, status: int, seconds: int) -> Response:
    return refused(f"{detail} Try again in {seconds} seconds.", status, seconds)
