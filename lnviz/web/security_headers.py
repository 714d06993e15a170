"""What every answer tells browsers: what a page may load, who may frame it, what it passes on."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lnviz.book import HOME
from lnviz.web.assets import base_path, index_html

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)

NON_HTML_POLICY = "default-src 'none'; frame-ancestors 'none'"
"""The policy of what is no page."""


class SecurityHeadersMiddleware:
    """Gives every answer its headers, Streamlit's own answers too.

    Args:
        app: What answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As any ASGI app."""

        async def sending(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                _add(MutableHeaders(scope=message), scope["path"], message["status"])
            await send(message)

        await self._app(scope, receive, sending)


async def server_error(request: Request, _: Exception) -> Response:
    """Answer where no answer could be made; the server's log says why."""
    answer = JSONResponse({"detail": "The server has failed. Try again in a moment."}, 500)
    _add(answer.headers, request.url.path, answer.status_code)  # it is made outside of `Headers`
    return answer


def _add(headers: MutableHeaders, path: str, status: int) -> None:
    if status != 304:  # which says no type, and whose headers take the place of a kept page's
        headers["Content-Security-Policy"] = _policy(headers.get("content-type", ""), path)
    headers["X-Content-Type-Options"] = "nosniff"
    # Addresses hold readers' own numbers, which are nobody else's business.
    headers["Referrer-Policy"] = "same-origin"


def _policy(media_type: str, path: str) -> str:
    if not media_type.startswith("text/html"):
        return NON_HTML_POLICY
    return figure_page_policy() if path.startswith(f"{base_path()}/explorables/") else page_policy()


@cache
def page_policy() -> str:
    """Return what the app's pages may do; nobody may frame them."""
    # Streamlit makes a module of a component's script through a `blob:` address, and its formulas'
    # smallest font stands in a style sheet.
    scripts = f"'self' blob: {' '.join(_inline())}"
    return _named(scripts, "font-src 'self' data:", "frame-ancestors 'none'")


@cache
def figure_page_policy() -> str:
    """Return what the page of one figure may do; slides on a disk may frame it, unlike with `*`."""
    return _named("'self'", "font-src 'self'")


def _named(scripts: str, *more: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            # Streamlit and Plotly write rules into the page, and places into elements.
            "style-src 'self' 'unsafe-inline'",
            # Charts are taken along as pictures, which are made from their SVG.
            "img-src 'self' data: blob:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            *more,
        )
    )


def _inline() -> list[str]:
    """The scripts that stand in Streamlit's page, by their digests; one more would not run."""
    scripts = _SCRIPT.findall(index_html(HOME.slug, "").content.decode())
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
