"""Registry of this process's WebSocket sessions: admits new ones, and evicts some when full."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from lnviz.memory import MEMORY
from lnviz.usage import eviction_order
from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.identity import Client, identify_client
from lnviz.web.proxy_check import NO_UPGRADE, proxy_problem, warn_once
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import NO_STORE, error_response
from lnviz.web.websocket_session import TRY_AGAIN_LATER, WebSocketSession

MAX_SESSIONS = 800
SESSION_BYTES = 2**20
"""Memory that another session may take."""

UPGRADE_LOST_S = 60.0
"""Time for which pages without a session hear that a proxy does not pass on WebSockets."""

MESSAGE_BURST, MESSAGES_PER_SECOND = 60, 30
"""Rate limit of the messages of all sessions together.

Each may make Streamlit run a page's script, which takes a fiftieth of a second of a core.
"""

MAX_SCRIPTS = 3
"""Scripts that run at once, each in a thread.

With ten, they wait for each other, and the event loop for all of them: it answered nothing for
eight seconds while three hundred pages had their scripts run again and again.
"""


def script_limiter() -> FairSemaphore:
    """Return the rate limiter for the messages of all WebSocket sessions."""
    rate = RateLimiter(MESSAGE_BURST, MESSAGES_PER_SECOND)
    return FairSemaphore(MAX_SCRIPTS, queue_size=MAX_SESSIONS, rate=rate)


@dataclass(eq=False)
class SessionRegistry:
    """Registry of the open WebSocket sessions of this process.

    If the maximum number of sessions is open, a new session evicts a session of the client with the
    most sessions: the one that has been silent the longest. See `lnviz.usage`.

    Attributes:
        max_sessions: Maximum number of open sessions.
        limiter: Rate limiter for the messages of all sessions.
        rejected: Number of rejected requests and sessions.
    """

    max_sessions: int = MAX_SESSIONS
    limiter: FairSemaphore = field(default_factory=script_limiter)
    rejected: int = 0
    _upgrade_lost_at: float = -math.inf
    _sessions: set[WebSocketSession] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self._sessions)

    async def rejection(self, connection: HTTPConnection) -> Response | None:
        """Return the response that rejects a new session, or None if it may be opened."""
        client, is_returning = identify_client(connection), _is_returning(connection)
        if self._is_full and self._to_evict(client, is_returning) is None:
            return _try_later("The server has as many readers as it can handle.", 60)
        if not await MEMORY.make_room(SESSION_BYTES):
            return _try_later("The server is out of memory for another page.", 60)
        return None

    async def check(self, request: Request) -> Response:
        """`GET /session`: return whether the page can open a session and, if not, the reason.

        Browsers do not tell pages why a WebSocket was refused. `?again` means that the page had a
        session before, and `?at=` names the host and the path that the page asks for.
        """
        if rejection := await self.rejection(request):
            return rejection
        if problem := proxy_problem(request):
            warn_once(problem)
            return error_response(problem, 403)
        if time.monotonic() - self._upgrade_lost_at < UPGRADE_LOST_S:
            return error_response(NO_UPGRADE, 403)
        return JSONResponse({}, headers=NO_STORE)

    def without_upgrade(self) -> Response:
        """Answer a WebSocket that a proxy has made an ordinary request, and tell pages that ask."""
        self._upgrade_lost_at = time.monotonic()
        warn_once(NO_UPGRADE)
        return error_response(NO_UPGRADE, 426)

    def add(self, session: WebSocketSession) -> None:
        """Add a session that was not rejected; end another session if there are too many."""
        if self._is_full:
            evicted = self._to_evict(session.client, is_returning=False)
            if evicted is not None:
                evicted.end(TRY_AGAIN_LATER, "This session made room for others.")
        self._sessions.add(session)

    def remove(self, session: WebSocketSession) -> None:
        """Remove a session that has ended from the registry."""
        self._sessions.discard(session)

    @property
    def _is_full(self) -> bool:
        return len(self._open()) >= self.max_sessions

    def _open(self) -> list[WebSocketSession]:
        return [session for session in self._sessions if not session.is_over]

    def _to_evict(self, client: Client, is_returning: bool) -> WebSocketSession | None:
        """Return the session to end to make room for a client, or None if the client must wait.

        A page whose session was ended here reconnects on its own. It may evict only sessions of
        clients that have more sessions than its own client would then have.
        """
        silent = sorted(self._open(), key=lambda session: session.active_at)
        others = [session for session in silent if session.client != client]
        own = [session for session in silent if session.client == client]
        requested = [None]  # the new session
        candidates = [*requested, *others, *own] if is_returning else [*others, *own, *requested]
        return next(eviction_order(candidates, lambda s: client if s is None else s.client))


def _is_returning(connection: HTTPConnection) -> bool:
    """Return whether the page had a session before: it sends that session's id, or `?again`."""
    names_session = len(connection.scope.get("subprotocols", ())) > len(("streamlit", "a token"))
    return names_session or "again" in connection.query_params


def _try_later(detail: str, seconds: int) -> Response:
    return error_response(f"{detail} Try again in {seconds} seconds.", 503, seconds)
