"""Where payloads are computed: threads, what was computed in them, and what it has cost."""

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
from lnviz.web.payload_store import PayloadStore
from lnviz.web.responses import CompressedBody

_IMPORT_LOCK = Lock()


@dataclass
class Timings:
    """What a figure has cost so far: how often it was computed, and in how many seconds."""

    count: int = 0
    total_s: float = 0.0
    max_s: float = 0.0


class PayloadExecutor:
    """Computes payloads, and keeps on disk what others may see.

    Args:
        threads: How many payloads are computed at once.
        store: Keeps them for the next start.

    Attributes:
        spent: What each figure has cost, by its address.
    """

    def __init__(self, threads: int, store: PayloadStore | None) -> None:
        self.timings: defaultdict[str, Timings] = defaultdict(Timings)
        self._timings_lock = Lock()
        self._store = store
        self._pool = ThreadPoolExecutor(threads, "payload")

    async def compute(self, wanted: PayloadRequest, watch: Progress) -> CompressedBody:
        """Return a payload, computed anew.

        Args:
            wanted: What.
            watch: Hears how far it is, and may withdraw it.

        Raises:
            ParameterError: As `Figure.payload`.
            Withdrawn: Nobody wants it any more.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._compute, wanted, watch)

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _compute(self, wanted: PayloadRequest, watch: Progress) -> CompressedBody:
        import_libraries()
        begun = time.perf_counter()
        try:
            with track(watch):
                payload = wanted.figure.payload(wanted.values)
        except Exception as error:
            clear_traceback_frames(error)
            raise
        self._record_timing(f"{wanted.lesson}/{wanted.figure.name}", time.perf_counter() - begun)
        body = CompressedBody.compress(json.dumps(payload, separators=(",", ":")).encode())
        if self._store is not None and not wanted.has_user_data:
            self._store.put(wanted.key, wanted.code_version, body)
        return body

    def _record_timing(self, name: str, seconds: float) -> None:
        with self._timings_lock:
            spent = self.timings[name]
            spent.count += 1
            spent.total_s += seconds
            spent.max_s = max(spent.max_s, seconds)


def import_libraries() -> None:
    """Have all loaded that figures and Plotly look for while they are built.

    What a thread is still importing, another finds half there: PyTorch asks for its compiler at
    gradients, and Plotly uses pandas where it is loaded. A server answers before that, and one that
    finds all figures on disk saves the two seconds and 130 MB. One thread loads, others wait.
    """
    with _IMPORT_LOCK:
        import pandas  # noqa: F401
        import torch._dynamo
        import torch.fx.experimental.symbolic_shapes  # noqa: F401


def clear_traceback_frames(error: BaseException | None) -> None:
    """Drop what the functions held in which an error has come up, such as a model.

    Who waits for a figure is told with the error, which holds those functions' frames, which hold
    who waits: all of it would stay until garbage is collected.
    """
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
