"""ASGI middleware that limits WebSocket sessions and their messages, and blocks some requests."""

from __future__ import annotations

import asyncio
from functools import partial

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lnviz.web.assets import base_path
from lnviz.web.identity import identify_client
from lnviz.web.origin import CROSS_ORIGIN_ERROR, is_same_origin
from lnviz.web.proxy_check import foreign_page, outside_base_path, warn_once
from lnviz.web.responses import error_response
from lnviz.web.session_registry import SessionRegistry
from lnviz.web.websocket_session import WebSocketSession

BLOCKED_PATHS = tuple(f"/_stcore/{rest}" for rest in ("metrics", "upload_file"))
"""Streamlit's paths that no page needs: figures use `/uploads`, operators `/status`."""

STREAM_PATH = "/_stcore/stream"
"""Path of the pages' sessions, the only WebSockets."""

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

MAX_HEADERS = 100
"""Headers of a request. A browser sends 25 or so; five thousand took 20 ms of a core."""


class SessionLimitMiddleware:
    """ASGI middleware that limits WebSocket sessions, and rejects oversized or blocked requests.

    Args:
        app: The wrapped ASGI app.
        sessions: The open sessions.
    """

    def __init__(self, app: ASGIApp, sessions: SessionRegistry) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request or a WebSocket connection, as an ASGI app."""
        if scope["type"] == "http":
            await self._handle_request(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._handle_session(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(scope["headers"]) > MAX_HEADERS:
            detail = f"A request may have at most {MAX_HEADERS} headers. Send fewer."
            await error_response(detail, 431)(scope, receive, send)
            return
        base, path = base_path(), scope["path"]
        if path != base and not path.startswith(base + "/"):
            warn_once(outside_base_path("/"))
            answer = PlainTextResponse(outside_base_path(path), 404)
            await answer(scope, receive, send)
            return
        if path.removeprefix(base).startswith(BLOCKED_PATHS):
            await error_response("There is nothing at this address.", 404)(scope, receive, send)
            return
        if path == base + STREAM_PATH and "sec-websocket-key" in Headers(scope=scope):
            await self._sessions.without_upgrade()(scope, receive, send)
            return
        if scope["method"] in SAFE_METHODS:
            scope = _without_origin(scope)
        await self._app(scope, receive, send)

    async def _handle_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        sessions, connection = self._sessions, HTTPConnection(scope)
        rejection = await self._rejection(connection)
        if rejection is not None:
            sessions.rejected += 1
            await rejection(scope, receive, send)
            return
        identify = partial(identify_client, connection)
        session = WebSocketSession(receive, send, identify, sessions.limiter)
        sessions.add(session)
        reader = asyncio.create_task(session.read())
        try:
            await self._app(_without_origin(scope), session.receive, session.send)
        finally:
            sessions.remove(session)
            reader.cancel()
            await session.close()

    async def _rejection(self, connection: HTTPConnection) -> Response | None:
        if connection.scope["path"] != base_path() + STREAM_PATH:
            return error_response("There is nothing at this address.", 404)
        if not is_same_origin(connection):
            warn_once(foreign_page(connection))
            return error_response(CROSS_ORIGIN_ERROR, 403)
        return await self._sessions.rejection(connection)


def _without_origin(scope: Scope) -> Scope:
    """Return an ASGI scope without its `Origin` header, which this middleware has checked.

    For a foreign origin, Streamlit would look up this machine's public IP address on the internet.
    Without an internet connection, this blocks all requests for seconds.
    """
    return {**scope, "headers": [h for h in scope["headers"] if h[0] != b"origin"]}
