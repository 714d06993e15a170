"""Frames that no browser sends end a WebSocket."""

import asyncio

import pytest
import uvicorn
from uvicorn.config import WS_PROTOCOLS
from uvicorn.server import ServerState

from lnviz.web import websocket_protocol
from lnviz.web.websocket_protocol import LimitedWebSocketProtocol
from tests.web.test_tcp_limits import Wire, never

pytestmark = pytest.mark.anyio
OPENING = (
    b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YWFhYWFhYWFhYWFhYWFhYQ==\r\n\r\n"
)
MASK = b"\x80aaaa"  # of a frame that is empty
PING, PONG, PART = b"\x89" + MASK, b"\x8a" + MASK, b"\x00" + MASK


async def opened() -> tuple[LimitedWebSocketProtocol, Wire]:
    async def accept(scope: object, receive: object, send: object) -> None:
        await send({"type": "websocket.accept"})  # type: ignore[operator]
        await never(scope, receive, send)

    config = uvicorn.Config(accept, log_config=None, interface="asgi3")
    config.load()
    socket, wire = LimitedWebSocketProtocol(config, ServerState(), {}), Wire("here")
    socket.connection_made(wire)
    socket.data_received(OPENING)
    while not socket.handshake_complete:
        await asyncio.sleep(0)
    return socket, wire


def leave(socket: LimitedWebSocketProtocol) -> None:
    for task in socket.tasks:
        task.cancel()
    socket.connection_lost(None)


@pytest.mark.parametrize(("begin", "frame"), [(b"", PING), (b"", PONG), (b"\x02" + MASK, PART)])
async def test_few_frames_that_are_no_message_are_taken_and_no_flood(
    begin: bytes, frame: bytes
) -> None:
    socket, wire = await opened()
    socket.data_received(begin + 9 * frame)
    assert not wire.ended
    socket.data_received(50_000 * frame)
    assert wire.ended
    leave(socket)


async def test_frames_before_there_is_a_websocket_end_it_without_an_error() -> None:
    config = uvicorn.Config(never, log_config=None, interface="asgi3")
    config.load()
    socket, wire = LimitedWebSocketProtocol(config, ServerState(), {}), Wire("here")
    socket.connection_made(wire)
    socket.data_received(OPENING)
    socket.data_received(b"\x02" + MASK + 9 * PART + b"\x02" + MASK)
    socket.data_received(PART)
    assert wire.ended
    leave(socket)


async def test_what_is_no_opening_of_a_websocket_is_answered_and_ended() -> None:
    config = uvicorn.Config(never, log_config=None, interface="asgi3")
    config.load()
    socket, wire = LimitedWebSocketProtocol(config, ServerState(), {}), Wire("here")
    socket.connection_made(wire)
    socket.data_received(OPENING.replace(b"Host: a", b"Host: a\r\nContent-Length: 1"))
    assert wire.ended
    assert wire.written.startswith(b"HTTP/1.1 400 ")
    leave(socket)


def test_whoever_starts_uvicorn_gets_it() -> None:
    websocket_protocol.install_websocket_protocol()
    assert (
        WS_PROTOCOLS["websockets-sansio"]
        == WS_PROTOCOLS["auto"]
        == websocket_protocol.PROTOCOL_PATH
    )
