"""Caches of the server: none grows with what clients make up."""

import ast
import asyncio
import gc
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

import lnviz.web
from lnviz.database import session
from lnviz.database.connection import Database
from lnviz.rooms.hub import RoomHub
from lnviz.rooms.store import RoomStore
from lnviz.web import routes
from lnviz.web.errors import EXCEPTION_HANDLERS
from lnviz.web.payload_service import PayloadService
from lnviz.web.session_registry import SessionRegistry
from lnviz.web.shutdown import Shutdown

FILES = sorted(Path(lnviz.web.__file__).parent.rglob("*.py"))
NAME_LETTERS = 50_000
REQUESTS = 30
ALLOWED = NAME_LETTERS * REQUESTS // 2  # a cache of names keeps twice as much, or more


def is_unbounded(decorator: ast.expr) -> bool:
    """Whether a decorator is `functools.cache`, or `lru_cache` without a bound."""
    text = ast.unparse(decorator)
    return text.rpartition(".")[2] == "cache" or "lru_cache(None" in text or "maxsize=None" in text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_has_parameters_is_cached_within_bounds(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            node.args.args or node.args.kwonlyargs or node.args.posonlyargs
        ):
            unbounded = [d for d in node.decorator_list if is_unbounded(d)]
            assert not unbounded, f"{file.name}: bound the cache of {node.name} with lru_cache(n)"


@pytest.mark.parametrize(
    ("source", "unbounded"),
    [
        ("cache", True),
        ("functools.cache", True),
        ("lru_cache(None)", True),
        ("lru_cache(maxsize=None)", True),
        ("lru_cache(64)", False),
        ("lru_cache", False),
        ("cached_property", False),
    ],
)
def test_an_unbounded_cache_is_recognized(source: str, unbounded: bool) -> None:
    assert is_unbounded(ast.parse(source, mode="eval").body) is unbounded


@pytest.fixture
def app(tmp_path: Path) -> Iterator[tuple[Starlette, RoomHub]]:
    live = RoomHub(lambda: RoomStore(f"sqlite:///{tmp_path / 'rooms.sqlite'}"))
    database = Database(f"sqlite:///{tmp_path / 'trainings.sqlite'}")
    sessions = SessionRegistry()
    app = Starlette(
        routes=routes.routes(PayloadService(cores=1), sessions, live),
        middleware=routes.middleware(sessions, Shutdown()),
        exception_handlers=EXCEPTION_HANDLERS,
    )
    with patch.object(session, "_database", lambda: database):
        yield app, live
    database.close()


def path_of(route: Route, name: str) -> str:
    """A route's path with a made-up name for each parameter, or a number where it takes these."""
    made_up = {
        key: name if type(converter).__name__ in ("StringConvertor", "PathConvertor") else "482913"
        for key, converter in route.param_convertors.items()
    }
    path = route.path_format
    for key, value in made_up.items():
        path = path.replace(f"{{{key}}}", value)
    return path


async def get(app: Starlette, path: str, query: str = "") -> int:
    """The status of the response to a GET request, without a socket."""
    status = 0

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    async def receive() -> Any:
        await asyncio.Event().wait()

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": quote(path).encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": query.encode(),
        "headers": [(b"host", b"here")],
        "client": ("127.0.0.1", 1),
        "server": ("here", 80),
        "http_version": "1.1",
        "state": {},
    }
    await app(scope, receive, send)
    return status


@pytest.fixture
def few_objects() -> Iterator[None]:
    """The collector looks through what a test makes alone: the tests before have kept much."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.usefixtures("few_objects")
async def test_made_up_names_at_any_address_take_no_memory_for_good(
    app: tuple[Starlette, RoomHub],
) -> None:
    server, live = app
    asked = [
        route
        for route in server.routes
        if isinstance(route, Route) and "GET" in (route.methods or {"GET"}) and route.path_format
    ]
    named = [route for route in asked if route.param_convertors]
    assert len(named) > 20
    grown = {}
    async with live.running():
        for route in named:

            async def ask(count: int, letter: str, route: Route = route) -> None:
                for number in range(count):
                    name = f"{number}{letter}".ljust(NAME_LETTERS, letter)
                    await get(server, path_of(route, name), f"data={name}&once={name}")

            await ask(2, "a")
            gc.collect()
            tracemalloc.start()
            try:
                await ask(REQUESTS, "b")
                urlsplit.cache_clear()  # Python keeps the last 128 URLs
                gc.collect()
                grown[route.path] = tracemalloc.get_traced_memory()[0]
            finally:
                tracemalloc.stop()
    assert {path: size for path, size in grown.items() if size > ALLOWED} == {}
