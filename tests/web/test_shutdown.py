"""The end of a server: nothing new is begun, and nothing keeps it from ending."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.types import Message

from lnviz import background
from lnviz.web import lifespan, shutdown
from lnviz.web.shutdown import Shutdown, ShutdownMiddleware
from tests.service.server import ROOT
from tests.web.sessions import client, denied, registry


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_a_server_that_ends_takes_nothing_new() -> None:
    ending = Shutdown()
    ending.has_begun = True
    answer = client(registry(), shutdown=ending).get("/axes")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "shutting down" in answer.json()["detail"]
    assert denied(registry(), shutdown=ending).status_code == 503


@pytest.mark.anyio
async def test_what_is_not_answered_soon_when_the_server_ends_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutdown, "DRAIN_S", 0)
    ending, begun, sent = Shutdown(), asyncio.Event(), []

    async def never(*_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/uploads", "headers": []}
    task = asyncio.ensure_future(ShutdownMiddleware(never, ending)(scope, receive, send))
    await begun.wait()
    ending.begin()
    await task
    assert sent[0]["status"] == 503


@pytest.mark.anyio
async def test_a_part_that_does_not_close_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutdown, "SHUTDOWN_TIMEOUT_S", 0.0)
    released, closed = threading.Event(), []
    await shutdown.close_in_time("part", lambda: closed.append(released.wait(60)))
    assert closed == []
    released.set()


@pytest.mark.anyio
async def test_a_part_whose_closing_fails_is_counted() -> None:
    before = background.failures().get("close_part", 0)
    await shutdown.close_in_time("part", lambda: [].pop())
    assert background.failures()["close_part"] == before + 1


STUCK = """
import asyncio, os, signal, threading
from lnviz.web import lifespan, shutdown
shutdown.SHUTDOWN_TIMEOUT_S = 0.0

async def serve():
    shutdown.close_on_signals(lambda: print("ending", flush=True))
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.Event().wait()

signal.signal(signal.SIGTERM, lambda *_: None)
asyncio.run(serve())
"""


def test_an_exit_that_had_to_be_forced_is_a_failure() -> None:
    command = [sys.executable, "-c", STUCK]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 1
    assert "the shutdown took more than 0.0 s" in found.stderr


@pytest.mark.anyio
async def test_all_is_closed_where_the_end_of_the_rooms_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lifespan, "PAGES", ())
    closed: list[str] = []

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        yield
        raise OSError("the disk is full")

    async def warm_up() -> None:
        pass

    monkeypatch.setattr(lifespan, "import_libraries", lambda: None)
    payloads: Any = SimpleNamespace(close=lambda: closed.append("payloads"), warm_up=warm_up)
    supervisor: Any = SimpleNamespace(close=lambda: closed.append("supervisor"))
    hub: Any = SimpleNamespace(running=running)
    with pytest.raises(OSError, match="disk"):
        async with lifespan._background_tasks(payloads, supervisor, hub):
            pass
    assert closed == ["payloads", "supervisor"]
