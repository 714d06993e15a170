"""What the app serves beside Streamlit: explorables, assets, and the page that starts it all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from functools import cache
from typing import Any

from anyio import to_thread
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from lnviz import book
from lnviz.book import glossary
from lnviz.book import search as search_over
from lnviz.database.errors import StoreError
from lnviz.explorable import ExpiredDataError, ParameterError
from lnviz.frontend import static_files
from lnviz.lessons import LESSONS
from lnviz.rooms.hub import RoomHub
from lnviz.web import jobs, rooms
from lnviz.web.assets import asset, base_path, figure_preview, index_html, origin, preview
from lnviz.web.figure_page import figure_page
from lnviz.web.identity import identify_client, page_response
from lnviz.web.not_found import NotFoundRoute
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_scheduler import Overloaded
from lnviz.web.payload_service import PayloadService
from lnviz.web.present import lesson_page, plan_json, plan_markdown, plan_page
from lnviz.web.present import screen_json as one_screen
from lnviz.web.responses import NO_STORE, CompressedBody, conditional_response
from lnviz.web.security_headers import SecurityHeadersMiddleware
from lnviz.web.session_limits import SessionLimitMiddleware
from lnviz.web.session_registry import SessionRegistry
from lnviz.web.shutdown import Shutdown, ShutdownMiddleware
from lnviz.web.status import Status
from lnviz.web.uploads import upload

NO_FIGURE = "There is no figure of that name."
BACKGROUND = "u=7"
"""The lowest urgency of RFC 9218: of what a page asks for by itself."""


class _NoFigure(Exception):
    """The address names no figure."""


class PayloadEndpoints:
    """The answers that depend on what has been computed.

    Args:
        payloads: Where figures are computed and kept.
    """

    def __init__(self, payloads: PayloadService) -> None:
        self._payloads = payloads

    async def payload(self, request: Request) -> Response:
        """`GET /explorables/<lesson>/<name>.json`: the document of a figure, when it is ready."""
        try:
            wanted = _payload_request(request)
            body = self._payloads.cache.get_from_memory(wanted)
            if body is None:
                body = await self._compute(wanted, request)
        except (_NoFigure, ParameterError) as error:
            return _refusal(error)
        except Overloaded as busy:
            retry = NO_STORE | {"Retry-After": str(busy.retry_after)}
            return JSONResponse({"detail": str(busy)}, status_code=503, headers=retry)
        except StoreError as error:
            retry = NO_STORE | {"Retry-After": "5"}
            return JSONResponse({"detail": str(error)}, status_code=503, headers=retry)
        except ClientDisconnect:
            return Response(status_code=499)  # to nobody
        return conditional_response(request, body, "application/json", _cache_control(wanted))

    async def progress(self, request: Request) -> Response:
        """`GET /explorables/<lesson>/<name>.progress`: how far a payload is, at once.

        The answer holds `ahead`, how many wait before it, and `done`, which share of it is
        computed, from 0 to 1, or null while that is not known. It is empty where nothing is
        computed.
        """
        try:
            progress = self._payloads.progress(_payload_request(request))
        except (_NoFigure, ParameterError) as error:
            return _refusal(error)
        if progress is None:
            # It has come meanwhile, which is no error: browsers would report one.
            return Response(status_code=204, headers=NO_STORE)
        return JSONResponse(progress, headers=NO_STORE)

    async def _compute(self, wanted: PayloadRequest, request: Request) -> CompressedBody:
        background = request.headers.get("Priority") == BACKGROUND
        coming = self._payloads.get(wanted, identify_client(request), background=background)
        return await cancel_on_disconnect(request, coming)

    async def lesson_page(self, request: Request) -> Response:
        """`GET /<lesson>`, and the bare address: Streamlit's own page, which opens the lesson."""
        self._payloads.pause_warm_up()
        address = request.url.path.removeprefix(base_path()).strip("/")
        shown = next(page for page in book.PAGES if page.url_path == address)
        return page_response(request, index_html(shown.slug, origin(request)))


async def figure_html(request: Request) -> Response:
    """`GET /explorables/<lesson>/<name>.html`: the same figure as a page of its own."""
    slug, name = request.path_params["lesson"], request.path_params["name"]
    lesson = book.find_page(slug)
    figure = lesson.figure(name) if lesson else None
    if lesson is None or figure is None:
        return Response(NO_FIGURE, status_code=404, media_type="text/plain")
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
    """`GET /search.json`: what a search over the book looks in."""
    body = await to_thread.run_sync(_search_index)
    return conditional_response(request, body, "application/json", "no-cache")


@cache
def _search_index() -> CompressedBody:
    sections = search_over.search_index(
        book.PAGES, lambda there: f"{base_path()}/{there.removeprefix('.')}"
    )
    return CompressedBody.compress(json.dumps(sections).encode())


async def glossary_json(request: Request) -> Response:
    """`GET /glossary.json`: what words mean."""
    body = await to_thread.run_sync(_glossary)
    return conditional_response(request, body, "application/json", "no-cache")


@cache
def _glossary() -> CompressedBody:
    return CompressedBody.compress(json.dumps(glossary.entries()).encode())


async def presentation(request: Request) -> Response:
    """`GET /present/<lesson>`: one screen of the lesson at a time."""
    return page_response(request, lesson_page(request.url.path.rpartition("/")[2]))


async def plan(request: Request) -> Response:
    """`GET /present/plans/<name>`: what a lesson plan shows, one screen at a time."""
    page = plan_page(request.path_params["name"])
    return page_response(request, page) if page else _no_plan()


async def plan_data(request: Request) -> Response:
    """`GET /present/plans/<name>.json`: which screens a lesson plan shows."""
    body = plan_json(request.path_params["name"])
    return (
        conditional_response(request, body, "application/json", "no-cache") if body else _no_plan()
    )


async def plan_text(request: Request) -> Response:
    """`GET /present/plans/<name>.md`: a lesson plan as Markdown, its addresses in full."""
    body = plan_markdown(request.path_params["name"], origin(request))
    return conditional_response(request, body, "text/markdown", "no-cache") if body else _no_plan()


def _no_plan() -> Response:
    told = "There is no lesson plan of that name. The page for teachers lists them all."
    return JSONResponse({"detail": told}, status_code=404)


async def screen(request: Request) -> Response:
    """`GET /present/<lesson>/screens/<name>.json`: one screen, by its name or its number."""
    try:
        body = one_screen(request.path_params["lesson"], request.path_params["name"])
    except LookupError as error:
        return JSONResponse({"detail": error.args[0]}, status_code=404)
    return conditional_response(request, body, "application/json", "no-cache")


async def redirect_home(request: Request) -> Response:
    """Lead from the home page's own name to the bare address, with what it was asked."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{base_path()}/{query}")


async def not_found_json(_: Request) -> Response:
    """Answer what is not there: Streamlit would answer with its page."""
    return JSONResponse({"detail": "There is nothing at this address."}, status_code=404)


def routes(payloads: PayloadService, sessions: SessionRegistry, live: RoomHub) -> list[BaseRoute]:
    """Return all routes, below `server.baseUrlPath`."""
    own, status = PayloadEndpoints(payloads), Status(payloads, sessions, live)
    return [
        Route(base_path() + "/explorables/{lesson}/{name}.json", own.payload),
        Route(base_path() + "/explorables/{lesson}/{name}.progress", own.progress),
        Route(base_path() + "/explorables/{lesson}/{name}.html", figure_html),
        Route(base_path() + "/assets/{version}/{name:path}", asset),
        Route(base_path() + "/search.json", search_index),
        Route(base_path() + "/glossary.json", glossary_json),
        Route(base_path() + "/previews/{slug}.png", preview),
        Route(base_path() + "/previews/{slug}/{figure}.png", figure_preview),
        Route(base_path() + "/uploads", upload, methods=["POST"]),
        Route(base_path() + "/session", sessions.check),
        Route(base_path() + "/status", status.status),
        Route(base_path() + "/metrics", status.metrics),
        *jobs.routes(),
        *rooms.routes(live, payloads),
        *(
            Route(base_path() + folder + rest, not_found_json)
            for folder in ("/explorables", "/assets", "/jobs", "/rooms")
            for rest in ("", "/{rest:path}")
        ),
        *(Route(f"{base_path()}/{page.url_path}", own.lesson_page) for page in book.PAGES),
        *(Route(f"{base_path()}/present/{lesson.slug}", presentation) for lesson in LESSONS),
        Route(base_path() + "/present/plans/{name}.json", plan_data),
        Route(base_path() + "/present/plans/{name}.md", plan_text),
        Route(base_path() + "/present/plans/{name}", plan),
        Route(base_path() + "/present/{lesson}/screens/{name}.json", screen),
        Route(f"{base_path()}/{book.HOME.slug}", redirect_home),
        NotFoundRoute(),
    ]


def middleware(sessions: SessionRegistry, shutdown: Shutdown) -> list[Middleware]:
    """Return what every request and every answer passes through."""
    return [
        Middleware(SecurityHeadersMiddleware),
        Middleware(ShutdownMiddleware, shutdown=shutdown),
        Middleware(SessionLimitMiddleware, sessions=sessions),
    ]


def _payload_request(request: Request) -> PayloadRequest:
    slug = request.path_params["lesson"]
    figure = book.find_figure(slug, request.path_params["name"])
    if figure is None:
        raise _NoFigure(NO_FIGURE)
    return PayloadRequest(slug, figure, figure.parse(dict(request.query_params)))


def _cache_control(wanted: PayloadRequest) -> str:
    """Who may keep a payload: an address that holds a visitor's own numbers is for a browser."""
    if wanted.is_private:
        return "private, no-store"
    return "private, max-age=600" if wanted.has_user_data else "public, max-age=600"


def _refusal(error: _NoFigure | ParameterError) -> Response:
    if isinstance(error, _NoFigure):
        return JSONResponse({"detail": str(error)}, status_code=404)
    answered = {"detail": str(error), "nearest": error.nearest}
    return JSONResponse(answered, status_code=410 if isinstance(error, ExpiredDataError) else 422)


async def cancel_on_disconnect(
    request: Request, work: Coroutine[Any, Any, CompressedBody]
) -> CompressedBody:
    """What the work gives; it is given up when the one who asked has left."""
    task = asyncio.ensure_future(work)
    left = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait((task, left), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        left.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
