"""`/status` and `/metrics`: how the server does, for whoever runs it and has the token."""

from __future__ import annotations

import base64
import hmac
import math
import os
import time
from collections.abc import Iterable, Iterator

from anyio import to_thread
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from lnviz import background
from lnviz.database.connection import StoreError
from lnviz.memory import MEMORY
from lnviz.rooms.hub import Live
from lnviz.topics.lab import keeping
from lnviz.training.worker import host_prefix
from lnviz.web.identity import client_network
from lnviz.web.payload_service import PayloadService
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import NO_STORE, error_response
from lnviz.web.session_limits import SessionRegistry

STATUS_TOKEN_ENV = "LNVIZ_STATUS_TOKEN"
"""Names the environment variable that holds the token; without one, nobody is answered."""


class Status:
    """What one process knows of itself: numbers, and no visitor's name, address or data.

    Args:
        payloads: Its figures.
        visits: Its visitors.
        live: Its rooms.
    """

    def __init__(self, payloads: PayloadService, visits: SessionRegistry, live: Live) -> None:
        self._payloads = payloads
        self._visits = visits
        self._live = live
        self._begun = time.time()
        self._tries = RateLimiter(burst=10, per_second=0.2)

    async def status(self, request: Request) -> Response:
        """`GET /status`: for a person, in a line."""
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        trainings = await to_thread.run_sync(_trainings)
        return PlainTextResponse(self._line(trainings), headers=NO_STORE)

    async def metrics(self, request: Request) -> Response:
        """`GET /metrics`: for Prometheus."""
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        registry = CollectorRegistry()
        registry.register(_StatusCollector(self))
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    def collect_metrics(self) -> Iterator[Metric]:
        """Return all numbers that are there at once."""
        payloads, visits = self._payloads, self._visits
        for name, what, value in (
            ("sessions", "Pages that are open", visits.sessions),
            ("figures_waiting", "Figures that wait to be computed", payloads.waiting),
            ("figures_working", "Figures that are being computed", payloads.running),
            ("figures_bytes", "Bytes of figures in memory", payloads.cache.size_bytes),
            ("rooms", "Rooms of classes that are listened to here", self._live.rooms),
            ("room_streams", "Phones, walls and remotes that listen", self._live.streams),
            ("memory_bytes", "Bytes that the process has", MEMORY.used() or math.nan),
            ("memory_ceiling_bytes", "Bytes that it may have", MEMORY.ceiling),
        ):
            yield GaugeMetricFamily(f"lnviz_{name}", what, value)
        for name, what, value in (
            ("sessions_refused", "Sessions and requests that were turned away", visits.refused),
            ("figures_refused", "Figures that were not computed", payloads.rejected),
            ("room_answers", "Answers of students that were kept", self._live.kept),
            ("messages_late", "Messages of pages that had to wait", visits.late),
        ):
            yield CounterMetricFamily(f"lnviz_{name}", what, value)
        errors = CounterMetricFamily(
            "lnviz_background_errors",
            "Unexpected errors of long-lived threads and tasks, which go on",
            labels=["task"],
        )
        for task, count in background.failures().items():
            errors.add_metric([task], count)
        yield errors
        times = CounterMetricFamily("lnviz_figure", "Figures computed", labels=["figure"])
        seconds = CounterMetricFamily("lnviz_figure_seconds", "and in what time", labels=["figure"])
        longest = GaugeMetricFamily(
            "lnviz_figure_longest_seconds", "Of each the slowest", labels=["figure"]
        )
        for name, spent in payloads.executor.timings.copy().items():
            times.add_metric([name], spent.count)
            seconds.add_metric([name], spent.total_s)
            longest.add_metric([name], spent.max_s)
        yield from (times, seconds, longest)

    def _line(self, trainings: str) -> str:
        payloads, visits, used = self._payloads, self._visits, MEMORY.used()
        has = "unknown" if used is None else f"{used / 2**20:,.0f}"
        since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(self._begun))
        parts = (
            f"process {os.getpid()} since {since}",
            f"{visits.sessions} pages open, {visits.refused} turned away",
            f"{payloads.running} figures being computed, {payloads.waiting} waiting, "
            f"{payloads.rejected} refused",
            f"{self._live.rooms} rooms with {self._live.streams} listening, "
            f"{self._live.kept} answers kept",
            f"{has} of {MEMORY.ceiling / 2**20:,.0f} MB",
            f"trainings: {trainings}",
        )
        return "; ".join(parts) + "\n"

    def _refusal(self, request: Request) -> Response | None:
        token = os.environ.get(STATUS_TOKEN_ENV, "")
        if not token:
            return error_response("There is nothing at this address.", 404)
        # Asked before the token is looked at, or the right guess would be let in at any pace.
        where = client_network(request)
        if wait := self._tries.retry_after(where):
            seconds = math.ceil(wait)
            told = f"The token was wrong too often. Try again in {seconds} s."
            return error_response(told, 429, seconds)
        given = _given(request)
        if hmac.compare_digest(given, token.encode()):
            return None
        if given:  # a browser asks without one first
            self._tries.try_acquire(where)
        answer = error_response(
            f"This needs the token in {STATUS_TOKEN_ENV}, as the password.", 401
        )
        answer.headers["WWW-Authenticate"] = 'Basic realm="lnviz", charset="UTF-8"'
        return answer


class _StatusCollector(Collector):
    """The numbers, as Prometheus' client asks for them."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def collect(self) -> Iterable[Metric]:
        return self._status.collect_metrics()


def _given(request: Request) -> bytes:
    """The token that comes with a request: `Bearer`, or the password of whatever user name."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return given.encode()
    try:
        return base64.b64decode(given, validate=True).partition(b":")[2]
    except ValueError:
        return b""


def _trainings() -> str:
    try:
        store = keeping.store()
        running = store.count_running(host_prefix())
        return f"{running} at work on this machine, {len(store.queued())} waiting"
    except StoreError as error:
        return str(error)
