"""What a proxy in front of the server has changed, found by comparing it with what a page sees."""

from __future__ import annotations

import logging
from urllib.parse import unquote

from starlette.requests import HTTPConnection

from lnviz.web.assets import base_path

MAX_LENGTH = 200  # characters of an address that are compared
MAX_WARNINGS = 8
"""Warnings of a process: each address is chosen by a client."""

NO_UPGRADE = (
    "A page asked for a WebSocket, and an ordinary request arrived. The server's proxy must pass "
    "on WebSockets: in nginx, by the headers Upgrade and Connection, as in deploy/nginx.conf."
)

_log = logging.getLogger(__name__)
_logged: set[str] = set()


def proxy_problem(connection: HTTPConnection) -> str:
    """Return what a proxy does wrong to the requests of a page, and what to do; empty if nothing.

    Args:
        connection: A request whose parameter `at` has the host and the path that the page has asked
            for; a request without it has no problem.
    """
    at = unquote(connection.query_params.get("at", "")[:MAX_LENGTH])
    if not at:
        return ""
    host, slash, path = at.partition("/")
    asked_host, asked_path = connection.headers.get("host", ""), connection.scope["path"]
    if host.lower() != asked_host.lower():
        return (
            f"This page is at {host}, but its proxy asks the server for {asked_host}. The proxy "
            "must pass on the header Host."
        )
    if slash + path == asked_path:
        return ""
    prefix = f"/{path}".removesuffix(asked_path).strip("/")
    return (
        f"This page asks for /{path}, but its proxy asks the server for {asked_path}. The proxy "
        f"must keep the whole path, and the server needs STREAMLIT_SERVER_BASE_URL_PATH={prefix}."
    )


def outside_base_path(path: str) -> str:
    """Return the answer to a request for a path that is not below the base path."""
    base = base_path()
    return (
        f"This server was asked for {path[:MAX_LENGTH]}, but all its pages are below {base}/. If a "
        f"proxy is asked for {base}/, it must keep the whole path."
    )


def foreign_page(connection: HTTPConnection) -> str:
    """Return a message for the log on a page that was refused a session for its origin."""
    origin, host = (connection.headers.get(name, "")[:MAX_LENGTH] for name in ("origin", "host"))
    return (
        f"A page at {origin!r} was refused a session, because the server was asked for {host!r}. "
        "If that page is this server's own, its proxy must pass on the header Host."
    )


def warn_once(problem: str) -> None:
    """Log a problem if it is new, and there have not been too many."""
    if problem not in _logged and len(_logged) < MAX_WARNINGS:
        _logged.add(problem)
        _log.warning("%s", problem.encode("unicode_escape").decode())
