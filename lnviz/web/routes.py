"""What the app serves beside Streamlit: explorables, assets, and the page that starts it all."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import plotly
import streamlit
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from streamlit import config

from lnviz import lessons
from lnviz.explorable import Gone, ParameterError, html, theme
from lnviz.lessons.inputs import KEPT
from lnviz.web.uploads import upload

ASSETS = files("lnviz.explorable") / "assets"
STREAMLIT_STATIC = Path(streamlit.__file__).parent / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
YEAR = "public, max-age=31536000, immutable"
KEPT_PAYLOADS = 64


@dataclass(frozen=True)
class Body:
    """Bytes ready to be sent, and the name of exactly these bytes."""

    content: bytes
    packed: bytes
    etag: str

    @classmethod
    def of(cls, content: bytes) -> Body:
        """Compressed once, with a name derived from the content."""
        digest = hashlib.sha256(content).hexdigest()[:24]
        return cls(content, gzip.compress(content, 9, mtime=0), f'W/"{digest}"')


def answer(request: Request, body: Body, media_type: str, cache_control: str) -> Response:
    """The body, compressed where the client takes that, or word that its copy is still good."""
    headers = {"ETag": body.etag, "Cache-Control": cache_control, "Vary": "Accept-Encoding"}
    if body.etag in [tag.strip() for tag in request.headers.get("if-none-match", "").split(",")]:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(body.packed, media_type=media_type, headers=headers)
    return Response(body.content, media_type=media_type, headers=headers)


class Payloads:
    """Payloads computed once each, the least recently used forgotten first."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._bodies: OrderedDict[tuple[object, ...], Future[Body]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, lesson: str, figure: lessons.Figure, values: Mapping[str, Any]) -> Body:
        """The payload of a figure at these parameters.

        A class that opens a page at once waits for one computation, not thirty. What a visitor
        has uploaded is computed for that visitor, and displaces nobody else's figures.
        """
        if is_private(values):
            return self._compute(figure, values)
        key = (lesson, figure.name, *sorted(values.items()))
        with self._lock:
            first = key not in self._bodies
            body = self._bodies.setdefault(key, Future())
            self._bodies.move_to_end(key)
            while len(self._bodies) > self._kept:
                self._bodies.popitem(last=False)
        if first:
            try:
                body.set_result(self._compute(figure, values))
            except BaseException as error:
                # Those who wait are told; the next one tries again.
                with self._lock:
                    self._bodies.pop(key, None)
                body.set_exception(error)
        return body.result()

    @staticmethod
    def _compute(figure: lessons.Figure, values: Mapping[str, Any]) -> Body:
        document = json.dumps(figure.payload(values), separators=(",", ":"))
        return Body.of(document.encode())


def is_private(values: Mapping[str, Any]) -> bool:
    """Whether a parameter names what a visitor has uploaded."""
    return any(isinstance(value, str) and value.startswith(KEPT) for value in values.values())


PAYLOADS = Payloads(KEPT_PAYLOADS)


async def payload(request: Request) -> Response:
    """`GET /explorables/<lesson>/<name>.json`: the document of a figure."""
    figure = _figure(request)
    if figure is None:
        return JSONResponse({"detail": "There is no figure of that name."}, status_code=404)
    try:
        values = figure.parse(dict(request.query_params))
        lesson = request.path_params["lesson"]
        body = await to_thread.run_sync(PAYLOADS.get, lesson, figure, values, limiter=_computing())
    except ParameterError as error:
        gone = isinstance(error, Gone)
        answered = {"detail": str(error), "nearest": error.nearest}
        return JSONResponse(answered, status_code=410 if gone else 422)
    keep = "private, no-store" if is_private(values) else "public, max-age=600"
    return answer(request, body, "application/json", keep)


@cache
def _computing() -> CapacityLimiter:
    """Threads for payloads, apart from those that serve files: waiting for one delays no script."""
    return CapacityLimiter(32)


async def standalone(request: Request) -> Response:
    """`GET /explorables/<lesson>/<name>.html`: the same figure as a page of its own."""
    figure = _figure(request)
    if figure is None:
        return Response(
            "There is no figure of that name.", status_code=404, media_type="text/plain"
        )
    lesson = lessons.find(request.path_params["lesson"])
    title = lesson.title if lesson else figure.name
    names = tuple(parameter.name for parameter in figure.parameters)
    slug = request.path_params["lesson"]
    page = html.page(
        title, f"{figure.name}.json", names, f"../../assets/{version()}/", f"../../{slug}"
    )
    return answer(request, Body.of(page.encode()), "text/html", "no-cache")


async def asset(request: Request) -> Response:
    """`GET /assets/<version>/<file>`: script, style, font and Plotly, kept by browsers for good."""
    name = request.path_params["name"]
    if name not in _asset_names():
        return Response("There is no such asset.", status_code=404, media_type="text/plain")
    body = await to_thread.run_sync(_asset, name)
    current = request.path_params["version"] == version()
    return answer(request, body, TYPES[Path(name).suffix], YEAR if current else "no-cache")


async def home(_: Request) -> Response:
    """The bare address leads to the first lesson."""
    return RedirectResponse(f"{base()}/{lessons.LESSONS[0].slug}")


async def index(request: Request) -> Response:
    """Streamlit's own page, told where its server is and which lesson it opens.

    Left to itself it looks for the server below the lesson's address first, and logs two errors.
    Its dialog over a lost connection would keep the hand from figures that need no server.
    """
    lesson = lessons.find(request.url.path.rstrip("/").rpartition("/")[2])
    title = f"{lesson.title} - lnviz" if lesson else "lnviz"
    return answer(request, Body.of(_index(title).encode()), "text/html", "no-cache")


def routes() -> list[BaseRoute]:
    """All routes, below `server.baseUrlPath`."""
    return [
        Route(base() + "/explorables/{lesson}/{name}.json", payload),
        Route(base() + "/explorables/{lesson}/{name}.html", standalone),
        Route(base() + "/assets/{version}/{name}", asset),
        Route(base() + "/uploads", upload, methods=["POST"]),
        *(Route(f"{base()}/{lesson.slug}", index) for lesson in lessons.LESSONS),
        Route(base() + "/", home),
    ]


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
def _index(title: str) -> str:
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
    page = page.replace("<title>Streamlit</title>", f"<title>{escape(title)}</title>")
    page = page.replace("./favicon.png", f"./assets/{version()}/icon.svg")
    return page.replace("</head>", f"{script}{preloads}{style}</head>")


def _figure(request: Request) -> lessons.Figure | None:
    lesson = lessons.find(request.path_params["lesson"])
    return lesson.figure(request.path_params["name"]) if lesson else None
