"""Graceful shutdown: rejects new requests, cancels running ones, forces an exit after a timeout."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

from anyio import move_on_after, to_thread
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lnviz.background import survives
from lnviz.web.responses import error_response

DRAIN_S = 3.0
"""Time that running requests have to finish once the shutdown begins."""

SHUTDOWN_TIMEOUT_S = 4.5
"""Time from the signal to a forced exit."""

FORCED_EXIT_CODE = 1
RETRY_S = 5

_log = logging.getLogger(__name__)


class Shutdown:
    """State of the server's shutdown, and the requests that are still running.

    Attributes:
        has_begun: Whether the shutdown has begun.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self._requests: set[asyncio.Task[object]] = set()

    def begin(self) -> None:
        """Reject new requests from now on; cancel requests that still run after `DRAIN_S`."""
        self.has_begun = True
        asyncio.get_running_loop().call_later(DRAIN_S, self._cancel_requests)

    def _cancel_requests(self) -> None:
        for task in self._requests:
            task.cancel()


class ShutdownMiddleware:
    """ASGI middleware that answers requests with 503 once the shutdown has begun.

    Args:
        app: The wrapped ASGI app.
        shutdown: The state of the shutdown.
    """

    def __init__(self, app: ASGIApp, shutdown: Shutdown) -> None:
        self._app = app
        self._shutdown = shutdown

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle an HTTP request or a WebSocket connection, as an ASGI app."""
        if scope["type"] == "http":
            await self._handle_request(scope, receive, send)
        elif scope["type"] == "websocket" and self._shutdown.has_begun:
            await _refuse(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        shutdown, task = self._shutdown, asyncio.current_task()
        assert task is not None
        has_started = False

        async def send_from_app(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        shutdown._requests.add(task)
        try:
            if not shutdown.has_begun:
                await self._app(scope, receive, send_from_app)
        except asyncio.CancelledError:
            if not shutdown.has_begun:
                raise
        finally:
            shutdown._requests.discard(task)
        if shutdown.has_begun and not has_started:
            await _refuse(scope, receive, send)


def close_on_signals(*callbacks: Callable[[], None]) -> None:
    """On SIGINT or SIGTERM, call functions in the event loop; force an exit after a timeout.

    uvicorn notifies the app of the shutdown only after all responses are sent, which is too late
    for requests that wait for a figure. And Python waits for its threads, which may be in a long
    computation.
    """
    if threading.current_thread() is not threading.main_thread():
        return  # which alone receives signals
    loop = asyncio.get_running_loop()
    watchdog = threading.Timer(SHUTDOWN_TIMEOUT_S, _force_exit)
    watchdog.daemon = True
    for number in (signal.SIGINT, signal.SIGTERM):
        previous = signal.getsignal(number)

        def handle(number: int, frame: FrameType | None, previous: object = previous) -> None:
            for callback in callbacks:
                loop.call_soon_threadsafe(callback)
            if not watchdog.is_alive():
                watchdog.start()
            if callable(previous):
                previous(number, frame)

        signal.signal(number, handle)


async def close_in_time(name: str, close: Callable[[], None]) -> None:
    """Call a blocking close function in a thread; log an error if it fails or takes too long."""
    with survives(f"close_{name}"), move_on_after(SHUTDOWN_TIMEOUT_S) as scope:
        await to_thread.run_sync(close, abandon_on_cancel=True)
    if scope.cancelled_caught:
        _log.error("closing the %s took more than %s s; left to the exit", name, SHUTDOWN_TIMEOUT_S)


def _force_exit() -> None:
    _log.error("the shutdown took more than %s s; exiting now", SHUTDOWN_TIMEOUT_S)
    os._exit(FORCED_EXIT_CODE)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    detail = f"The server is shutting down. Try again in {RETRY_S} seconds."
    await error_response(detail, 503, RETRY_S)(scope, receive, send)
