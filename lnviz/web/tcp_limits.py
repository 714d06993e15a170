"""Limits of TCP connections for a server without nginx in front: their number and their silence."""

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
"""File descriptors of a process that are no connections to clients."""

FDS_PER_SESSION = 3
"""File descriptors of the event loop of a session's script, besides the connection."""

ENDED_SESSIONS = 128
"""Sessions that have ended, whose scripts Streamlit keeps for two minutes."""


class ConnectionTable:
    """The open connections of a process, the oldest first.

    Attributes:
        max_connections: Connections that may be open.
    """

    def __init__(self, max_connections: int) -> None:
        self.max_connections = max_connections
        self._connections: dict[LimitedProtocol, None] = {}

    def __len__(self) -> int:
        return len(self._connections)

    def add(self, connection: LimitedProtocol) -> None:
        """Add a connection; if there are too many, abort one of the network that has most.

        An idle one is aborted before one with a request, and an older one before a newer one.
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
        """Remove a connection; nothing happens if it is not in the table."""
        self._connections.pop(connection, None)


CONNECTIONS = ConnectionTable(OTHER_FDS)
"""The connections of this process."""


def fit_to_fd_limit(sessions: SessionRegistry) -> None:
    """Raise this process's limit of file descriptors, and fit the other limits to it."""
    fds = raise_fd_limit()
    sessions.max_sessions = min(sessions.max_sessions, max(1, fds // 10))
    of_scripts = FDS_PER_SESSION * (sessions.max_sessions + ENDED_SESSIONS)
    CONNECTIONS.max_connections = max(1, fds - OTHER_FDS - of_scripts)


class UserTimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP connection that is closed when its other end acknowledges nothing any more."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Set the timeout where the system has one: on Linux."""
        super().connection_made(transport)
        sock = transport.get_extra_info("socket")
        if sock is not None and hasattr(socket, "TCP_USER_TIMEOUT"):
            milliseconds = round(1000 * TCP_USER_TIMEOUT_S)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


HTTP_PROTOCOLS["auto"] = f"{__name__}:UserTimeoutProtocol"
"""The protocol that Streamlit makes uvicorn use; `lnviz serve` uses `LimitedProtocol`."""


class LimitedProtocol(UserTimeoutProtocol):
    """HTTP connection that has to send a request in time, and counts in `CONNECTIONS`."""

    _timer: asyncio.TimerHandle | None = None

    @property
    def network(self) -> str:
        """The network of the client; see `normalize_ip`."""
        return normalize_ip(self.client[0] if self.client else "")

    @property
    def has_pending_request(self) -> bool:
        """Whether a request has come whose response is not complete."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Count the connection, and wait for its first request."""
        super().connection_made(transport)
        CONNECTIONS.add(self)
        self._update_timer()

    def data_received(self, data: bytes) -> None:
        """Handle data from the client."""
        super().data_received(data)
        self._update_timer()

    def handle_websocket_upgrade(self, *event: object) -> None:
        """Hand the connection over to a session, which has limits of its own."""
        self._release()
        super().handle_websocket_upgrade(*event)

    def connection_lost(self, error: Exception | None) -> None:
        """Stop counting the connection."""
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
