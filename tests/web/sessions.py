"""WebSocket sessions of a small app behind the middleware."""

import asyncio
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.session_limits import STREAM_PATH, SessionLimitMiddleware
from lnviz.web.session_registry import MAX_SESSIONS, SessionRegistry
from lnviz.web.shutdown import Shutdown, ShutdownMiddleware
from tests.service.client import cookie, rerun


def registry(max_sessions: int = MAX_SESSIONS, **limits: Any) -> SessionRegistry:
    """Sessions with a limiter that admits all messages at once, unless limits are given."""
    limiter = FairSemaphore(limits.pop("capacity", 1000), 1000, **limits)
    return SessionRegistry(max_sessions, limiter)


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    async for message in socket.iter_bytes():
        await socket.send_bytes(message)


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.headers.get("origin", "hello"))


def client(
    sessions: SessionRegistry, name: str = "a", shutdown: Shutdown | None = None
) -> TestClient:
    app = Starlette(
        routes=[
            WebSocketRoute(STREAM_PATH, echo),
            Route("/session", sessions.check),
            Route("/{path:path}", hello),
        ]
    )
    app.add_middleware(SessionLimitMiddleware, sessions=sessions)
    app.add_middleware(ShutdownMiddleware, shutdown=shutdown or Shutdown())
    return TestClient(app, headers={"Cookie": cookie(name)})


def denied(
    sessions: SessionRegistry, name: str = "a", shutdown: Shutdown | None = None, **options: Any
) -> WebSocketDenialResponse:
    """The response to a session that is refused."""
    path = options.pop("path", STREAM_PATH)
    with (
        pytest.raises(WebSocketDenialResponse) as found,
        client(sessions, name, shutdown).websocket_connect(path, **options),
    ):
        pass
    return found.value


def message(page: str) -> bytes:
    """A message that runs a page's script."""
    return rerun(1, page)


class Sender:
    """A session whose messages are read one by one, and the types of those that the app got."""

    def __init__(self, sessions: SessionRegistry, name: str = "a") -> None:
        self.waiting: asyncio.Queue[Message] = asyncio.Queue()
        self.received: list[str] = []
        self.sent: list[Message] = []
        headers = [(b"cookie", cookie(name).encode())]
        scope = {
            "type": "websocket",
            "path": STREAM_PATH,
            "query_string": b"",
            "headers": headers,
            "client": ("1.2.3.4", 5),
        }
        middleware = SessionLimitMiddleware(self.app, sessions)
        self.task = asyncio.create_task(middleware(scope, self.receive, self.send))

    async def app(self, _: Scope, receive: Receive, send: Send) -> None:
        self.send_from_app = send
        while "websocket.disconnect" not in self.received:
            self.received.append((await receive())["type"])

    async def receive(self) -> Message:
        return await self.waiting.get()

    async def send(self, message: Message) -> None:
        self.sent.append(message)

    async def come(self, data: bytes = message("a")) -> None:
        self.waiting.put_nowait({"type": "websocket.receive", "bytes": data})
        await anyio.wait_all_tasks_blocked()

    async def leave(self) -> None:
        self.waiting.put_nowait({"type": "websocket.disconnect", "code": 1005})
        await self.task
