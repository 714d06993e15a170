"""Scheduler of payload computations: a fair queue, limited by CPU cores and memory.

Texts of users' own have a lane of their own, since no cache has them: a class that types a sentence
each would take all cores for minutes.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from lnviz.background import survives
from lnviz.errors import RequestError
from lnviz.memory import Memory
from lnviz.progress import Cancelled, Progress
from lnviz.usage import eviction_order
from lnviz.web.fair_queue import FairQueue
from lnviz.web.identity import Client
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.responses import CompressedBody

LIGHT_S = 0.3  # CPU seconds below which a payload is light
LIGHT_BYTES, HEAVY_BYTES = 2**26, 2**28  # peak memory of a computation, estimated


class Overloaded(RequestError):
    """Error: the server is too busy to compute a payload now."""

    def __init__(self, message: str, retry_after: int) -> None:
        unit = "second" if retry_after == 1 else "seconds"
        super().__init__(f"{message} Ask again in {retry_after} {unit}.", 503, retry_after)


@dataclass(eq=False)
class PayloadJob:
    """A computation of a payload, queued or running, for one or more clients.

    Attributes:
        request: The payload's request.
        result: Resolves to the payload.
        progress: Progress of the computation, and the handle to cancel it.
        clients: Number of each client's requests that wait for the result.
        entries: The job's entries in the queue, one per client; empty once the job runs.
    """

    request: PayloadRequest
    result: asyncio.Future[CompressedBody]
    progress: Progress = field(default_factory=Progress)
    clients: Counter[Client] = field(default_factory=Counter)
    entries: list[QueueEntry] = field(default_factory=list)

    @property
    def is_light(self) -> bool:
        """True if the computation takes hardly any time."""
        return self.request.cost < LIGHT_S

    @property
    def is_text(self) -> bool:
        """True if the computation is of a user's own text, and so in the lane of these."""
        return self.request.has_user_text

    @property
    def memory_bytes(self) -> int:
        """The estimated peak memory of the computation, in bytes."""
        return LIGHT_BYTES if self.is_light else HEAVY_BYTES


@dataclass(frozen=True)
class QueueEntry:
    """A client's position in the queue for a job; the job starts when it is any client's turn."""

    job: PayloadJob
    client: Client


class PayloadScheduler:
    """Scheduler that starts queued payload jobs as cores and memory become free; not thread-safe.

    Args:
        compute: Computes the payload of a job.
        on_end: Called as soon as a job has finished, failed or been dropped.
        on_finish: Called after each computation.
        cores: Number of jobs to run at once; one light job and one of a user's own text may run in
            addition.
        max_waiting: Capacity of the queue.
        memory: Available memory, which limits the jobs to run at once.

    Attributes:
        rejected: Number of jobs rejected so far, because the queue was full or memory was short.
    """

    def __init__(
        self,
        compute: Callable[[PayloadJob], Awaitable[CompressedBody]],
        on_end: Callable[[PayloadJob], None],
        on_finish: Callable[[], None],
        *,
        cores: int,
        max_waiting: int,
        memory: Memory,
    ) -> None:
        self.rejected = 0
        self._compute = compute
        self._on_end = on_end
        self._on_finish = on_finish
        self._cores = cores
        self._memory = memory
        self._max_waiting = max_waiting
        self._queue: FairQueue[QueueEntry] = FairQueue(max_waiting)
        self._waiting: dict[PayloadJob, None] = {}  # in order of arrival
        self._running: dict[asyncio.Task[None], PayloadJob] = {}
        self._reclaiming: asyncio.Task[bool] | None = None
        self._closed = False

    @property
    def waiting(self) -> int:
        """The number of jobs in the queue."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """The number of jobs that are being computed."""
        return len(self._running)

    def submit(self, job: PayloadJob, client: Client) -> None:
        """Add a new job to the queue, and start as many queued jobs as cores and memory allow."""
        self._waiting[job] = None
        self.enqueue(job, client)
        self._advance()

    def enqueue(self, job: PayloadJob, client: Client) -> None:
        """Add another client's entry for a job that is still queued."""
        entry = QueueEntry(job, client)
        if job not in self._waiting or entry in job.entries:
            return
        if len(self._queue) >= self._max_waiting:
            self._evict_duplicate()
        job.entries.append(entry)
        evicted = self._queue.add(entry, client)
        if evicted is not None:
            self._evict(evicted)

    def remove_client(self, job: PayloadJob, client: Client) -> None:
        """Remove a client from a job; when the last client is removed, the job is cancelled."""
        del job.clients[client]
        entry = QueueEntry(job, client)
        if not job.clients:
            self._end(job)
            job.result.cancel()
        elif entry in job.entries:
            self._queue.remove(entry)
            job.entries.remove(entry)
            if not job.entries:  # those of the other clients were evicted as duplicates
                self.enqueue(job, next(iter(job.clients)))

    def jobs_ahead(self, job: PayloadJob) -> int:
        """Return an upper bound on the number of jobs of its lane that will start before this job.

        Several entries ahead may belong to the same job.
        """
        entry = self._queue.first(lambda entry: entry.job is job)
        if entry is None:
            return 0
        ahead = self._queue.position(entry, lambda entry: entry.job.is_text is job.is_text)
        return min(ahead, sum(other.is_text is job.is_text for other in self._waiting) - 1)

    def reject(self, job: PayloadJob, error: Overloaded) -> None:
        """Fail a job with an exception for all its clients."""
        self._end(job)
        if not job.result.done():
            job.result.set_exception(error)

    def close(self) -> None:
        """Start no more jobs from the queue."""
        self._closed = True

    def _evict_duplicate(self) -> None:
        """Evict an entry of a job with several entries, from the client with the most of them."""
        entries = [entry for job in self._waiting if len(job.entries) > 1 for entry in job.entries]
        evicted = next(eviction_order(reversed(entries), lambda entry: entry.client), None)
        if evicted is not None:
            self._evict(evicted)

    def _evict(self, entry: QueueEntry) -> None:
        """Remove a queue entry; reject its job if no entry is left."""
        job = entry.job
        self._queue.remove(entry)
        job.entries.remove(entry)
        if not job.entries:
            del self._waiting[job]
            self.rejected += 1
            cost = sum(waiting.request.cost for waiting in self._waiting)
            seconds = math.ceil(cost / self._cores)
            message = "The server is computing as many figures as it can."
            self.reject(job, Overloaded(message, seconds))

    def _advance(self) -> None:
        """Start as many queued jobs as cores and memory allow."""
        while len(self._queue):
            entry = self._next_entry()
            if entry is not None:
                self._queue.pop(entry)
                self._dequeue(entry.job)
                task = asyncio.create_task(self._run(entry.job))
                self._running[task] = entry.job
                task.add_done_callback(self._finished)
            elif self._running or self._reclaiming is not None:
                break
            else:
                self._reject_first()

    def _next_entry(self) -> QueueEntry | None:
        """Return the entry to start now: the first in the queue, or the first with a light job.

        A light job may use an extra core, so that it does not wait for heavy jobs. Only one light
        job does so at a time, or a stream of them would starve the heavy jobs. The same is true of
        a user's own text, which never uses another core.
        """
        running = [job for job in self._running.values() if not job.is_text]
        free = self._cores - len(running)
        candidates = [self._first(lambda job: not job.is_text)] if free > 0 else []
        if free >= 0 and not any(job.is_light for job in running):
            candidates.append(self._first(lambda job: job.is_light and not job.is_text))
        if len(running) == len(self._running):
            candidates.append(self._first(lambda job: job.is_text))
        return next((entry for entry in candidates if entry and self._has_memory(entry.job)), None)

    def _first(self, among: Callable[[PayloadJob], bool]) -> QueueEntry | None:
        return self._queue.first(lambda entry: among(entry.job))

    def _has_memory(self, job: PayloadJob) -> bool:
        # Caches are dropped for what this job needs, not for reserves of other jobs.
        if not self._memory.has_room(job.memory_bytes):
            self._reclaim(job.memory_bytes)
        return self._memory.has_room(self._required_bytes(job))

    def _required_bytes(self, job: PayloadJob) -> int:
        """Return the number of bytes that must be free before a job may start.

        It includes memory that running jobs may not have allocated yet. If other jobs are running,
        a heavy job must also leave room for a light job, which would otherwise wait for a heavy job
        to end. A job does not wait for a user's own text that is running: that may take long, and
        has most of its memory.
        """
        running = [other for other in self._running.values() if job.is_text or not other.is_text]
        has_light = any(other.is_light for other in running)
        if not running or (job.is_light and not has_light):
            return job.memory_bytes
        reserve = 0 if has_light else LIGHT_BYTES
        return job.memory_bytes + sum(other.memory_bytes for other in running) + reserve

    def _reclaim(self, needed: int) -> None:
        """Free memory in a thread, unless done recently, then try again to start jobs."""
        if self._reclaiming is None and self._memory.is_reclaim_due:
            self._reclaiming = asyncio.create_task(self._memory.make_room(needed))
            self._reclaiming.add_done_callback(self._reclaimed)

    def _reclaimed(self, task: asyncio.Task[bool]) -> None:
        self._reclaiming = None
        if not task.cancelled():
            with survives("memory_reclaim"):
                task.result()
        if not self._closed:
            self._advance()

    def _reject_first(self) -> None:
        first = self._queue.first()
        assert first is not None
        self.rejected += 1
        self.reject(first.job, Overloaded("The server is out of memory for this figure.", 10))

    async def _run(self, job: PayloadJob) -> None:
        try:
            body = await self._compute(job)
        except Cancelled:
            pass
        except Exception as error:
            if not job.result.done():
                job.result.set_exception(error)
        else:
            if not job.result.done():
                job.result.set_result(body)
        finally:
            self._on_end(job)

    def _finished(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        if not self._closed:
            self._advance()
            self._on_finish()

    def _end(self, job: PayloadJob) -> None:
        self._dequeue(job)
        self._on_end(job)
        job.progress.cancel()

    def _dequeue(self, job: PayloadJob) -> None:
        for entry in job.entries:
            self._queue.remove(entry)
        job.entries.clear()
        self._waiting.pop(job, None)
