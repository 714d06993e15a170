"""Lifespan of the ASGI app: setup when a process starts, background tasks, and shutdown."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
import torch
from anyio import move_on_after, to_thread

from lnviz.background import survives
from lnviz.book import PAGES
from lnviz.cache import cache_directory
from lnviz.database.errors import StoreError
from lnviz.database.session import get_database
from lnviz.explorable.explorable import public_url
from lnviz.memory import MEMORY, trim
from lnviz.pretrained import loading
from lnviz.results import stored
from lnviz.rooms import join_urls
from lnviz.rooms.hub import RoomHub
from lnviz.rooms.store import RoomStore, rooms_database_url
from lnviz.topics.lab.command import WORKER_COMMAND
from lnviz.training.supervisor import Supervisor

# Scripts import `page`, too: while one thread imports a module, another one may find half of it.
from lnviz.web import ast_lock, identity_cookie, page, tcp_limits, websocket_protocol  # noqa: F401
from lnviz.web.log_limit import limit_logs, report_repeats
from lnviz.web.payload_executor import import_libraries
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_service import PayloadService
from lnviz.web.payload_store import PayloadStore
from lnviz.web.session_registry import SessionRegistry
from lnviz.web.shutdown import Shutdown, close_in_time, close_on_signals

websocket_protocol.install_websocket_protocol()
ast_lock.install_ast_lock()

THREAD_SWITCH_S = 0.0005
"""Time that a thread may compute while others wait. Python's default is ten times as long, and the
event loop waits for all threads of scripts and figures at each message."""

KEY_REFRESH_S = 60.0  # between two reads of the signing keys
KEY_RETRY_S = 1.0  # the same as long as there is no key
KEY_STARTUP_S = 5.0  # that the first read may take before requests are served


def create_payloads() -> PayloadService:
    """Create the payload service for all figures, with its cache on disk."""
    default = [
        PayloadRequest(lesson.slug, figure, figure.parse({}))
        for lesson in PAGES
        for figure in lesson.figures
    ]
    store = PayloadStore(cache_directory(), pinned=[request.key for request in default])
    return PayloadService(default, store)


def create_room_hub() -> RoomHub:
    """Create the hub of classroom rooms, which opens its database when it is first used.

    The server's listening address is an option of Streamlit; `lnviz serve` has already set it as an
    environment variable.
    """
    if server_address := st.get_option("server.address"):
        os.environ.setdefault(join_urls.VARIABLE, str(server_address))
    return RoomHub(lambda: RoomStore(rooms_database_url()))


@asynccontextmanager
async def lifespan(
    _: st.App,
    payloads: PayloadService,
    sessions: SessionRegistry,
    shutdown: Shutdown,
    hub: RoomHub,
) -> AsyncIterator[None]:
    """Context manager: set up the process, run background tasks, and shut down at the end."""
    public_url()  # a wrong one ends the start, and not every figure
    # Payloads are computed in parallel, each by one thread. A figure has many small tensors: on a
    # busy machine a second thread made one take 40 times as long.
    torch.set_num_threads(1)
    sys.setswitchinterval(THREAD_SWITCH_S)
    # A garbage collection visits all objects. Most belong to the modules of PyTorch and Plotly and
    # stay forever, so they are excluded.
    gc.collect()
    gc.freeze()
    MEMORY.set_baseline()
    tcp_limits.fit_to_fd_limit(sessions)
    MEMORY.on_pressure(loading.unload_all)
    MEMORY.on_pressure(stored.forget)
    # URLs contain the secret names of users' uploads, which uvicorn would log.
    logging.getLogger("uvicorn.access").disabled = True
    logging.getLogger("uvicorn.error").addFilter(drop_client_logs)
    limit_logs()
    supervisor = Supervisor(get_database, WORKER_COMMAND)
    supervisor.start()
    close_on_signals(payloads.close, supervisor.terminate, hub.close_streams, shutdown.begin)
    with move_on_after(KEY_STARTUP_S):
        await refresh_keys_once()
    async with _background_tasks(payloads, supervisor, hub):
        yield


@asynccontextmanager
async def _background_tasks(
    payloads: PayloadService, supervisor: Supervisor, hub: RoomHub
) -> AsyncIterator[None]:
    """Context manager: run the background tasks; end all of them even if one fails."""
    coroutines = (_warm_up(payloads), _refresh_keys(), report_repeats())
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        async with hub.running():
            yield
    finally:
        for task in tasks:
            task.cancel()
        payloads.close()
        await close_in_time("supervisor", supervisor.close)


async def _warm_up(payloads: PayloadService) -> None:
    """Parse the texts of all lessons, import what figures need, and compute their default payloads.

    What only that needed is freed. Results that other payloads need are loaded again.
    """
    for lesson in PAGES:
        with survives("warm_up"):
            await to_thread.run_sync(getattr, lesson, "parts")
    with survives("warm_up"):
        await to_thread.run_sync(import_libraries)
    with survives("warm_up"):
        await payloads.warm_up()
    with survives("warm_up"):
        stored.forget()
        await to_thread.run_sync(trim)


async def _refresh_keys() -> None:
    """Reload the signing keys periodically; without keys, clients are identified by network."""
    while True:
        await asyncio.sleep(
            KEY_REFRESH_S if identity_cookie.IDENTITY_COOKIES.has_keys else KEY_RETRY_S
        )
        await refresh_keys_once()


async def refresh_keys_once() -> None:
    """Reload the signing keys; log the error if they cannot be read."""
    with survives("signing_keys"):
        try:
            await to_thread.run_sync(identity_cookie.reload_signing_keys, abandon_on_cancel=True)
        except StoreError as error:
            logging.getLogger(__name__).error("the signing keys cannot be read: %s", error)


def drop_client_logs(record: logging.LogRecord) -> bool:
    """Logging filter: return False for records about WebSockets, which contain IP addresses."""
    return '"WebSocket ' not in record.getMessage()
