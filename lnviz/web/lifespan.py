"""From the server's start to its end."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType

import streamlit as st
import torch
from anyio import move_on_after, to_thread

from lnviz.book import PAGES
from lnviz.cache import cache_directory
from lnviz.database.connection import StoreError
from lnviz.memory import MEMORY
from lnviz.pretrained import loading
from lnviz.rooms import join_urls
from lnviz.rooms.hub import Live
from lnviz.rooms.store import Store, address
from lnviz.topics.lab import keeping
from lnviz.training.supervisor import Supervisor

# Pages import `page`, too: what a thread is still importing, another finds half there.
from lnviz.web import ast_lock, identity, page, tcp_limits, websocket_protocol  # noqa: F401
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.payload_store import PayloadStore
from lnviz.web.session_limits import SessionRegistry

websocket_protocol.install()
ast_lock.install()

SHUTDOWN_TIMEOUT_S = 4.5  # that a server has from the signal to its end
THREAD_SWITCH_S = 0.0005
"""Seconds that a thread may compute while others wait. Python's own are ten times as many: the one
that answers has its turn once for each message, after all scripts and figures that are at work."""

KEY_REFRESH_S = 60.0  # between two looks at the secret that signs names
KEY_RETRY_S = 1.0  # after which to look again where there is none
KEY_STARTUP_S = 5.0  # that the first look has before visitors are answered


def create_payloads() -> PayloadService:
    """Return the payloads of all lessons, kept on disk from start to start."""
    rest = [
        PayloadRequest(lesson.slug, figure, figure.parse({}))
        for lesson in PAGES
        for figure in lesson.figures
    ]
    return PayloadService(
        rest, PayloadStore(cache_directory(), pinned=[wanted.key for wanted in rest])
    )


def create_room_hub() -> Live:
    """Return the rooms, whose database is opened when it is needed.

    Streamlit knows where it listens itself; `lnviz serve` has said so already.
    """
    if own := st.get_option("server.address"):
        os.environ.setdefault(join_urls.VARIABLE, str(own))
    return Live(lambda: Store(address()))


@asynccontextmanager
async def lifespan(
    _: st.App, payloads: PayloadService, visits: SessionRegistry, live: Live
) -> AsyncIterator[None]:
    """Prepare the figures at rest while the server runs, and end all computing with it."""
    # Payloads are computed side by side, each by one thread. A figure is many small tensors: on a
    # busy machine a second thread made one take 40 times as long.
    torch.set_num_threads(1)
    sys.setswitchinterval(THREAD_SWITCH_S)
    # Collecting garbage walks all objects there are. Most are the modules of PyTorch and Plotly,
    # which stay: they are taken out of the walk.
    gc.collect()
    gc.freeze()
    MEMORY.set_baseline()
    tcp_limits.fit_to_fd_limit(visits)
    MEMORY.on_pressure(loading.drop)
    # Addresses hold names that open what visitors have brought: uvicorn would write them down.
    logging.getLogger("uvicorn.access").disabled = True
    logging.getLogger("uvicorn.error").addFilter(drop_client_logs)
    supervisor = Supervisor(keeping.store, keeping.WORK)
    supervisor.start()
    _close_on_signals(payloads.close, supervisor.end, live.end, visits.end)
    with move_on_after(KEY_STARTUP_S):
        await refresh_keys_once()
    tasks = [asyncio.create_task(task) for task in (_warm_up(payloads), _refresh_keys())]
    async with live.running():
        yield
    for task in tasks:
        task.cancel()
    payloads.close()
    await to_thread.run_sync(supervisor.close)


async def _warm_up(payloads: PayloadService) -> None:
    """Has ready what the first visitors of a page would wait for: all texts, then the figures."""
    for lesson in PAGES:
        try:
            await to_thread.run_sync(getattr, lesson, "parts")
        except Exception:
            logging.getLogger(__name__).exception("the text of %s cannot be used", lesson.slug)
    await payloads.warm_up()


async def _refresh_keys() -> None:
    """Knows the secret that signs names; as long as it cannot be read, visitors are addresses."""
    while True:
        await asyncio.sleep(KEY_REFRESH_S if identity.IDENTITY_COOKIES.has_keys else KEY_RETRY_S)
        await refresh_keys_once()


async def refresh_keys_once() -> None:
    """Look once at the secret that signs names; why it cannot be read stands in the log."""
    try:
        await to_thread.run_sync(identity.reload_signing_keys, abandon_on_cancel=True)
    except StoreError as error:
        logging.getLogger(__name__).error("the secret of visitors' names: %s", error)


def drop_client_logs(line: logging.LogRecord) -> bool:
    """Say whether uvicorn's line may stand in the log: of a WebSocket, it says who opened what.

    That it listens and that it ends comes from the same logger.
    """
    return '"WebSocket ' not in line.getMessage()


def _close_on_signals(*ends: Callable[[], None]) -> None:
    """Ends all that goes on at the signal that ends the server, in a few seconds at most.

    uvicorn tells the app of its end only when all answers are sent: for those who wait for a figure
    that is too late. And Python waits for its threads, one of which may be deep in a long step.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # no signals come here
    loop = asyncio.get_running_loop()
    giving_up = threading.Timer(SHUTDOWN_TIMEOUT_S, os._exit, [0])
    giving_up.daemon = True
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)

        def end(number: int, frame: FrameType | None, before: object = before) -> None:
            for each in ends:
                loop.call_soon_threadsafe(each)
            if not giving_up.is_alive():
                giving_up.start()
            if callable(before):
                before(number, frame)

        signal.signal(number, end)
