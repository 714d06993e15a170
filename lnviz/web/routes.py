"""Routes and middleware of the app besides Streamlit's own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from functools import cache
from typing import Any, NoReturn

from anyio import to_thread
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from lnviz import book
from lnviz.book import glossary
from lnviz.book import search as search_over
from lnviz.book.sitemap import sitemap
from lnviz.book.sources import THIRD_PARTY
from lnviz.errors import RequestError
from lnviz.frontend import static_files
from lnviz.lessons import LESSONS
from lnviz.rooms.hub import RoomHub
from lnviz.web import jobs, present, rooms
from lnviz.web.assets import (
    asset,
    assets_url,
    base_path,
    figure_preview,
    index_html,
    origin,
    preview_image,
    site_url,
)
from lnviz.web.figure_page import figure_page
from lnviz.web.identity import identify_client, page_response
from lnviz.web.not_found import NotFoundRoute
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.responses import NO_STORE, CompressedBody, conditional_response
from lnviz.web.security_headers import SecurityHeadersMiddleware
from lnviz.web.session_limits import SessionLimitMiddleware
from lnviz.web.session_registry import SessionRegistry
from lnviz.web.shutdown import Shutdown, ShutdownMiddleware
from lnviz.web.status import Status
from lnviz.web.streamlit_files import StreamlitFilesMiddleware
from lnviz.web.uploads import upload

NO_FIGURE = "There is no figure with that name."
BACKGROUND = "u=7"
"""Header Priority of prefetches: the lowest urgency of RFC 9218."""


class PayloadEndpoints:
    """Endpoints for figures and pages that need the payload service.

    Args:
        payloads: The payload service.
    """

    def __init__(self, payloads: PayloadService) -> None:
        self._payloads = payloads

    async def payload(self, request: Request) -> Response:
        """`GET /explorables/<lesson>/<name>.json`: return a figure's payload."""
        payload_request = _payload_request(request)
        body = self._payloads.cache.get_from_memory(payload_request)
        if body is None:
            body = await self._compute(payload_request, request)
        return conditional_response(
            request, body, "application/json", _cache_control(payload_request)
        )

    async def progress(self, request: Request) -> Response:
        """`GET /explorables/<lesson>/<name>.progress`: return a computation's progress.

        The response has the fields `ahead`, the number of computations before it in the queue, and
        `done`, the completed fraction (null if unknown). The response is empty if the payload is
        not pending.
        """
        progress = self._payloads.progress(_payload_request(request))
        if progress is None:
            # Not an error status: the payload may just have been finished, and browsers log errors.
            return Response(status_code=204, headers=NO_STORE)
        return JSONResponse(progress, headers=NO_STORE)

    async def _compute(self, payload_request: PayloadRequest, request: Request) -> CompressedBody:
        background = request.headers.get("Priority") == BACKGROUND
        client = identify_client(request)
        body = self._payloads.get(payload_request, client, background=background)
        return await cancel_on_disconnect(request, body)

    async def lesson_page(self, request: Request) -> Response:
        """`GET /` and `/<lesson>`: return Streamlit's HTML page, which then opens the lesson."""
        self._payloads.pause_warm_up()
        address = request.url.path.removeprefix(base_path()).strip("/")
        lesson = next(page for page in book.PAGES if page.url_path == address)
        return page_response(request, index_html(lesson.slug, origin(request)))


async def figure_html(request: Request) -> Response:
    """`GET /explorables/<lesson>/<name>.html`: return a figure as a standalone page."""
    slug, name = request.path_params["lesson"], request.path_params["name"]
    lesson = book.find_page(slug)
    figure = lesson.figure(name) if lesson else None
    if lesson is None or figure is None:
        raise RequestError(NO_FIGURE, 404)
    names = tuple(parameter.name for parameter in figure.parameters)
    page = figure_page(
        lesson.title,
        f"{name}.json",
        names,
        f"../../assets/{static_files.content_hash()}/",
        f"../../{lesson.url_path}",
    )
    return page_response(request, CompressedBody.compress(page.encode()))


async def search_index(request: Request) -> Response:
    """`GET /search.json`: return the search index of the book."""
    body = await to_thread.run_sync(_search_index)
    return conditional_response(request, body, "application/json", "no-cache")


@cache
def _search_index() -> CompressedBody:
    sections = search_over.search_index(
        book.PAGES, lambda address: f"{base_path()}/{address.removeprefix('.')}"
    )
    return CompressedBody.compress(json.dumps(sections).encode())


async def glossary_json(request: Request) -> Response:
    """`GET /glossary.json`: return the glossary of the book."""
    body = await to_thread.run_sync(_glossary)
    return conditional_response(request, body, "application/json", "no-cache")


@cache
def _glossary() -> CompressedBody:
    return CompressedBody.compress(json.dumps(glossary.entries()).encode())


async def third_party(request: Request) -> Response:
    """`GET /THIRD_PARTY.md`: return the licenses of what others have made, as text."""
    body = await to_thread.run_sync(_third_party)
    return conditional_response(request, body, "text/plain; charset=utf-8", "no-cache")


@cache
def _third_party() -> CompressedBody:
    return CompressedBody.compress(THIRD_PARTY.read_bytes())


async def presentation(request: Request) -> Response:
    """`GET /present/<lesson>`: return the presentation of a lesson."""
    return page_response(request, present.lesson_page(request.url.path.rpartition("/")[2]))


async def plan_presentation(request: Request) -> Response:
    """`GET /present/plans/<name>`: return the presentation of a lesson plan."""
    return page_response(request, present.plan_page(request.path_params["name"]))


async def plan_json(request: Request) -> Response:
    """`GET /present/plans/<name>.json`: return the screens of a lesson plan."""
    body = present.plan_body(request.path_params["name"])
    return conditional_response(request, body, "application/json", "no-cache")


async def plan_markdown(request: Request) -> Response:
    """`GET /present/plans/<name>.md`: return a lesson plan as Markdown, with absolute URLs."""
    body = present.plan_markdown(request.path_params["name"], origin(request))
    return conditional_response(request, body, "text/markdown", "no-cache")


async def screen_json(request: Request) -> Response:
    """`GET /present/<lesson>/screens/<name>.json`: return a screen by name or number."""
    try:
        body = present.screen_body(request.path_params["lesson"], request.path_params["name"])
    except LookupError as error:
        raise RequestError(error.args[0], 404) from None
    return conditional_response(request, body, "application/json", "no-cache")


async def redirect_home(request: Request) -> Response:
    """Redirect from the home page's slug to the site's root, keeping the query."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{base_path()}/{query}")


async def robots_txt(request: Request) -> Response:
    """`GET /robots.txt`: let search engines read all pages, and name the list of them."""
    site = site_url(origin(request))
    return PlainTextResponse(f"User-agent: *\nAllow: /\nSitemap: {site}sitemap.xml\n")


async def sitemap_xml(request: Request) -> Response:
    """`GET /sitemap.xml`: return the list of all pages."""
    site = site_url(origin(request))
    content = sitemap(site + page.url_path for page in book.PAGES)
    return Response(content, media_type="application/xml")


async def favicon(_: Request) -> Response:
    """`GET /favicon.ico`: redirect to the icon, for what asks for it without having read a page."""
    return RedirectResponse(f"{assets_url()}page/icon.svg")


async def not_found_json(_: Request) -> NoReturn:
    """Return 404 where Streamlit would return its HTML page."""
    raise RequestError("There is nothing at this address.", 404)


def routes(payloads: PayloadService, sessions: SessionRegistry, hub: RoomHub) -> list[BaseRoute]:
    """Return all routes of the app besides Streamlit's, below `server.baseUrlPath`."""
    endpoints, status = PayloadEndpoints(payloads), Status(payloads, sessions, hub)
    return [
        Route(base_path() + "/explorables/{lesson}/{name}.json", endpoints.payload),
        Route(base_path() + "/explorables/{lesson}/{name}.progress", endpoints.progress),
        Route(base_path() + "/explorables/{lesson}/{name}.html", figure_html),
        Route(base_path() + "/assets/{version}/{name:path}", asset),
        Route(base_path() + "/search.json", search_index),
        Route(base_path() + "/glossary.json", glossary_json),
        Route(f"{base_path()}/{THIRD_PARTY.name}", third_party),
        Route(base_path() + "/previews/{slug}.png", preview_image),
        Route(base_path() + "/previews/{slug}/{figure}.png", figure_preview),
        Route(base_path() + "/robots.txt", robots_txt),
        Route(base_path() + "/sitemap.xml", sitemap_xml),
        Route(base_path() + "/favicon.ico", favicon),
        Route(base_path() + "/uploads", upload, methods=["POST"]),
        Route(base_path() + "/session", sessions.check),
        Route(base_path() + "/status", status.status),
        Route(base_path() + "/metrics", status.metrics),
        *jobs.routes(),
        *rooms.routes(hub, payloads),
        *(
            Route(base_path() + folder + rest, not_found_json)
            for folder in ("/explorables", "/assets", "/jobs", "/rooms")
            for rest in ("", "/{rest:path}")
        ),
        *(Route(f"{base_path()}/{page.url_path}", endpoints.lesson_page) for page in book.PAGES),
        *(Route(f"{base_path()}/present/{lesson.slug}", presentation) for lesson in LESSONS),
        Route(base_path() + "/present/plans/{name}.json", plan_json),
        Route(base_path() + "/present/plans/{name}.md", plan_markdown),
        Route(base_path() + "/present/plans/{name}", plan_presentation),
        Route(base_path() + "/present/{lesson}/screens/{name}.json", screen_json),
        Route(f"{base_path()}/{book.HOME.slug}", redirect_home),
        NotFoundRoute(),
    ]


def middleware(sessions: SessionRegistry, shutdown: Shutdown) -> list[Middleware]:
    """Return the app's middleware, outermost first."""
    return [
        Middleware(SecurityHeadersMiddleware),
        Middleware(ShutdownMiddleware, shutdown=shutdown),
        Middleware(SessionLimitMiddleware, sessions=sessions),
        Middleware(StreamlitFilesMiddleware),
    ]


def _payload_request(request: Request) -> PayloadRequest:
    slug = request.path_params["lesson"]
    figure = book.find_figure(slug, request.path_params["name"])
    if figure is None:
        raise RequestError(NO_FIGURE, 404)
    return PayloadRequest(slug, figure, figure.parse(dict(request.query_params)))


def _cache_control(request: PayloadRequest) -> str:
    """Return a payload's Cache-Control header; shared caches must not store user data."""
    if request.is_private:
        return "private, no-store"
    return "private, max-age=600" if request.has_user_data else "public, max-age=600"


async def cancel_on_disconnect(
    request: Request, coroutine: Coroutine[Any, Any, CompressedBody]
) -> CompressedBody:
    """Await a coroutine, but cancel it if the client disconnects.

    Raises:
        ClientDisconnect: The client has disconnected.
    """
    task = asyncio.ensure_future(coroutine)
    disconnected = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait((task, disconnected), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        disconnected.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
