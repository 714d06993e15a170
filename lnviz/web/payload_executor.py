"""Thread pool that computes figure payloads, with timings for each figure."""

from __future__ import annotations

import asyncio
import json
import time
import traceback
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

from lnviz.progress import Progress, track
from lnviz.web.payload_request import PayloadRequest
from lnviz.web.payload_store import PayloadStore, code_version
from lnviz.web.responses import CompressedBody

_IMPORT_LOCK = Lock()


@dataclass
class Timings:
    """Number and durations of the payload computations for one figure."""

    count: int = 0
    total_s: float = 0.0
    max_s: float = 0.0


class PayloadExecutor:
    """Thread pool that computes figure payloads, and stores those without user data on disk.

    Args:
        threads: Size of the thread pool.
        store: Cache on disk.

    Attributes:
        timings: Timings of each figure, by `lesson/figure`.
    """

    def __init__(self, threads: int, store: PayloadStore | None) -> None:
        self.timings: defaultdict[str, Timings] = defaultdict(Timings)
        self._timings_lock = Lock()
        self._store = store
        self._pool = ThreadPoolExecutor(threads, "payload")

    async def compute(self, request: PayloadRequest, progress: Progress) -> CompressedBody:
        """Compute a figure's payload in a thread of the pool.

        Args:
            request: The payload's request.
            progress: Receives the progress, and can cancel the computation.

        Raises:
            ParameterError: As `Figure.payload`.
            Cancelled: The computation was cancelled.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._compute, request, progress)

    def close(self) -> None:
        """Start no more computations."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _compute(self, request: PayloadRequest, progress: Progress) -> CompressedBody:
        import_libraries()
        started = time.perf_counter()
        try:
            with track(progress):
                payload = request.figure.payload(request.values)
        except Exception as error:
            clear_traceback_frames(error)
            raise
        self._record_timing(
            f"{request.lesson}/{request.figure.name}", time.perf_counter() - started
        )
        body = CompressedBody.compress(json.dumps(payload, separators=(",", ":")).encode())
        if self._store is not None and not request.has_user_data:
            self._store.put(request.key, code_version(request.module), body)
        return body

    def _record_timing(self, name: str, seconds: float) -> None:
        with self._timings_lock:
            timings = self.timings[name]
            timings.count += 1
            timings.total_s += seconds
            timings.max_s = max(timings.max_s, seconds)


def import_libraries() -> None:
    """Import in advance the libraries that PyTorch and Plotly would import during a computation.

    Lazy imports in concurrent threads could see half-initialized modules: PyTorch imports its
    compiler for gradients, and Plotly uses pandas if it is in `sys.modules`. They take 2 s. The
    server imports them in the background after its start, so that a class's first figures seldom
    wait for them.
    """
    with _IMPORT_LOCK:
        import pandas  # noqa: F401
        import torch._dynamo
        import torch.fx.experimental.symbolic_shapes  # noqa: F401


def clear_traceback_frames(error: BaseException | None) -> None:
    """Clear the local variables in an exception's traceback, which may include a model.

    The exception, its traceback and the waiting futures form a reference cycle, which would keep
    these variables in memory until the next garbage collection.
    """
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
