"""WebSocket protocol of uvicorn that aborts connections with too many control frames."""

from __future__ import annotations

from uvicorn.config import WS_PROTOCOLS
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from lnviz.web.rate_limit import RateLimiter

CHUNK_BYTES = 4096
"""Data that is parsed at a time. A frame may have six bytes, and each takes ten microseconds."""

CONTROL_BURST, CONTROL_PER_SECOND = 100, 10
"""Rate limit of a connection's frames that are no message: a browser only answers pings."""

PROTOCOL_PATH = f"{__name__}:LimitedWebSocketProtocol"


def install() -> None:
    """Make uvicorn use this protocol however it is started."""
    WS_PROTOCOLS["websockets-sansio"] = WS_PROTOCOLS["auto"] = PROTOCOL_PATH


class LimitedWebSocketProtocol(WebSocketsSansIOProtocol):
    """WebSocket that is aborted when control frames come too fast or the data is no WebSocket."""

    _control_frames: RateLimiter | None = None

    def data_received(self, data: bytes) -> None:
        """Parse data in chunks until the connection closes."""
        for start in range(0, len(data), CHUNK_BYTES):
            if not self.transport.is_closing():
                super().data_received(data[start : start + CHUNK_BYTES])
        if self.conn.handshake_exc is not None and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            self.transport.close()

    def handle_ping(self) -> None:
        """Answer a ping, and count it."""
        super().handle_ping()
        self._count_control_frame()

    def handle_pong(self, event: Frame) -> None:
        """Take the answer to a ping, and count it."""
        super().handle_pong(event)
        self._count_control_frame()

    def handle_cont(self, event: Frame) -> None:
        """Take a continuation frame, and count it."""
        super().handle_cont(event)
        self._count_control_frame()

    def handle_parser_exception(self) -> None:
        """Abort a connection whose handshake is not finished; close any other one properly."""
        if self.conn.close_sent is None:
            self.transport.abort()
        else:
            super().handle_parser_exception()

    def _count_control_frame(self) -> None:
        if self._control_frames is None:
            self._control_frames = RateLimiter(CONTROL_BURST, CONTROL_PER_SECOND)
        if not self._control_frames.try_acquire():
            self.transport.abort()
