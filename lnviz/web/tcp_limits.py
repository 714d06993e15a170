"""Connections of a server that nothing stands before: bounded in number, and timed."""

from __future__ import annotations

import asyncio
import socket
from collections import defaultdict

from uvicorn.config import HTTP_PROTOCOLS
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from lnviz.web.identity import normalize_ip
from lnviz.web.resource_limits import raise_fd_limit
from lnviz.web.session_limits import SessionRegistry

REQUEST_TIMEOUT_S = 10.0
"""Seconds in which a request has to say what it wants."""

TCP_USER_TIMEOUT_S = 25.0
"""Seconds after which a connection ends whose other end has confirmed nothing that was sent.

A phone that sleeps or has lost its network says no goodbye, and TCP itself waits for a quarter of
an hour: as long it would be among those who are here. A stream of events sends every 15 s.
Source: RFC 5482, section 2; tcp(7), TCP_USER_TIMEOUT."""

OTHER_FDS = 256
"""Files of a process that are no connections to visitors."""

FDS_PER_SESSION = 3
"""Files that the script of a page's session takes besides its connection: an event loop."""

ENDED_SESSIONS = 128
"""Sessions that have ended, whose scripts Streamlit keeps for two minutes."""


class ConnectionTable:
    """The connections of a process, by address, the oldest first.

    Attributes:
        most: How many there may be.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._near: defaultdict[str, dict[LimitedProtocol, None]] = defaultdict(dict)

    def add(self, new: LimitedProtocol) -> None:
        """Add a connection; where they are too many, the address that has most loses one.

        One that asks for nothing goes first.
        """
        self._near[new.network][new] = None
        if sum(map(len, self._near.values())) > self.most:
            most = max(self._near.values(), key=len)
            last = next(
                (c for c in most if not c.has_pending_request and c is not new), next(iter(most))
            )
            self.remove(last)
            last.transport.abort()

    def remove(self, gone: LimitedProtocol) -> None:
        """Forget a connection; one that is not known stays so."""
        self._near[gone.network].pop(gone, None)
        if not self._near[gone.network]:
            del self._near[gone.network]


CONNECTIONS = ConnectionTable(OTHER_FDS)
"""Those of this process."""


def fit_to_fd_limit(visits: SessionRegistry) -> None:
    """Take as many connections as this process can get, and sessions as it has files for."""
    files = raise_fd_limit()
    visits.most = min(visits.most, max(1, files // 10))
    CONNECTIONS.most = max(1, files - OTHER_FDS - FDS_PER_SESSION * (visits.most + ENDED_SESSIONS))


class UserTimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection that is ended when nobody is at its other end any more."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin."""
        super().connection_made(transport)
        line = transport.get_extra_info("socket")
        if line is not None and hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux has it
            line.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1000 * TCP_USER_TIMEOUT_S)
            )


HTTP_PROTOCOLS["auto"] = f"{__name__}:UserTimeoutProtocol"
"""What Streamlit has uvicorn use; `lnviz serve` has the one below."""


class LimitedProtocol(UserTimeoutProtocol):
    """A connection that is ended when it does not say in time what it wants, too."""

    _timer: asyncio.TimerHandle | None = None

    @property
    def network(self) -> str:
        """From where it comes."""
        return normalize_ip(self.client[0] if self.client else "")

    @property
    def has_pending_request(self) -> bool:
        """Whether a request has come and is not answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin."""
        super().connection_made(transport)
        CONNECTIONS.add(self)
        self._time()

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        super().data_received(data)
        self._time()

    def handle_websocket_upgrade(self, *event: object) -> None:
        """Become a session, which is bounded otherwise."""
        self._end()
        super().handle_websocket_upgrade(*event)

    def connection_lost(self, error: Exception | None) -> None:
        """End."""
        self._end()
        super().connection_lost(error)

    def _time(self) -> None:
        if self.has_pending_request:
            self._stop()
        elif self._timer is None and not self.transport.is_closing():
            self._timer = self.loop.call_later(REQUEST_TIMEOUT_S, self.transport.abort)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def _end(self) -> None:
        self._stop()
        CONNECTIONS.remove(self)
