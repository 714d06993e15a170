"""Files that pages load: scripts, styles, the font and Plotly; and the page that loads them."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path

import plotly
import streamlit
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from streamlit import config

from lnviz.explorable import theme
from lnviz.web.answers import Body, answer

ASSETS = files("lnviz.explorable") / "assets"
STREAMLIT_STATIC = Path(streamlit.__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
YEAR = "public, max-age=31536000, immutable"


async def asset(request: Request) -> Response:
    """`GET /assets/<version>/<file>`: kept by browsers for good."""
    name = request.path_params["name"]
    if name not in _asset_names():
        return Response("There is no such asset.", status_code=404, media_type="text/plain")
    body = await to_thread.run_sync(_asset, name)
    current = request.path_params["version"] == version()
    return answer(request, body, TYPES[Path(name).suffix], YEAR if current else "no-cache")


def base() -> str:
    """Where the app is mounted: empty, or a path without a slash at its end."""
    path = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


@cache
def version() -> str:
    """A name for the present assets; it changes when one of them does."""
    digest = hashlib.sha256(theme.css().encode() + plotly.__version__.encode())
    for file in sorted(ASSETS.iterdir(), key=lambda file: file.name):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _asset_names() -> frozenset[str]:
    own = (file.name for file in ASSETS.iterdir() if Path(file.name).suffix in TYPES)
    return frozenset((*own, "theme.css", "plotly.min.js", "source-sans.woff2"))


@cache
def _asset(name: str) -> Body:
    if name == "theme.css":
        return Body.of(theme.css().encode())
    if name == "plotly.min.js":
        return Body.of((files("plotly") / "package_data" / name).read_bytes())
    if name == "source-sans.woff2":
        # Streamlit ships the font that its own pages use; the standalone page uses the same.
        fonts = STREAMLIT_STATIC.glob("static/media/SourceSansVF-Upright*.woff2")
        return Body.of(next(fonts).read_bytes())
    return Body.of((ASSETS / name).read_bytes())


@cache
def index(title: str) -> Body:
    """Streamlit's own page, told where its server is and which lesson it opens.

    Left to itself it looks for the server below the lesson's address first, and logs two errors.
    Its dialog over a lost connection would keep the hand from figures that need no server.

    Raises:
        RuntimeError: This version of Streamlit has another page.
    """
    page = (STREAMLIT_STATIC / "index.html").read_text(encoding="utf-8")
    modules = sorted(file.name for file in ASSETS.iterdir() if file.name.endswith(".js"))
    preloads = "".join(
        f'<link rel="modulepreload" href="./assets/{version()}/{name}">'
        for name in modules
        if name != "standalone.js"
    )
    style = f'<link rel="stylesheet" href="./assets/{version()}/explorable.css">'
    server = json.dumps(base() + "/")
    script = (
        "<script>window.__streamlit = { BACKEND_BASE_URL: "
        f"new URL({server}, location.origin).href, "
        "HOST_CONFIG: { blockErrorDialogs: true } };</script>"
    )
    for there, instead in (
        ("<title>Streamlit</title>", f"<title>{escape(title)}</title>"),
        ("./favicon.png", f"./assets/{version()}/icon.svg"),
        ("</head>", f"{script}{preloads}{style}</head>"),
    ):
        if page.count(there) != 1:
            raise RuntimeError(
                f"Streamlit's index.html must hold {there!r} once, found it {page.count(there)} "
                "times. Install the version that requirements.txt names."
            )
        page = page.replace(there, instead)
    return Body.of(page.encode())
