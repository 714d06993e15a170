"""Limits on TCP connections for a server without nginx: their number and idle time."""

from __future__ import annotations

import asyncio
import socket

from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from lnviz.usage import eviction_order
from lnviz.web.client_network import normalize_ip
from lnviz.web.resource_limits import raise_fd_limit
from lnviz.web.session_registry import SessionRegistry

REQUEST_TIMEOUT_S = 10.0
"""Time that a connection has to send a whole request."""

TCP_USER_TIMEOUT_S = 25.0
"""Time after which a connection is closed whose other end acknowledges no data.

A phone that sleeps or has lost its network closes nothing, and TCP itself waits for a quarter of an
hour, in which the phone would count as present in its room. A stream of events sends every 15 s.
Source: RFC 5482, section 2; tcp(7), TCP_USER_TIMEOUT."""

OTHER_FDS = 256
"""Number of a process's file descriptors other than connections to clients."""

FDS_PER_SESSION = 3
"""File descriptors of the event loop of a session's script, besides the connection."""

ENDED_SESSIONS = 128
"""Sessions that have ended, whose scripts Streamlit keeps for two minutes."""


class ConnectionTable:
    """The open TCP connections of this process, oldest first.

    Attributes:
        max_connections: Maximum number of open connections.
    """

    def __init__(self, max_connections: int) -> None:
        self.max_connections = max_connections
        self._connections: dict[LimitedProtocol, None] = {}

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, connection: LimitedProtocol) -> None:
        """Add a connection; if there are too many, abort one from the network with the most.

        Idle connections are aborted before those with a request, and older before newer ones.
        """
        if len(self) >= self.max_connections:
            idle_first = sorted(self._connections, key=lambda c: c.has_pending_request)
            # Who connects has sent no cookie yet, so networks are all that is known.
            evicted = next(eviction_order([*idle_first, connection], lambda c: (c.network, "")))
            self.remove(evicted)
            evicted.transport.abort()
            if evicted is connection:
                return
        self._connections[connection] = None

    def remove(self, connection: LimitedProtocol) -> None:
        """Remove a connection; do nothing if it is not in the table."""
        self._connections.pop(connection, None)


CONNECTIONS = ConnectionTable(OTHER_FDS)
"""The connections of this process."""


def fit_to_fd_limit(sessions: SessionRegistry) -> None:
    """Raise the limit on file descriptors, and set session and connection limits to match."""
    fds = raise_fd_limit()
    sessions.max_sessions = min(sessions.max_sessions, max(1, fds // 10))
    of_scripts = FDS_PER_SESSION * (sessions.max_sessions + ENDED_SESSIONS)
    CONNECTIONS.max_connections = max(1, fds - OTHER_FDS - of_scripts)


class UserTimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP protocol that closes a connection when the peer stops acknowledging data."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Set the TCP user timeout on systems that have one (Linux)."""
        super().connection_made(transport)
        sock = transport.get_extra_info("socket")
        if sock is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
            milliseconds = round(1000 * TCP_USER_TIMEOUT_S)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


HTTP_PROTOCOLS["auto"] = f"{__name__}:UserTimeoutProtocol"
"""The protocol that Streamlit makes uvicorn use; `lnviz serve` uses `LimitedProtocol`."""


class LimitedProtocol(UserTimeoutProtocol):
    """HTTP protocol with a time limit for sending a request; `CONNECTIONS` counts its instances."""

    _timer: asyncio.TimerHandle | None = None

    @property
    def network(self) -> str:
        """The client's network: its IPv4 address or IPv6 prefix."""
        return normalize_ip(self.client[0] if self.client else "")

    @property
    def has_pending_request(self) -> bool:
        """True if a request has been received and its response is not complete."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Count the new connection, and start the time limit for its first request."""
        super().connection_made(transport)
        CONNECTIONS.add(self)
        self._update_timer()

    def data_received(self, data: bytes) -> None:
        """Handle data from the client, and update the time limit."""
        super().data_received(data)
        self._update_timer()

    def handle_websocket_upgrade(self, *event: object) -> None:
        """Stop limiting a connection that becomes a WebSocket: sessions have their own limits."""
        self._release()
        super().handle_websocket_upgrade(*event)

    def connection_lost(self, error: Exception | None) -> None:
        """Stop counting a closed connection."""
        self._release()
        super().connection_lost(error)

    def _update_timer(self) -> None:
        if self.has_pending_request:
            self._stop_timer()
        elif self._timer is None and not self.transport.is_closing():
            self._timer = self.loop.call_later(REQUEST_TIMEOUT_S, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _release(self) -> None:
        self._stop_timer()
        CONNECTIONS.remove(self)
