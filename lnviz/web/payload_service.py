"""Payloads: computed once, as many at a time as there are cores, in fair turns."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lnviz.memory import MEMORY, Memory
from lnviz.progress import Cancelled, Progress
from lnviz.usage import eviction_order
from lnviz.web import resource_limits
from lnviz.web.fair_queue import FairQueue
from lnviz.web.identity import Client
from lnviz.web.identity_cookie import ISSUE_BURST
from lnviz.web.payload_cache import RECENT_BYTES, PayloadCache
from lnviz.web.payload_executor import PayloadExecutor
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_store import PayloadStore
from lnviz.web.responses import CompressedBody

LIGHT_S = 0.3  # CPU seconds below which a figure is light
MAX_WAITING = 2 * ISSUE_BURST  # in the queue: one address, with a figure a name, does not fill it
LIGHT_BYTES, HEAVY_BYTES = 2**26, 2**28  # that a figure may come to take while it is computed
BACKGROUND_RETRY_S = 10  # seconds after which a figure in the background is asked for again
IDLE_S = 1.0  # seconds without a visitor's work, after which figures are prepared


class Overloaded(Exception):
    """The payload cannot be computed now.

    Attributes:
        seconds: The seconds after which to ask again.
    """

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(f"{message} Ask again in {_spoken(seconds)}.")
        self.retry_after = seconds


ENDING = "The server is shutting down."


@dataclass(eq=False)
class _Job:
    """A payload on its way."""

    wanted: PayloadRequest
    result: asyncio.Future[CompressedBody]
    watch: Progress = field(default_factory=Progress)
    readers: Counter[Client] = field(default_factory=Counter)
    places: list[_Place] = field(default_factory=list)  # in the queue, until it is computed

    @property
    def is_light(self) -> bool:
        """Whether it takes no time to speak of."""
        return self.wanted.cost < LIGHT_S

    @property
    def needs(self) -> int:
        """Bytes, about."""
        return LIGHT_BYTES if self.is_light else HEAVY_BYTES


@dataclass(frozen=True)
class _Place:
    """Where a payload waits for one of those who want it: the first turn of them counts."""

    job: _Job
    visitor: Client


class PayloadService:
    """All payloads of a server.

    What is ready is answered at once. What is not is computed in a thread, once for all who want
    it; those who wait do so on the event loop, which alone touches what is in here. When the last
    of them has left, the computation is withdrawn.

    Args:
        rest: Figures at rest, which most visitors ask for: computed ahead, and never forgotten.
        store: Keeps them, and others, for the next start.
        cores: How many payloads are computed at once. A light one may be computed besides.
        places: How many may wait to be computed.
        memory: How many bytes of other payloads are kept in memory.
        calm: Seconds without visitors' work, after which figures are computed ahead.
        memory: The memory that payloads are computed in.

    Attributes:
        shelf: What is at hand.
        workshop: Where the rest is computed.
        refused: How many were not computed for want of places or memory.
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
        self._rest = {wanted.key: wanted for wanted in defaults}
        self._cores = cores or resource_limits.process_cores()
        self.cache = PayloadCache(self._rest.values(), store, recent_bytes)
        # One more for a light payload, and one for what is computed ahead.
        self.executor = PayloadExecutor(self._cores + 2, store)
        self.rejected = 0
        self._room = memory
        memory.on_pressure(self.cache.evict_recent)
        self._calm_after = idle_s
        self._jobs: dict[str, _Job] = {}
        self._queue: FairQueue[_Place] = FairQueue(max_waiting)
        self._places = max_waiting
        self._busy: dict[asyncio.Task[None], _Job] = {}
        self._ahead: tuple[str, Progress] | None = None
        self._calm = asyncio.Event()
        self._calm.set()
        self._timer: asyncio.TimerHandle | None = None
        self._reclaiming: asyncio.Task[bool] | None = None
        self._closed = False

    @property
    def waiting(self) -> int:
        """How many figures wait to be computed."""
        return len(self._waiting())

    @property
    def running(self) -> int:
        """How many figures are being computed for somebody."""
        return len(self._busy)

    async def get(
        self, wanted: PayloadRequest, visitor: Client, *, background: bool = False
    ) -> CompressedBody:
        """Return the payload; a class that opens a page waits for one computation, not thirty.

        Args:
            wanted: What.
            visitor: The visitor whom it is for; visitors take turns.
            background: Whether nobody has asked for it by hand: what takes time is begun only where
                nothing else is on its way.

        Raises:
            Busy: Too many wait already, memory is short, or the server ends; or it is in the
                background of others.
            ParameterError: As `Figure.payload`.
        """
        body = await self.cache.get(wanted)
        if body is not None:
            return body
        job = self._jobs.get(wanted.key)
        if job is None:
            if background and self._jobs and wanted.cost >= LIGHT_S:
                raise Overloaded("What others have asked for comes first.", BACKGROUND_RETRY_S)
            job = self._begin(wanted, visitor)
        elif job.places:
            self._wait(job, visitor)
        job.readers[visitor] += 1
        try:
            return await asyncio.shield(job.result)
        finally:
            job.readers[visitor] -= 1
            if not job.readers[visitor]:
                self._left(job, visitor)

    def progress(self, wanted: PayloadRequest) -> dict[str, float | None] | None:
        """Say how many wait before a payload and which share of it is done, if it is on its way."""
        job = self._jobs.get(wanted.key)
        if job is None:
            return None
        next_turn = self._queue.first(lambda place: place.job is job)
        ahead = self._queue.position(next_turn) if next_turn else 0
        # Some of those may be for the same payload.
        return {"ahead": min(ahead, max(0, self.waiting - 1)), "done": job.watch.fraction}

    async def warm_up(self) -> None:
        """Compute the figures at rest, cheapest first, while no visitor needs the machine."""
        for wanted in sorted(self._rest.values(), key=lambda wanted: wanted.cost):
            await self._calm.wait()
            if wanted.key in self._jobs or await self.cache.get(wanted) is not None:
                continue
            if self._closed:
                return
            self._ahead = wanted.key, Progress()
            try:
                self.cache.put(wanted, await self.executor.compute(wanted, self._ahead[1]))
            except Cancelled:
                continue
            except Exception:
                logging.getLogger(__name__).exception("%s was not computed ahead", wanted.key)
            finally:
                self._ahead = None

    def pause_warm_up(self) -> None:
        """Let what is computed ahead wait until visitors have had what they need."""
        self._calm.clear()
        if self._ahead is not None:
            self._ahead[1].pause()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(self._calm_after, self._go_on)

    def close(self) -> None:
        """End all that is being computed; who waits is told."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self._ahead is not None:
            self._ahead[1].cancel()
        for job in list(self._jobs.values()):
            self._refuse(job, Overloaded(ENDING, 5))
        self.executor.close()

    def _begin(self, wanted: PayloadRequest, visitor: Client) -> _Job:
        if self._closed:
            raise Overloaded(ENDING, 5)
        self.pause_warm_up()
        if self._ahead is not None and self._ahead[0] == wanted.key:
            self._ahead[1].cancel()
        job = _Job(wanted, asyncio.get_running_loop().create_future())
        self._jobs[wanted.key] = job
        self._wait(job, visitor)
        self._advance()
        return job

    def _waiting(self) -> list[_Job]:
        return [job for job in self._jobs.values() if job.places]

    def _wait(self, job: _Job, visitor: Client) -> None:
        """Have a payload wait for this visitor, too."""
        place = _Place(job, visitor)
        if place in job.places:
            return
        if len(self._queue) >= self._places:
            self._evict_duplicate()
        job.places.append(place)
        last = self._queue.add(place, visitor)
        if last is not None:
            self._evict(last)

    def _evict_duplicate(self) -> None:
        """Give up a place whose payload has another one, of the client who has most of these."""
        spare = [p for job in self._waiting() if len(job.places) > 1 for p in job.places]
        evicted = next(eviction_order(reversed(spare), lambda place: place.visitor), None)
        if evicted is not None:
            self._evict(evicted)

    def _evict(self, place: _Place) -> None:
        """Give up a place; a payload that has no other one is refused."""
        job = place.job
        self._queue.remove(place)
        job.places.remove(place)
        if not job.places:
            self.rejected += 1
            cost = sum(waiting.wanted.cost for waiting in self._waiting())
            seconds = math.ceil(cost / self._cores)
            why = "The server has as many figures to compute as it can."
            self._refuse(job, Overloaded(why, seconds))

    def _left(self, job: _Job, visitor: Client) -> None:
        """A visitor wants a payload no more: it is computed in no turn of theirs."""
        del job.readers[visitor]
        place = _Place(job, visitor)
        if not job.readers:
            self._withdraw(job)
        elif place in job.places:
            self._evict(place)

    def _advance(self) -> None:
        """Starts as many as there are cores and memory for."""
        while len(self._queue):
            place = self._next()
            if place is not None:
                job = place.job
                self._queue.pop(place)
                self._leave_queue(job)
                task = asyncio.create_task(self._run(job))
                self._busy[task] = job
                task.add_done_callback(self._freed)
            elif self._busy or self._reclaiming is not None:
                break
            else:
                self._refuse_first()

    def _next(self) -> _Place | None:
        """Who can start: whose turn it is, or a light one, which waits for no heavy one.

        Light ones pass one at a time, or many of them would keep the heavy ones for good.
        """
        first, free = self._queue.first(), self._cores - len(self._busy)
        turns = [first] if free > 0 else []
        if free >= 0 and not any(job.is_light for job in self._busy.values()):
            turns.append(self._queue.first(lambda place: place.job.is_light))
        return next((place for place in turns if place and self._has_room(place.job)), None)

    def _has_room(self, job: _Job) -> bool:
        # Caches are dropped for what the figure needs, not for what others only may take.
        if not self._room.has_room(job.needs):
            self._reclaim(job.needs)
        return self._room.has_room(self._needed(job))

    def _reclaim(self, needed: int) -> None:
        """Start to free memory in a thread, unless that has been done lately; then go on."""
        if self._reclaiming is None and self._room.is_reclaim_due:
            self._reclaiming = asyncio.create_task(self._room.make_room(needed))
            self._reclaiming.add_done_callback(self._reclaimed)

    def _reclaimed(self, _: asyncio.Task[bool]) -> None:
        self._reclaiming = None
        if not self._closed:
            self._advance()

    def _refuse_first(self) -> None:
        first = self._queue.first()
        assert first is not None
        self.rejected += 1
        self._refuse(first.job, Overloaded("The server has no memory for this figure now.", 10))

    def _needed(self, job: _Job) -> int:
        """Bytes that there must be for a figure to start.

        Those at work may not have taken yet what they need. Beside several, room for a light figure
        is left: else it would wait for a heavy one to end, which may take half a minute.
        """
        busy = list(self._busy.values())
        has_light = any(other.is_light for other in busy)
        if not busy or (job.is_light and not has_light):
            return job.needs
        return job.needs + sum(other.needs for other in busy) + (not has_light) * LIGHT_BYTES

    def _freed(self, task: asyncio.Task[None]) -> None:
        del self._busy[task]
        if not self._closed:
            self._advance()
            self.pause_warm_up()

    async def _run(self, job: _Job) -> None:
        try:
            body = await self.executor.compute(job.wanted, job.watch)
        except Cancelled:
            pass
        except Exception as error:
            if not job.result.done():
                job.result.set_exception(error)
        else:
            self.cache.put(job.wanted, body)
            if not job.result.done():
                job.result.set_result(body)
        finally:
            self._forget(job)

    def _go_on(self) -> None:
        if self._busy:
            return  # the last to end asks for calm again
        self._calm.set()
        if self._ahead is not None:
            self._ahead[1].resume()

    def _withdraw(self, job: _Job) -> None:
        self._forget(job)
        job.watch.cancel()
        job.result.cancel()

    def _refuse(self, job: _Job, why: Overloaded) -> None:
        self._forget(job)
        job.watch.cancel()
        if not job.result.done():
            job.result.set_exception(why)

    def _forget(self, job: _Job) -> None:
        self._leave_queue(job)
        if self._jobs.get(job.wanted.key) is job:
            del self._jobs[job.wanted.key]

    def _leave_queue(self, job: _Job) -> None:
        for place in job.places:
            self._queue.remove(place)
        job.places.clear()


def _spoken(seconds: int) -> str:
    return f"{seconds} second{'s' * (seconds != 1)}"
