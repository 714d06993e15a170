"""WebSocket protocol for uvicorn that aborts connections with too many control frames."""

from __future__ import annotations

from uvicorn.config import WS_PROTOCOLS
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from lnviz.web.rate_limit import RateLimiter

CHUNK_BYTES = 4096
"""Data that is parsed at a time. A frame may have six bytes, and each takes ten microseconds."""

CONTROL_BURST, CONTROL_PER_SECOND = 100, 10
"""Rate limit of a connection's control frames; browsers send them only to answer pings."""

PROTOCOL_PATH = f"{__name__}:LimitedWebSocketProtocol"


def install_websocket_protocol() -> None:
    """Make uvicorn use this WebSocket protocol, no matter how uvicorn is started."""
    WS_PROTOCOLS["websockets-sansio"] = WS_PROTOCOLS["auto"] = PROTOCOL_PATH


class LimitedWebSocketProtocol(WebSocketsSansIOProtocol):
    """WebSocket protocol that aborts on too many control frames and on invalid data."""

    _control_frames: RateLimiter | None = None

    def data_received(self, data: bytes) -> None:
        """Parse received data in chunks until the connection closes."""
        for start in range(0, len(data), CHUNK_BYTES):
            if not self.transport.is_closing():
                super().data_received(data[start : start + CHUNK_BYTES])
        if self.conn.handshake_exc is not None and not self.transport.is_closing():
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            self.transport.close()

    def handle_ping(self) -> None:
        """Answer a ping frame, and count it as a control frame."""
        super().handle_ping()
        self._count_control_frame()

    def handle_pong(self, event: Frame) -> None:
        """Accept a pong frame, and count it as a control frame."""
        super().handle_pong(event)
        self._count_control_frame()

    def handle_cont(self, event: Frame) -> None:
        """Accept a continuation frame, and count it as a control frame."""
        super().handle_cont(event)
        self._count_control_frame()

    def handle_parser_exception(self) -> None:
        """Abort the connection if the handshake is unfinished; otherwise close it properly."""
        if self.conn.close_sent is None:
            self.transport.abort()
        else:
            super().handle_parser_exception()

    def _count_control_frame(self) -> None:
        if self._control_frames is None:
            self._control_frames = RateLimiter(CONTROL_BURST, CONTROL_PER_SECOND)
        if not self._control_frames.try_acquire():
            self.transport.abort()
