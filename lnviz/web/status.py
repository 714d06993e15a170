"""Endpoints `/status` and `/metrics`: the state of one process, for operators with the token."""

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
from lnviz.database.errors import StoreError
from lnviz.database.session import get_database
from lnviz.memory import MEMORY
from lnviz.rooms.hub import RoomHub
from lnviz.training.job_repository import JobRepository
from lnviz.training.worker import host_prefix
from lnviz.web.client_network import client_network
from lnviz.web.payload_service import PayloadService
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import NO_STORE, error_response
from lnviz.web.session_registry import SessionRegistry

STATUS_TOKEN_ENV = "LNVIZ_STATUS_TOKEN"
"""Environment variable with the token. Without a token, both endpoints return 404."""


class Status:
    """Endpoints with counters of one server process, without clients' ids, IP addresses or data.

    Args:
        payloads: The payload service.
        sessions: The open sessions.
        hub: The hub of rooms.
    """

    def __init__(self, payloads: PayloadService, sessions: SessionRegistry, hub: RoomHub) -> None:
        self._payloads = payloads
        self._sessions = sessions
        self._hub = hub
        self._started_at = time.time()
        self._attempts = RateLimiter(burst=10, per_second=0.2)

    async def status(self, request: Request) -> Response:
        """`GET /status`: return the state of this process as one line of text."""
        rejection = self._rejection(request)
        if rejection is not None:
            return rejection
        trainings = await to_thread.run_sync(_trainings)
        return PlainTextResponse(self._status_line(trainings), headers=NO_STORE)

    async def metrics(self, request: Request) -> Response:
        """`GET /metrics`: return metrics for Prometheus."""
        rejection = self._rejection(request)
        if rejection is not None:
            return rejection
        registry = CollectorRegistry()
        registry.register(_StatusCollector(self))
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_PLAIN_0_0_4)

    def collect_metrics(self) -> Iterator[Metric]:
        """Yield all Prometheus metrics of this process."""
        payloads, sessions = self._payloads, self._sessions
        for name, description, value in (
            ("sessions", "Open pages", len(sessions)),
            ("figures_waiting", "Figures waiting to be computed", payloads.scheduler.waiting),
            ("figures_working", "Figures being computed", payloads.scheduler.running),
            ("figures_bytes", "Bytes of figures cached in memory", payloads.cache.size_bytes),
            ("rooms", "Rooms with subscribers in this process", self._hub.room_count),
            ("room_streams", "Event streams of phones, walls and remotes", self._hub.stream_count),
            ("memory_bytes", "Resident bytes of the process", MEMORY.used() or math.nan),
            ("memory_ceiling_bytes", "Memory limit of the process in bytes", MEMORY.ceiling),
        ):
            yield GaugeMetricFamily(f"lnviz_{name}", description, value)
        for name, description, value in (
            ("sessions_refused", "Sessions that were rejected", sessions.rejected),
            (
                "figures_refused",
                "Figures refused because of the queue or memory",
                payloads.scheduler.rejected,
            ),
            ("room_answers", "Votes of students that were stored", self._hub.stored_answers),
            ("messages_late", "Messages of pages that were delayed", sessions.limiter.delayed),
        ):
            yield CounterMetricFamily(f"lnviz_{name}", description, value)
        errors = CounterMetricFamily(
            "lnviz_background_errors",
            "Unexpected errors of long-lived threads and tasks, which continue",
            labels=["task"],
        )
        for task, count in background.failures().items():
            errors.add_metric([task], count)
        yield errors
        times = CounterMetricFamily("lnviz_figure", "Figures computed", labels=["figure"])
        seconds = CounterMetricFamily(
            "lnviz_figure_seconds", "Seconds spent computing the figure", labels=["figure"]
        )
        longest = GaugeMetricFamily(
            "lnviz_figure_longest_seconds",
            "Seconds of the figure's slowest computation",
            labels=["figure"],
        )
        for name, timings in payloads.executor.timings.copy().items():
            times.add_metric([name], timings.count)
            seconds.add_metric([name], timings.total_s)
            longest.add_metric([name], timings.max_s)
        yield from (times, seconds, longest)

    def _status_line(self, trainings: str) -> str:
        scheduler, sessions, used = self._payloads.scheduler, self._sessions, MEMORY.used()
        has = "unknown" if used is None else f"{used / 2**20:,.0f}"
        since = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(self._started_at))
        parts = (
            f"process {os.getpid()} since {since}",
            f"{len(sessions)} pages open, {sessions.rejected} turned away",
            f"{scheduler.running} figures being computed, {scheduler.waiting} waiting, "
            f"{scheduler.rejected} refused",
            f"{self._hub.room_count} rooms with {self._hub.stream_count} listening, "
            f"{self._hub.stored_answers} answers stored",
            f"{has} of {MEMORY.ceiling / 2**20:,.0f} MB",
            f"trainings: {trainings}",
        )
        return "; ".join(parts) + "\n"

    def _rejection(self, request: Request) -> Response | None:
        token = os.environ.get(STATUS_TOKEN_ENV, "")
        if not token:
            return error_response("There is nothing at this address.", 404)
        # Checked before the token, or a right guess would be accepted at any rate.
        network = client_network(request)
        if wait := self._attempts.retry_after(network):
            seconds = math.ceil(wait)
            detail = f"Too many wrong tokens. Try again in {seconds} s."
            return error_response(detail, 429, seconds)
        token_sent = _token_of(request)
        if hmac.compare_digest(token_sent, token.encode()):
            return None
        if token_sent:  # a browser first sends none
            self._attempts.try_acquire(network)
        response = error_response(f"Enter the token from {STATUS_TOKEN_ENV} as the password.", 401)
        response.headers["WWW-Authenticate"] = 'Basic realm="lnviz", charset="UTF-8"'
        return response


class _StatusCollector(Collector):
    """Adapter that makes `Status` a collector for the Prometheus client library."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def collect(self) -> Iterable[Metric]:
        return self._status.collect_metrics()


def _token_of(request: Request) -> bytes:
    """Return a request's access token: the `Bearer` token, or the password of Basic auth."""
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return credentials.encode()
    try:
        return base64.b64decode(credentials, validate=True).partition(b":")[2]
    except ValueError:
        return b""


def _trainings() -> str:
    try:
        jobs = JobRepository(get_database())
        running = jobs.count_running(host_prefix())
        return f"{running} running on this machine, {len(jobs.queued())} waiting"
    except StoreError as error:
        return str(error)
