"""Same-origin check: requests that change state must come from this site's own pages."""

from __future__ import annotations

from starlette.requests import HTTPConnection

CROSS_ORIGIN_ERROR = "Only pages of this site may send this."


def is_same_origin(request: HTTPConnection) -> bool:
    """Return whether a request comes from a page of this site, or has no `Origin` header."""
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")
