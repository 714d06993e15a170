"""A page's WebSocket session, with a bounded mailbox in front of a rate limiter."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from google.protobuf.message import DecodeError
from starlette.types import Message, Receive, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from lnviz.background import report_failure
from lnviz.web.fair_queue import FairSemaphore, Lease
from lnviz.web.identity import Client

PAGE_MESSAGES = ("rerun_script", "stop_script", "app_heartbeat")
"""Messages that pages send. Streamlit would handle others: one lists, with a process, what git
says of this folder; one with the URLs of a hundred thousand files takes half a second."""

MAX_WIDGETS = 256
"""Widgets in a message. A page has a few, and each stays in memory as long as its session: twelve
thousand took 1.7 MB."""

MAILBOX_MESSAGES = 64
"""Messages of a session that may wait; no reader of a page sends more at once."""

MAILBOX_BYTES = 64 * 1024
"""Bytes of these. A page sends a click and its URL, of 2,000 characters with a table."""

SCRIPT_S = 0.25
"""Time after which a script's lease is released even if the script still runs."""

CLOSE_S = 3.0
"""Time that a client has to take the message that closes its session."""

_SCRIPT_FINISHED_BYTES = 256  # at most, of the message with which Streamlit ends a script
# Codes of RFC 6455, section 7.4.1.
TRY_AGAIN_LATER, INTERNAL_ERROR, _TOO_BIG, _UNSUPPORTED_DATA = 1013, 1011, 1009, 1003


class WebSocketSession:
    """A page's WebSocket session; its messages wait in a mailbox until a rate limiter admits them.

    Waiting messages are dropped when the client disconnects, so that no script runs for a closed
    page.

    Args:
        receive: ASGI callable that receives messages from the client.
        send: ASGI callable that sends messages to the client.
        identify: Returns the client; called again as long as the client has no id.
        limiter: Rate limiter for the messages of all sessions.

    Attributes:
        active_at: Time of the last message of the page, in seconds of `time.monotonic`.
    """

    def __init__(
        self, receive: Receive, send: Send, identify: Callable[[], Client], limiter: FairSemaphore
    ) -> None:
        self.active_at = time.monotonic()
        self._identify = identify
        self._client = identify()
        self._receive = receive
        self._send = send
        self._limiter = limiter
        self._scripts: list[Lease] = []  # of those that run
        self._mailbox: deque[Message] = deque()
        self._bytes = 0  # of all messages in the mailbox
        self._has_mail = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._close_message: Message | None = None
        self._is_closed = False

    @property
    def client(self) -> Client:
        """The client; its id may be unknown until this process has the signing key."""
        if not self._client.id:
            self._client = self._identify()
        return self._client

    @property
    def is_over(self) -> bool:
        """True if the client has disconnected or the server has ended the session."""
        return self._over.done()

    async def read(self) -> None:
        """Read messages from the client into the mailbox until the session is over."""
        try:
            while not self.is_over:
                self._take(await self._receive())
        except Exception:
            report_failure("websocket_reader")
            self.end(INTERNAL_ERROR, "Something went wrong on the server.")

    async def receive(self) -> Message:
        """Wait for the next message that the rate limiter admits, and return it."""
        message = await self._next()
        if message["type"] != "websocket.receive" or await self._is_admitted(message):
            return message
        return await self._next()

    async def send(self, message: Message) -> None:
        """Send a message to the client unless the session is over."""
        if self._scripts and _says_script_finished(message):
            self._release_scripts()
        if not self.is_over:
            self._is_closed |= message["type"] == "websocket.close"
            await self._send(message)

    def end(self, code: int, reason: str) -> None:
        """End the session from the server's side, even if the client no longer reads.

        Args:
            code: Close code of RFC 6455.
            reason: Reason for the client.
        """
        if not self.is_over and not self._is_closed:
            self._close_message = {"type": "websocket.close", "code": code, "reason": reason}
            self._end({"type": "websocket.disconnect", "code": code})

    async def close(self) -> None:
        """Release the session's resources; if the server ended it, send the client the reason.

        The time to send the message is limited.
        """
        self._release_scripts()
        if self._close_message is not None:
            with suppress(OSError, TimeoutError):
                await asyncio.wait_for(self._send(self._close_message), CLOSE_S)

    def _take(self, message: Message) -> None:
        size = len(message.get("bytes") or b"")
        if message["type"] == "websocket.disconnect":
            self._end(message)
        elif message.get("text") is not None:
            self.end(_UNSUPPORTED_DATA, "Messages must be binary.")
        elif len(self._mailbox) >= MAILBOX_MESSAGES:
            self.end(TRY_AGAIN_LATER, "Too many messages.")
        elif self._bytes + size > MAILBOX_BYTES:
            self.end(_TOO_BIG, "Too much data.")
        elif message["type"] == "websocket.receive" and not _is_page_message(message["bytes"]):
            self.end(_UNSUPPORTED_DATA, "Unknown message.")
        else:
            self.active_at = time.monotonic()
            self._mailbox.append(message)
            self._bytes += size
            self._has_mail.set()

    async def _next(self) -> Message:
        while not self._mailbox:
            self._has_mail.clear()
            await self._has_mail.wait()
        message = self._mailbox.popleft()
        self._bytes -= len(message.get("bytes") or b"")
        return message

    async def _is_admitted(self, message: Message) -> bool:
        """Wait until the rate limiter admits a message; return False if the session ends first."""
        lease = self._limiter.request(self.client)
        try:
            await asyncio.wait((lease.granted, self._over), return_when=asyncio.FIRST_COMPLETED)
            if not self.is_over and not lease.granted.result():
                self.end(TRY_AGAIN_LATER, "The server is busy.")
            if self.is_over:
                return False
            if _starts_script(message):
                self._scripts.append(lease)
                asyncio.get_running_loop().call_later(SCRIPT_S, self._limiter.release, lease)
            return True
        finally:
            if lease not in self._scripts:
                self._limiter.release(lease)

    def _release_scripts(self) -> None:
        while self._scripts:
            self._limiter.release(self._scripts.pop())

    def _end(self, disconnect: Message) -> None:
        if not self.is_over:
            self._over.set_result(None)
        self._mailbox.clear()
        self._bytes = 0
        self._mailbox.append(disconnect)
        self._has_mail.set()


def _is_page_message(data: bytes) -> bool:
    try:
        message = BackMsg.FromString(data)
    except DecodeError:
        return False
    has_few_widgets = len(message.rerun_script.widget_states.widgets) <= MAX_WIDGETS
    return has_few_widgets and message.WhichOneof("type") in PAGE_MESSAGES


def _starts_script(message: Message) -> bool:
    kind: str | None = BackMsg.FromString(message["bytes"]).WhichOneof("type")
    return kind == "rerun_script"


def _says_script_finished(message: Message) -> bool:
    data = message.get("bytes") or b""
    if len(data) > _SCRIPT_FINISHED_BYTES:
        return False
    kind: str | None = ForwardMsg.FromString(data).WhichOneof("type")
    return kind == "script_finished"
