"""WebSockets whose frames are counted: those that no browser sends must not keep a server busy."""

from __future__ import annotations

from uvicorn.config import WS_PROTOCOLS
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from lnviz.web.rate_limit import RateLimiter

CHUNK_BYTES = 4096
"""Bytes that are looked through at a time. A frame may have six: each takes ten microseconds."""

CONTROL_BURST, CONTROL_PER_SECOND = 100, 10
"""Frames of a connection that are no message, at once and a second: a browser answers a ping."""

PROTOCOL_PATH = f"{__name__}:LimitedWebSocketProtocol"


def install() -> None:
    """Have uvicorn use this, whoever starts it."""
    WS_PROTOCOLS["websockets-sansio"] = WS_PROTOCOLS["auto"] = PROTOCOL_PATH


class LimitedWebSocketProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that ends where more comes than a browser sends, or no WebSocket."""

    _rate: RateLimiter | None = None

    def data_received(self, data: bytes) -> None:
        """Take what has come, as long as it is sent by something like a browser."""
        for start in range(0, len(data), CHUNK_BYTES):
            if not self.transport.is_closing():
                super().data_received(data[start : start + CHUNK_BYTES])
        if self.conn.handshake_exc is not None and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            self.transport.close()

    def handle_ping(self) -> None:
        """Answer a ping."""
        super().handle_ping()
        self._count()

    def handle_pong(self, event: Frame) -> None:
        """Take the answer to a ping."""
        super().handle_pong(event)
        self._count()

    def handle_cont(self, event: Frame) -> None:
        """Take a part of a message."""
        super().handle_cont(event)
        self._count()

    def handle_parser_exception(self) -> None:
        """End what is no WebSocket; what comes before it has begun is none."""
        if self.conn.close_sent is None:
            self.transport.abort()
        else:
            super().handle_parser_exception()

    def _count(self) -> None:
        self._rate = self._rate or RateLimiter(CONTROL_BURST, CONTROL_PER_SECOND)
        if not self._rate.try_acquire(""):
            self.transport.abort()
