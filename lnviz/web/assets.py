"""Files that pages load: scripts, styles, the font and Plotly; and the page that loads them."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from html import escape
from pathlib import Path

import streamlit
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from streamlit import config

from lnviz.book import find_page, previews
from lnviz.frontend import static_files
from lnviz.web import font
from lnviz.web.responses import CompressedBody, conditional_response

STREAMLIT_STATIC = Path(streamlit.__file__).parent / "static"
IMMUTABLE = "public, max-age=31536000, immutable"


async def asset(request: Request) -> Response:
    """`GET /assets/<version>/<file>`: kept by browsers for good."""
    name = request.path_params["name"]
    if name not in static_files.file_names() and name != font.FILE_NAME:
        return Response("There is no such asset.", status_code=404, media_type="text/plain")
    body = await to_thread.run_sync(_asset_body, name)
    current = request.path_params["version"] == static_files.content_hash()
    return conditional_response(
        request,
        body,
        static_files.MEDIA_TYPES[Path(name).suffix],
        IMMUTABLE if current else "no-cache",
    )


def base_path() -> str:
    """Return where the app is mounted: empty, or a path without a slash at its end."""
    path = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def origin(request: Request) -> str:
    """Return under which scheme and host the server is found by whoever asks."""
    return f"{request.url.scheme}://{request.url.netloc}"


def assets_url() -> str:
    """Return where the present files are, with a slash at its end."""
    return f"{base_path()}/assets/{static_files.content_hash()}/"


def bundle_url() -> str:
    """Return where all that a page runs is, as one module."""
    return assets_url() + static_files.APP


@cache
def _asset_body(name: str) -> CompressedBody:
    return CompressedBody.compress(
        font.source_sans() if name == font.FILE_NAME else static_files.read_file(name)
    )


PRELOADED_CHUNKS = ("BidiComponent", "PageLink", "StreamlitSyntaxHighlighter")
"""What Streamlit loads once the first of these has come, and shows something else until then."""


async def preview(request: Request) -> Response:
    """`GET /previews/<page>.png`: what is shown of a page where its link is."""
    page = find_page(request.path_params["slug"])
    if page is None:
        return Response("There is no such page.", status_code=404, media_type="text/plain")
    return await _image_response(request, previews.image_or_default(page))


async def figure_preview(request: Request) -> Response:
    """`GET /previews/<page>/<figure>.png`: what is shown of a part while it is closed."""
    page = find_page(request.path_params["slug"])
    file = previews.thumbnails(page).get(request.path_params["figure"]) if page else None
    if file is None:
        return Response("There is no such picture.", status_code=404, media_type="text/plain")
    return await _image_response(request, file)


async def _image_response(request: Request, file: Path) -> Response:
    body = await to_thread.run_sync(_image_body, file)
    return conditional_response(request, body, "image/png", "public, max-age=86400")


@cache
def _image_body(file: Path) -> CompressedBody:
    return CompressedBody.compress(file.read_bytes())


@lru_cache(256)  # whoever asks says under which name the server is found
def index_html(slug: str, origin: str) -> CompressedBody:
    """Return Streamlit's own page, told where its server is and which lesson it opens.

    Args:
        slug: The address of the page that it opens.
        origin: Scheme and host under which the server is found.

    Raises:
        RuntimeError: This version of Streamlit has another page.
    """
    page = find_page(slug)
    assert page is not None
    tags = previews.meta_tags(page, f"{origin}{base_path()}/")
    return CompressedBody.compress(_page_html(slug).replace("</head>", f"{tags}</head>").encode())


THEME_SCRIPT = """{
  const search = new URLSearchParams(location.search);
  const look = search.get("theme");
  if (look === "light" || look === "dark") {
    search.delete("theme");
    search.append("embed_options", `${look}_theme`);
    history.replaceState(history.state, "", `?${search}${location.hash}`);
  }
}"""
"""Says in Streamlit's words, before it reads them, which look an address asks for in the words that
figures on pages of their own know."""


@cache
def _page_html(slug: str) -> str:
    """The page for whoever asks under whatever name: names can be made up, and this takes long.

    Left to itself it looks for the server below the lesson's address first, and logs two errors.
    Its dialog over a lost connection would keep the hand from figures that need no server.
    """
    page = find_page(slug)
    assert page is not None
    html = (STREAMLIT_STATIC / "index.html").read_text(encoding="utf-8")
    preloads = "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{file.name}">'
        for part in PRELOADED_CHUNKS
        for file in (STREAMLIT_STATIC / "static" / "js").glob(f"{part}.*.js")
    )
    style = "".join(
        f'<link rel="stylesheet" href="./assets/{static_files.content_hash()}/page/{name}.css">'
        for name in ("page", "frame")
    )
    app_url = f"./assets/{static_files.content_hash()}/{static_files.APP}"
    run = f'<script type="module" src="{app_url}"></script>'
    server = json.dumps(base_path() + "/")
    script = (
        "<script>window.__streamlit = { BACKEND_BASE_URL: "
        f"new URL({server}, location.origin).href, "
        f"HOST_CONFIG: {{ blockErrorDialogs: true }} }}; {THEME_SCRIPT}</script>"
    )
    title = f"{page.title} - lnviz"
    for there, instead in (
        ('<html lang="en">', '<html lang="en" data-arriving="all">'),
        ("<title>Streamlit</title>", f"<title>{escape(title)}</title>"),
        ("./favicon.png", f"./assets/{static_files.content_hash()}/page/icon.svg"),
        ("</head>", f"{script}{preloads}{style}{run}</head>"),
    ):
        if html.count(there) != 1:
            raise RuntimeError(
                f"Streamlit's index.html must hold {there!r} once, found it {html.count(there)} "
                "times. Install the version that requirements.txt names."
            )
        html = html.replace(there, instead)
    return html
