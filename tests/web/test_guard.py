"""Who is let in, how fast, and until when."""

import asyncio
from collections import deque
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.types import Message
from starlette.websockets import WebSocket

from lnviz.web import guard
from lnviz.web.guard import UNREAD, Guard, Line, Visits
from lnviz.web.limits import Places, Rate
from lnviz.web.visitors import COOKIE

STREAM = "/_stcore/stream"


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    async for message in socket.iter_bytes():
        await socket.send_bytes(message)


async def hello(_: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


def client(visits: Visits, name: str = "a") -> TestClient:
    app = Starlette(routes=[WebSocketRoute(STREAM, echo), Route("/{path:path}", hello)])
    app.add_middleware(Guard, visits=visits)
    return TestClient(app, cookies={COOKIE: name})


def denied(visits: Visits, name: str = "a") -> WebSocketDenialResponse:
    with (
        pytest.raises(WebSocketDenialResponse) as found,
        client(visits, name).websocket_connect(STREAM),
    ):
        pass
    return found.value


def test_a_visitor_has_a_bounded_number_of_sessions_and_others_still_get_theirs() -> None:
    visits = Visits(tabs=Places(1))
    with client(visits).websocket_connect(STREAM) as socket:
        refusal = denied(visits)
        assert (refusal.status_code, refusal.headers["retry-after"]) == (429, "10")
        assert refusal.json()["detail"].endswith("Close one. Try again in 10 seconds.")
        with client(visits, "b").websocket_connect(STREAM) as other:
            other.send_bytes(b"b")
            assert other.receive_bytes() == b"b"
        socket.send_bytes(b"a")
        assert socket.receive_bytes() == b"a"
    with client(visits).websocket_connect(STREAM):
        assert visits.sessions == 1


def test_made_up_names_do_not_help_an_address_to_more_sessions() -> None:
    visits = Visits(addresses=Places(1))
    with client(visits, "a").websocket_connect(STREAM):
        assert denied(visits, "b").status_code == 429


def test_messages_that_come_too_fast_wait_and_are_read_in_turn() -> None:
    visits = Visits(rates=Rate(burst=2, second=1e6, clock=lambda: 0.0))
    with client(visits).websocket_connect(STREAM) as socket:
        sent = [bytes([n]) for n in range(5)]
        for message in sent:
            socket.send_bytes(message)
        assert [socket.receive_bytes() for _ in sent] == sent
    assert visits.late == 3


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def lined(messages: list[Message]) -> tuple[list[Message], Message]:
    """What a line sends, and its next message, when it has read all there is."""
    waiting, sent = deque(messages), []

    async def receive() -> Message:
        return waiting.popleft() if waiting else {"type": "websocket.disconnect", "code": 1006}

    async def send(message: Message) -> None:
        sent.append(message)

    line = Line(receive, send)
    await line.read()
    await line.send({"type": "websocket.send"})
    return sent, await line.next()


@pytest.mark.anyio
async def test_a_burst_ends_its_session_and_none_of_it_is_read() -> None:
    burst: list[Message] = [{"type": "websocket.receive", "bytes": b""}] * 1000
    sent, following = await lined(burst)
    assert [(message["type"], message["code"]) for message in sent] == [("websocket.close", 1013)]
    assert following["type"] == "websocket.disconnect"


@pytest.mark.anyio
async def test_what_a_client_has_sent_is_gone_with_it() -> None:
    messages: list[Message] = [{"type": "websocket.receive", "bytes": b""}] * UNREAD
    sent, following = await lined(messages)
    assert (sent, following["type"]) == ([], "websocket.disconnect")


@pytest.mark.anyio
async def test_text_ends_a_session() -> None:
    sent, _ = await lined([{"type": "websocket.receive", "text": "hello"}])
    assert [message["code"] for message in sent] == [1003]


@pytest.mark.parametrize("path", ["metrics", "upload_file/a/b"])
def test_addresses_of_streamlits_that_no_page_needs_are_closed(path: str) -> None:
    assert client(Visits()).post(f"/_stcore/{path}").status_code == 404


def test_a_server_that_ends_takes_nothing_new() -> None:
    visits = Visits(ending=True)
    answer = client(visits).get("/axes")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "shutting down" in answer.json()["detail"]
    assert denied(visits).status_code == 503


@pytest.mark.anyio
async def test_what_is_not_answered_soon_when_the_server_ends_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "GIVEN_UP_S", 0)
    visits, begun, sent = Visits(), asyncio.Event(), []

    async def never(*_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/uploads"}
    answering = asyncio.create_task(Guard(never, visits)(scope, never, send))
    await begun.wait()
    visits.end()
    await answering
    assert sent[0]["status"] == 503
