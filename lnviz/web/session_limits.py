"""What stands before the app: who may open how many sessions, how fast, and until when."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from google.protobuf.message import DecodeError
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from lnviz.memory import MEMORY
from lnviz.web.assets import base_path
from lnviz.web.fair_queue import FairRateLimiter, heaviest
from lnviz.web.identity import CROSS_ORIGIN_ERROR, Client, identify_client, is_same_origin
from lnviz.web.responses import NO_STORE, error_response

BLOCKED_PATHS = tuple(f"/_stcore/{rest}" for rest in ("metrics", "upload_file"))
"""Addresses of Streamlit's that no page needs: figures have `/uploads`, lecturers `/status`."""

STREAM_PATH = "/_stcore/stream"
"""Where the sessions of pages are; there is no other WebSocket."""

PAGE_MESSAGES = ("rerun_script", "stop_script", "app_heartbeat")
"""What pages tell Streamlit. Of what else it would do, listing what git says of this folder takes
a process, and tells whoever asks; the addresses of a hundred thousand files take half a second."""

READING = ("GET", "HEAD", "OPTIONS")

MAX_SESSIONS = 800  # of this process
SESSION_BYTES = 2**20  # bytes that one more may take

MESSAGE_BURST, MESSAGES_PER_SECOND = 60, 30
"""Messages of all pages that go on without a pause, and in a second after those.

Each may make Streamlit run a page's script, which takes a fiftieth of a second of a core.
"""

MAX_SCRIPTS, SCRIPT_S = 3, 0.25
"""Scripts that run at once, and the seconds after which one is not waited for any more.

Each is a thread. Where there are ten, they wait for each other and the server for all of them: it
answered nobody for eight seconds while three hundred pages had theirs run over and over.
"""

SILENT_S = 600.0
"""Seconds of silence after which a session makes room for another where there is none."""

SHORT = 256  # bytes, which the end of a script is said in

MAILBOX_MESSAGES = 64
"""Messages of a session that may wait to be read; whoever sends more at once is no hand."""

MAILBOX_BYTES = 64 * 1024
"""Bytes of these together: a page sends a click and its address, 2,000 letters with a table."""

MAX_WIDGETS = 256
"""Widgets of which a message tells. A page has a few, and each stays for as long as its session:
twelve thousand took 1.7 MB."""

MAX_HEADERS = 100
"""Headers of a request: a browser sends 25 or so. Five thousand small ones took 20 ms of a core."""

DRAIN_S = 3.0
"""Seconds after which answers that are not done when the server ends, and clients who do not take
what they are told at the end of a session, are given up."""

_LATER, _LARGE, _TEXT = 1013, 1009, 1003  # why a connection is closed: RFC 6455, section 7.4.1


def _pace() -> FairRateLimiter:
    return FairRateLimiter(
        MESSAGE_BURST, MESSAGES_PER_SECOND, MAX_SESSIONS, at_once=MAX_SCRIPTS, patience=SCRIPT_S
    )


@dataclass(eq=False)
class SessionRegistry:
    """Who is there.

    Attributes:
        most: How many sessions there may be.
        pace: Messages of all of them.
        lines: The sessions that are open.
        refused: Requests and sessions that were not served.
        late: Messages that had to wait.
        ending: Whether the server ends.
    """

    most: int = MAX_SESSIONS
    pace: FairRateLimiter = field(default_factory=_pace)
    lines: set[WebSocketSession] = field(default_factory=set)
    refused: int = 0
    late: int = 0
    ending: bool = False
    _answering: set[asyncio.Task[object]] = field(default_factory=set)

    @property
    def sessions(self) -> int:
        """The number of open sessions."""
        return len(self.lines)

    async def refusal(self, connection: HTTPConnection) -> Response | None:
        """Say why no session can be opened, if so."""
        if self.ending:
            return _later("The server is shutting down.", 5)
        if (
            self._is_full
            and self._yielding(identify_client(connection), _is_back(connection)) is None
        ):
            return _later("The server has as many readers as it can serve.", 60)
        if not await MEMORY.make_room(SESSION_BYTES):
            return _later("The server has no memory for another page now.", 60)
        return None

    async def session(self, request: Request) -> Response:
        """`GET /session`: whether a page could have one; browsers tell no page why it got none.

        With `?again` a page asks that had one before.
        """
        return await self.refusal(request) or JSONResponse({}, headers=NO_STORE)

    def add(self, line: WebSocketSession) -> None:
        """Open a session that is not refused; where there is no place, another one has to go."""
        if self._is_full:
            silent = self._yielding(line.visitor, False)
            if silent is not None:
                silent.end(_LATER, "Others need the place.")
        self.lines.add(line)

    @property
    def _is_full(self) -> bool:
        return len(self._open()) >= self.most

    def _open(self) -> list[WebSocketSession]:
        return [line for line in self.lines if not line.over]

    def _yielding(self, who: Client, is_back: bool) -> WebSocketSession | None:
        """Which session makes room for another one, where there is no place.

        It is of whoever has opened most; of those who have opened as many, of the most silent.
        Where that is who asks, it is one of their own, if it is silent for long. A page that was
        closed here comes back by itself, and takes no place but of one who has opened more.
        """
        lines = sorted(self._open(), key=lambda line: (line.visitor == who, line.heard))
        held = [line.visitor for line in lines]
        most = heaviest([*held, who])
        if is_back and heaviest([who, *held]) == who:
            return None
        theirs = next(line for line in lines if line.visitor == most)
        is_late = time.monotonic() - theirs.heard >= SILENT_S
        return theirs if most != who or is_late else None

    def end(self) -> None:
        """Refuse what is new; what is not answered soon is given up."""
        self.ending = True
        asyncio.get_running_loop().call_later(DRAIN_S, self._give_up)

    def _give_up(self) -> None:
        for task in self._answering:
            task.cancel()


class SessionLimitMiddleware:
    """Lets visitors in, each within bounds.

    Args:
        app: What answers them.
        visits: Who is there.
    """

    def __init__(self, app: ASGIApp, visits: SessionRegistry) -> None:
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
        if len(scope["headers"]) > MAX_HEADERS:
            told = f"A request has at most {MAX_HEADERS} headers. Send fewer."
            await error_response(told, 431)(scope, receive, send)
            return
        if scope["path"].removeprefix(base_path()).startswith(BLOCKED_PATHS):
            await error_response("There is nothing at this address.", 404)(scope, receive, send)
            return
        if scope["method"] in READING:
            scope = _without_origin(scope)
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
            await _later("The server is shutting down.", 5)(scope, receive, send)

    async def _session(self, scope: Scope, receive: Receive, send: Send) -> None:
        visits, connection = self._visits, HTTPConnection(scope)
        refusal: Response | None
        if scope["path"] != base_path() + STREAM_PATH:
            refusal = error_response("There is nothing at this address.", 404)
        elif not is_same_origin(connection):
            refusal = error_response(CROSS_ORIGIN_ERROR, 403)
        else:
            refusal = await visits.refusal(connection)
        if refusal is not None:
            visits.refused += 1
            await refusal(scope, receive, send)
            return
        line = WebSocketSession(receive, send, partial(identify_client, connection))
        visits.add(line)
        reading = asyncio.create_task(line.read())
        running: list[asyncio.Future[None]] = []

        async def paced() -> Message:
            message = await line.next()
            if message["type"] == "websocket.receive":
                turn = visits.pace.acquire(line.visitor)
                visits.late += not turn.done()
                running.append(turn)
                if not await line.waits(turn):
                    return await line.next()
                if not _runs(message):
                    over()
            return message

        async def sending(message: Message) -> None:
            if running and _has_run(message):
                over()
            await line.send(message)

        def over() -> None:
            while running:
                visits.pace.release(running.pop())

        try:
            await self._app(_without_origin(scope), paced, sending)
        finally:
            over()
            visits.lines.discard(line)
            reading.cancel()
        await line.close()


class WebSocketSession:
    """A WebSocket whose messages wait here, a few of them, and are gone with whoever sent them.

    Args:
        receive: Gives what the server has read.
        send: Sends to the client.
        who: Says whose it is.

    Attributes:
        heard: When the last message came that a page sends, in seconds of
            `time.monotonic`.
    """

    def __init__(self, receive: Receive, send: Send, who: Callable[[], Client]) -> None:
        self._who = who
        self._visitor = who()
        self.heard = time.monotonic()
        self._receive = receive
        self._send = send
        self._messages: deque[Message] = deque()
        self._bytes = 0  # of all messages that wait
        self._come = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._last: Message | None = None
        self._is_closed = False

    @property
    def visitor(self) -> Client:
        """The visitor whose it is: whoever has no name that is known yet is asked again."""
        if not self._visitor.id:
            self._visitor = self._who()
        return self._visitor

    @property
    def over(self) -> bool:
        """Whether nobody is there any more."""
        return self._over.done()

    async def read(self) -> None:
        """Read until the end."""
        while not self.over:
            message = await self._receive()
            size = len(message.get("bytes") or b"")
            if message["type"] == "websocket.disconnect":
                self._end(message)
            elif message.get("text") is not None:
                self.end(_TEXT, "Streamlit's messages are binary.")
            elif len(self._messages) >= MAILBOX_MESSAGES:
                self.end(_LATER, "These are more messages than a hand sends.")
            elif self._bytes + size > MAILBOX_BYTES:
                self.end(_LARGE, "These are more bytes than a page sends.")
            elif message["type"] == "websocket.receive" and not _is_said(message["bytes"]):
                self.end(_TEXT, "These are no messages of a page.")
            else:
                self.heard = time.monotonic()
                self._messages.append(message)
                self._bytes += size
                self._come.set()

    async def next(self) -> Message:
        """Return the next message, when it has come."""
        while not self._messages:
            self._come.clear()
            await self._come.wait()
        message = self._messages.popleft()
        self._bytes -= len(message.get("bytes") or b"")
        return message

    async def waits(self, turn: asyncio.Future[None]) -> bool:
        """Wait for a turn, unless the line is over; return whether it has come.

        Where the turn is refused, the line ends.
        """
        if not turn.done():
            await asyncio.wait((turn, self._over), return_when=asyncio.FIRST_COMPLETED)
        if turn.cancelled():
            self.end(_LATER, "Others wait, too.")
        return turn.done() and not turn.cancelled() and not self.over

    async def send(self, message: Message) -> None:
        """Send, while there is somebody."""
        if not self.over:
            self._is_closed |= message["type"] == "websocket.close"
            await self._send(message)

    def end(self, code: int, reason: str) -> None:
        """End it from here. Who does not read, or has left, must not keep the session.

        Args:
            code: The code of the end, after RFC 6455.
            reason: Why it ends, for whoever looks.
        """
        if not self.over and not self._is_closed:
            self._last = {"type": "websocket.close", "code": code, "reason": reason}
            self._end({"type": "websocket.disconnect", "code": code})

    async def close(self) -> None:
        """Tell the client why it was ended from here, if so and if it takes what it is told."""
        if self._last is not None:
            with suppress(OSError, TimeoutError):
                await asyncio.wait_for(self._send(self._last), DRAIN_S)

    def _end(self, message: Message) -> None:
        """What waits is not wanted any more."""
        if not self.over:
            self._over.set_result(None)
        self._messages.clear()
        self._bytes = 0
        self._messages.append(message)
        self._come.set()


def _is_back(connection: HTTPConnection) -> bool:
    """Whether the page had a session before: it names it, or says so."""
    named = len(connection.scope.get("subprotocols", ())) > len(("streamlit", "a token"))
    return named or "again" in connection.query_params


def _runs(message: Message) -> bool:
    """Whether Streamlit runs a script for this."""
    kind: str | None = BackMsg.FromString(message["bytes"]).WhichOneof("type")
    return kind == "rerun_script"


def _has_run(message: Message) -> bool:
    """Whether Streamlit says that a script has ended."""
    said = message.get("bytes") or b""
    if len(said) > SHORT:
        return False
    kind: str | None = ForwardMsg.FromString(said).WhichOneof("type")
    return kind == "script_finished"


def _without_origin(scope: Scope) -> Scope:
    """Leave out where a page is that asks: what matters of that is settled here.

    Of a foreign one Streamlit would ask the internet by which address this machine is known, and
    answer nobody for the seconds that this takes where there is none.
    """
    return {**scope, "headers": [kept for kept in scope["headers"] if kept[0] != b"origin"]}


def _is_said(message: bytes) -> bool:
    """Whether a page says this."""
    try:
        said = BackMsg.FromString(message)
    except DecodeError:
        return False
    few = len(said.rerun_script.widget_states.widgets) <= MAX_WIDGETS
    return few and said.WhichOneof("type") in PAGE_MESSAGES


def _later(detail: str, seconds: int) -> Response:
    return error_response(f"{detail} Try again in {seconds} seconds.", 503, seconds)
