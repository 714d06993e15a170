"""Payload service: returns figure payloads from a cache, or computes each once for all clients."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from lnviz.memory import MEMORY, Memory
from lnviz.web import resource_limits
from lnviz.web.identity import Client
from lnviz.web.identity_cookie import ISSUE_BURST
from lnviz.web.payload_cache import RECENT_BYTES, PayloadCache
from lnviz.web.payload_executor import PayloadExecutor
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_scheduler import LIGHT_S, Overloaded, PayloadJob, PayloadScheduler
from lnviz.web.payload_store import PayloadStore
from lnviz.web.payload_warm_up import WarmUp
from lnviz.web.responses import CompressedBody

MAX_WAITING = 2 * ISSUE_BURST  # one network cannot fill the queue with one payload per new client
BACKGROUND_RETRY_S = 10  # Retry-After of background requests while others are being served
IDLE_S = 1.0  # seconds without computations for clients before the warm-up goes on
SHUTTING_DOWN = "The server is shutting down."


class PayloadService:
    """Single-flight access to figure payloads: each is computed once for all waiting clients.

    It runs on the event loop and computes in threads. When the last client of a computation
    disconnects, the computation is cancelled.

    Args:
        defaults: Requests for the default payloads, which most clients request. These payloads are
            computed in the warm-up and never evicted.
        store: Cache on disk.
        cores: Number of payloads to compute at once; one light payload and one of a user's own text
            may be computed in addition.
        max_waiting: Capacity of the queue.
        recent_bytes: Capacity of the in-memory cache for payloads other than the defaults.
        idle_s: Seconds without computations for clients before the warm-up continues.
        memory: Available memory, which limits the computations.

    Attributes:
        cache: Cache of payloads.
        executor: Computes payloads.
        scheduler: Decides which payload is computed next.
    """

    def __init__(
        self,
        defaults: Iterable[PayloadRequest] = (),
        store: PayloadStore | None = None,
        *,
        cores: int | None = None,
        max_waiting: int = MAX_WAITING,
        recent_bytes: int = RECENT_BYTES,
        idle_s: float = IDLE_S,
        memory: Memory = MEMORY,
    ) -> None:
        defaults = {request.key: request for request in defaults}.values()
        cores = cores or resource_limits.process_cores()
        self.cache = PayloadCache(defaults, store, recent_bytes)
        memory.on_pressure(self.cache.evict_recent)
        # One thread more for a light payload, one for a user's own text, and one for the warm-up.
        self.executor = PayloadExecutor(cores + 3, store)
        self._jobs: dict[str, PayloadJob] = {}
        self._warm_up = WarmUp(
            defaults,
            self.cache,
            self.executor,
            is_pending=self._jobs.__contains__,
            is_busy=lambda: self.scheduler.running > 0,
            idle_s=idle_s,
        )
        self.scheduler = PayloadScheduler(
            self._compute,
            self._forget,
            self._warm_up.pause,
            cores=cores,
            max_waiting=max_waiting,
            memory=memory,
        )
        self._closed = False

    async def get(
        self, request: PayloadRequest, client: Client, *, background: bool = False
    ) -> CompressedBody:
        """Return a figure's payload from the cache, or compute it.

        Args:
            request: The payload's request.
            client: The client; computations are scheduled fairly among clients.
            background: Whether the request is a prefetch. A heavy payload is then computed only if
                no other payload is being computed.

        Raises:
            Overloaded: The queue is full, memory is short, the server is shutting down, or a
                background request would delay others.
            ParameterError: As `Figure.payload`.
        """
        body = await self.cache.get(request)
        if body is not None:
            return body
        job = self._jobs.get(request.key)
        if job is None:
            # A computation may have ended while the cache looked on disk.
            body = self.cache.get_from_memory(request)
            if body is not None:
                return body
            if background and self._jobs and request.cost >= LIGHT_S:
                raise Overloaded("Other people's requests come first.", BACKGROUND_RETRY_S)
            job = self._start(request, client)
        else:
            self.scheduler.enqueue(job, client)
        job.clients[client] += 1
        try:
            return await asyncio.shield(job.result)
        finally:
            job.clients[client] -= 1
            if not job.clients[client]:
                self.scheduler.remove_client(job, client)

    def progress(self, request: PayloadRequest) -> dict[str, float | None] | None:
        """Return a pending payload's queue position (`ahead`) and completed fraction (`done`)."""
        job = self._jobs.get(request.key)
        if job is None:
            return None
        return {"ahead": self.scheduler.jobs_ahead(job), "done": job.progress.fraction}

    async def warm_up(self) -> None:
        """Compute all figures' default payloads while no client requests a computation."""
        await self._warm_up.run()

    def pause_warm_up(self) -> None:
        """Pause the warm-up until clients have requested no computation for a while."""
        self._warm_up.pause()

    def close(self) -> None:
        """Cancel all computations, and fail the requests that wait for them."""
        self._closed = True
        self._warm_up.close()
        for job in list(self._jobs.values()):
            self.scheduler.reject(job, Overloaded(SHUTTING_DOWN, 5))
        self.scheduler.close()
        self.executor.close()

    def _start(self, request: PayloadRequest, client: Client) -> PayloadJob:
        if self._closed:
            raise Overloaded(SHUTTING_DOWN, 5)
        self._warm_up.pause()
        self._warm_up.skip(request.key)
        job = PayloadJob(request, asyncio.get_running_loop().create_future())
        self._jobs[request.key] = job
        self.scheduler.submit(job, client)
        return job

    async def _compute(self, job: PayloadJob) -> CompressedBody:
        body = await self.executor.compute(job.request, job.progress)
        self.cache.put(job.request, body)
        return body

    def _forget(self, job: PayloadJob) -> None:
        if self._jobs.get(job.request.key) is job:
            del self._jobs[job.request.key]
