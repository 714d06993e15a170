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
from lnviz.database.connection import StoreError
from lnviz.explorable import ExpiredDataError, ParameterError
from lnviz.frontend import served
from lnviz.lessons import LESSONS
from lnviz.rooms.hub import Live
from lnviz.web import jobs, rooms
from lnviz.web.assets import asset, base, index, origin, preview, small_preview
from lnviz.web.figure_page import figure_page
from lnviz.web.identity import identify_client, page_response
from lnviz.web.not_found import Nowhere
from lnviz.web.payload_request import Wanted
from lnviz.web.payload_service import Busy, Payloads
from lnviz.web.present import plan_document, plan_markdown, presented, presented_plan
from lnviz.web.present import screen as one_screen
from lnviz.web.responses import NO_STORE, Body, answer
from lnviz.web.security_headers import SecurityHeadersMiddleware
from lnviz.web.session_limits import SessionLimitMiddleware, SessionRegistry
from lnviz.web.status import Status
from lnviz.web.uploads import upload

NO_FIGURE = "There is no figure of that name."
BACKGROUND = "u=7"
"""The lowest urgency of RFC 9218: of what a page asks for by itself."""


class _NoFigure(Exception):
    """The address names no figure."""


class Routes:
    """The answers that depend on what has been computed.

    Args:
        payloads: Where figures are computed and kept.
    """

    def __init__(self, payloads: Payloads) -> None:
        self._payloads = payloads

    async def payload(self, request: Request) -> Response:
        """`GET /explorables/<lesson>/<name>.json`: the document of a figure, when it is ready."""
        try:
            wanted = _wanted(request)
            body = self._payloads.shelf.ready(wanted)
            if body is None:
                body = await self._given(wanted, request)
        except (_NoFigure, ParameterError) as error:
            return _refusal(error)
        except Busy as busy:
            retry = NO_STORE | {"Retry-After": str(busy.seconds)}
            return JSONResponse({"detail": str(busy)}, status_code=503, headers=retry)
        except StoreError as error:
            retry = NO_STORE | {"Retry-After": "5"}
            return JSONResponse({"detail": str(error)}, status_code=503, headers=retry)
        except ClientDisconnect:
            return Response(status_code=499)  # to nobody
        return answer(request, body, "application/json", _keep(wanted))

    async def progress(self, request: Request) -> Response:
        """`GET /explorables/<lesson>/<name>.progress`: how far a payload is, at once.

        The answer holds `ahead`, how many wait before it, and `done`, which share of it is
        computed, from 0 to 1, or null while that is not known. It is empty where nothing is
        computed.
        """
        try:
            progress = self._payloads.progress(_wanted(request))
        except (_NoFigure, ParameterError) as error:
            return _refusal(error)
        if progress is None:
            # It has come meanwhile, which is no error: browsers would report one.
            return Response(status_code=204, headers=NO_STORE)
        return JSONResponse(progress, headers=NO_STORE)

    async def _given(self, wanted: Wanted, request: Request) -> Body:
        background = request.headers.get("Priority") == BACKGROUND
        coming = self._payloads.get(wanted, identify_client(request), background=background)
        return await _while_there(request, coming)

    async def page(self, request: Request) -> Response:
        """`GET /<lesson>`, and the bare address: Streamlit's own page, which opens the lesson."""
        self._payloads.give_way()
        address = request.url.path.removeprefix(base()).strip("/")
        shown = next(page for page in book.PAGES if page.address == address)
        return page_response(request, index(shown.slug, origin(request)))


async def standalone(request: Request) -> Response:
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
        f"../../assets/{served.version()}/",
        f"../../{lesson.address}",
    )
    return page_response(request, Body.of(page.encode()))


async def search(request: Request) -> Response:
    """`GET /search.json`: what a search over the book looks in."""
    body = await to_thread.run_sync(_sections)
    return answer(request, body, "application/json", "no-cache")


@cache
def _sections() -> Body:
    sections = search_over.search_index(
        book.PAGES, lambda there: f"{base()}/{there.removeprefix('.')}"
    )
    return Body.of(json.dumps(sections).encode())


async def words(request: Request) -> Response:
    """`GET /glossary.json`: what words mean."""
    body = await to_thread.run_sync(_words)
    return answer(request, body, "application/json", "no-cache")


@cache
def _words() -> Body:
    return Body.of(json.dumps(glossary.entries()).encode())


async def presentation(request: Request) -> Response:
    """`GET /present/<lesson>`: one screen of the lesson at a time."""
    return page_response(request, presented(request.url.path.rpartition("/")[2]))


async def plan(request: Request) -> Response:
    """`GET /present/plans/<name>`: what a lesson plan shows, one screen at a time."""
    page = presented_plan(request.path_params["name"])
    return page_response(request, page) if page else _no_plan()


async def plan_data(request: Request) -> Response:
    """`GET /present/plans/<name>.json`: which screens a lesson plan shows."""
    body = plan_document(request.path_params["name"])
    return answer(request, body, "application/json", "no-cache") if body else _no_plan()


async def plan_text(request: Request) -> Response:
    """`GET /present/plans/<name>.md`: a lesson plan as Markdown, its addresses in full."""
    body = plan_markdown(request.path_params["name"], origin(request))
    return answer(request, body, "text/markdown", "no-cache") if body else _no_plan()


def _no_plan() -> Response:
    told = "There is no lesson plan of that name. The page for teachers lists them all."
    return JSONResponse({"detail": told}, status_code=404)


async def screen(request: Request) -> Response:
    """`GET /present/<lesson>/screens/<name>.json`: one screen, by its name or its number."""
    try:
        body = one_screen(request.path_params["lesson"], request.path_params["name"])
    except LookupError as error:
        return JSONResponse({"detail": error.args[0]}, status_code=404)
    return answer(request, body, "application/json", "no-cache")


async def home(request: Request) -> Response:
    """Lead from the home page's own name to the bare address, with what it was asked."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{base()}/{query}")


async def nothing(_: Request) -> Response:
    """Answer what is not there: Streamlit would answer with its page."""
    return JSONResponse({"detail": "There is nothing at this address."}, status_code=404)


def routes(payloads: Payloads, visits: SessionRegistry, live: Live) -> list[BaseRoute]:
    """Return all routes, below `server.baseUrlPath`."""
    own, status = Routes(payloads), Status(payloads, visits, live)
    return [
        Route(base() + "/explorables/{lesson}/{name}.json", own.payload),
        Route(base() + "/explorables/{lesson}/{name}.progress", own.progress),
        Route(base() + "/explorables/{lesson}/{name}.html", standalone),
        Route(base() + "/assets/{version}/{name:path}", asset),
        Route(base() + "/search.json", search),
        Route(base() + "/glossary.json", words),
        Route(base() + "/previews/{slug}.png", preview),
        Route(base() + "/previews/{slug}/{figure}.png", small_preview),
        Route(base() + "/uploads", upload, methods=["POST"]),
        Route(base() + "/session", visits.session),
        Route(base() + "/status", status.status),
        Route(base() + "/metrics", status.metrics),
        *jobs.routes(),
        *rooms.routes(live, payloads),
        *(
            Route(base() + folder + rest, nothing)
            for folder in ("/explorables", "/assets", "/jobs", "/rooms")
            for rest in ("", "/{rest:path}")
        ),
        *(Route(f"{base()}/{page.address}", own.page) for page in book.PAGES),
        *(Route(f"{base()}/present/{lesson.slug}", presentation) for lesson in LESSONS),
        Route(base() + "/present/plans/{name}.json", plan_data),
        Route(base() + "/present/plans/{name}.md", plan_text),
        Route(base() + "/present/plans/{name}", plan),
        Route(base() + "/present/{lesson}/screens/{name}.json", screen),
        Route(f"{base()}/{book.HOME.slug}", home),
        Nowhere(),
    ]


def middleware(visits: SessionRegistry) -> list[Middleware]:
    """Return what every request and every answer passes through."""
    return [
        Middleware(SecurityHeadersMiddleware),
        Middleware(SessionLimitMiddleware, visits=visits),
    ]


def _wanted(request: Request) -> Wanted:
    slug = request.path_params["lesson"]
    figure = book.find_figure(slug, request.path_params["name"])
    if figure is None:
        raise _NoFigure(NO_FIGURE)
    return Wanted(slug, figure, figure.parse(dict(request.query_params)))


def _keep(wanted: Wanted) -> str:
    """Who may keep a payload: an address that holds a visitor's own numbers is for a browser."""
    if wanted.is_private:
        return "private, no-store"
    return "private, max-age=600" if wanted.is_own else "public, max-age=600"


def _refusal(error: _NoFigure | ParameterError) -> Response:
    if isinstance(error, _NoFigure):
        return JSONResponse({"detail": str(error)}, status_code=404)
    answered = {"detail": str(error), "nearest": error.nearest}
    return JSONResponse(answered, status_code=410 if isinstance(error, ExpiredDataError) else 422)


async def _while_there(request: Request, work: Coroutine[Any, Any, Body]) -> Body:
    """What the work gives; it is given up when the one who asked has left."""
    task = asyncio.ensure_future(work)
    left = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((task, left), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        left.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
