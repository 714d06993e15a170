"""Security headers of all responses: content security policy, framing and referrer policy."""

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
"""Content security policy of all that is not HTML."""


class SecurityHeadersMiddleware:
    """ASGI middleware that adds security headers to all responses, including Streamlit's.

    Args:
        app: The wrapped ASGI app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request or a WebSocket connection, as an ASGI app."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                _add_headers(MutableHeaders(scope=message), scope["path"], message["status"])
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def server_error(request: Request, _: Exception) -> Response:
    """Return the response to a request whose handler raised an unexpected exception."""
    response = JSONResponse(
        {"detail": "Something went wrong on the server. Try again in a moment."}, 500
    )
    # Starlette makes this response outside of all middleware.
    _add_headers(response.headers, request.url.path, response.status_code)
    return response


def _add_headers(headers: MutableHeaders, path: str, status: int) -> None:
    if status != 304:  # which has no content type, and whose headers replace those of the cache
        headers["Content-Security-Policy"] = _policy(headers.get("content-type", ""), path)
    headers["X-Content-Type-Options"] = "nosniff"
    # URLs contain readers' own data, which other sites must not see.
    headers["Referrer-Policy"] = "same-origin"


def _policy(media_type: str, path: str) -> str:
    if not media_type.startswith("text/html"):
        return NON_HTML_POLICY
    return figure_page_policy() if path.startswith(f"{base_path()}/explorables/") else page_policy()


@cache
def page_policy() -> str:
    """Return the content security policy of the app's pages, which only their own site may frame.

    Streamlit Community Cloud shows an app in a frame of a page at the app's own address.
    """
    # Streamlit loads a component's script as a module from a `blob:` URL, and the smallest font of
    # its formulas is in a style sheet.
    scripts = f"'self' blob: {' '.join(_inline_script_hashes())}"
    return _policy_text(scripts, "font-src 'self' data:", "frame-ancestors 'self'")


@cache
def figure_page_policy() -> str:
    """Return the content security policy of a figure's own page, which allows framing anywhere.

    The policy has no `frame-ancestors`, since even `*` would not allow slides in a local file to
    embed the figure.
    """
    return _policy_text("'self'", "font-src 'self'")


def _policy_text(scripts: str, *more: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            # Streamlit and Plotly write rules into the page, and positions into elements.
            "style-src 'self' 'unsafe-inline'",
            # Charts are downloaded as images, which are made from their SVG.
            "img-src 'self' data: blob:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            *more,
        )
    )


def _inline_script_hashes() -> list[str]:
    """Return hashes of the inline scripts in Streamlit's page; no other inline scripts may run."""
    scripts = _SCRIPT.findall(index_html(HOME.slug, "").content.decode())
    digests = (hashlib.sha256(script.encode()).digest() for script in scripts)
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
