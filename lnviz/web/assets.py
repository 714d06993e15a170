"""Endpoints for static assets and preview images, and the HTML page that loads the app."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from html import escape
from pathlib import Path

import streamlit
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from streamlit import config

from lnviz.book import find_page, previews
from lnviz.errors import RequestError
from lnviz.explorable.explorable import public_url
from lnviz.frontend import static_files
from lnviz.lessons import LESSONS, Details, Lesson
from lnviz.web import font
from lnviz.web.responses import CompressedBody, conditional_response

STREAMLIT_STATIC = Path(streamlit.__file__).parent / "static"
IMMUTABLE = "public, max-age=31536000, immutable"


async def asset(request: Request) -> Response:
    """`GET /assets/<version>/<file>`: return a static file, which browsers cache permanently."""
    name = request.path_params["name"]
    if name not in static_files.file_names() and name != font.FILE_NAME:
        raise RequestError("There is no such file.", 404)
    body = await to_thread.run_sync(_asset_body, name)
    current = request.path_params["version"] == static_files.content_hash()
    return conditional_response(
        request,
        body,
        static_files.MEDIA_TYPES[Path(name).suffix],
        IMMUTABLE if current else "no-cache",
    )


def base_path() -> str:
    """Return the app's path prefix without a trailing slash; empty at the root."""
    path = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def origin(request: Request) -> str:
    """Return scheme and host of this server, as the client requested it."""
    return f"{request.url.scheme}://{request.url.netloc}"


def site_url(origin: str) -> str:
    """Return the app's URL with a trailing slash: the one that is set, or else as requested."""
    return f"{public_url() or origin + base_path()}/"


def assets_url() -> str:
    """Return the URL path of the current version of the static assets, with a trailing slash."""
    return f"{base_path()}/assets/{static_files.content_hash()}/"


def bundle_url() -> str:
    """Return the URL path of the JavaScript bundle for the app's pages."""
    return assets_url() + static_files.APP


@lru_cache(1024)
def _asset_body(name: str) -> CompressedBody:
    return CompressedBody.compress(
        font.source_sans() if name == font.FILE_NAME else static_files.read_file(name)
    )


PRELOADED_CHUNKS = ("BidiComponent", "PageLink")
"""Chunks of Streamlit's JavaScript to preload, since it shows placeholders until they load."""

CODE_CHUNK = "StreamlitSyntaxHighlighter"
"""The chunk for code, half of Streamlit's JavaScript: preloaded on pages that show code."""


async def preview_image(request: Request) -> Response:
    """`GET /previews/<page>.png`: return the preview image of a page."""
    page = find_page(request.path_params["slug"])
    if page is None:
        raise RequestError("There is no such page.", 404)
    return await _image_response(request, previews.image_or_default(page))


async def figure_preview(request: Request) -> Response:
    """`GET /previews/<page>/<figure>.png`: return the thumbnail of an optional section."""
    page = find_page(request.path_params["slug"])
    file = previews.thumbnails(page).get(request.path_params["figure"]) if page else None
    if file is None:
        raise RequestError("There is no such picture.", 404)
    return await _image_response(request, file)


async def _image_response(request: Request, file: Path) -> Response:
    body = await to_thread.run_sync(_image_body, file)
    return conditional_response(request, body, "image/png", "public, max-age=86400")


@lru_cache(1024)
def _image_body(file: Path) -> CompressedBody:
    return CompressedBody.compress(file.read_bytes())


@lru_cache(256)  # clients choose the origin: the Host header
def index_html(slug: str, origin: str) -> CompressedBody:
    """Return Streamlit's HTML page, adapted to open a page of the book.

    Args:
        slug: Slug of the page to open.
        origin: Scheme and host of the server, for the URLs of previews.

    Raises:
        RuntimeError: This version of Streamlit has a different HTML page.
    """
    page = find_page(slug)
    assert page is not None
    tags = previews.meta_tags(page, site_url(origin))
    if public_url():
        tags += f'<link rel="canonical" href="{escape(site_url(origin) + page.url_path)}">'
    return CompressedBody.compress(_page_html(slug).replace("</head>", f"{tags}</head>").encode())


_NOSCRIPT = re.compile("<noscript>.*?</noscript>", re.DOTALL)

THEME_SCRIPT = """{
  const search = new URLSearchParams(location.search);
  const look = search.get("theme");
  if (look === "light" || look === "dark") {
    search.delete("theme");
    search.append("embed_options", `${look}_theme`);
    history.replaceState(history.state, "", `?${search}${location.hash}`);
  }
}"""
"""Translates the query parameter `theme`, as standalone figures know it, to Streamlit's
`embed_options` before Streamlit reads the URL."""


@lru_cache(256)
def _page_html(slug: str) -> str:
    """Return the cacheable part of `index_html`, which does not depend on the server's origin.

    `BACKEND_BASE_URL` is set because Streamlit would otherwise first look for its server below the
    lesson's URL, and log two errors. Streamlit's dialog for a lost connection is disabled, since it
    would cover figures that need no connection.
    """
    page = find_page(slug)
    assert page is not None
    html = (STREAMLIT_STATIC / "index.html").read_text(encoding="utf-8")
    html, blocks = _NOSCRIPT.subn(lambda _: _without_scripts(page), html)
    if blocks != 1:
        raise RuntimeError(f"Streamlit's index.html must contain <noscript> once, found {blocks}.")
    preloads = "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{file.name}">'
        for part in (*PRELOADED_CHUNKS, *[CODE_CHUNK] * _shows_code(page))
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
    for old, new in (
        ('<html lang="en">', '<html lang="en" data-arriving="all">'),
        ("<title>Streamlit</title>", f"<title>{escape(title)}</title>"),
        ("./favicon.png", f"./assets/{static_files.content_hash()}/page/icon.svg"),
        ("</head>", f"{script}{preloads}{style}{run}</head>"),
    ):
        if html.count(old) != 1:
            raise RuntimeError(
                f"Streamlit's index.html must contain {old!r} once, found it {html.count(old)} "
                "times. Install the version that requirements.txt names."
            )
        html = html.replace(old, new)
    return html


def _shows_code(page: Lesson) -> bool:
    texts = (part.text if isinstance(part, Details) else part for part in page.parts)
    return any(isinstance(text, str) and "```" in text for text in texts)


def _without_scripts(page: Lesson) -> str:
    """Return what readers see whose browser runs no scripts: where the texts are without them."""
    texts = [page] if page in LESSONS else LESSONS
    links = "".join(
        f'<li><a href="./present/{each.slug}">{escape(each.title)}</a></li>' for each in texts
    )
    return (
        "<noscript><p>This page needs JavaScript. Without it, you can read the text "
        f"of {'the lesson' if page in LESSONS else 'each lesson'}:</p><ul>{links}</ul></noscript>"
    )
