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

from lnviz.progress import Watch, watched
from lnviz.web.payload_request import Wanted
from lnviz.web.payload_store import PayloadStore
from lnviz.web.responses import Body

LOADING = Lock()


@dataclass
class Spent:
    """What a figure has cost so far: how often it was computed, and in how many seconds."""

    times: int = 0
    seconds: float = 0.0
    longest: float = 0.0


class Workshop:
    """Computes payloads, and keeps on disk what others may see.

    Args:
        threads: How many payloads are computed at once.
        store: Keeps them for the next start.

    Attributes:
        spent: What each figure has cost, by its address.
    """

    def __init__(self, threads: int, store: PayloadStore | None) -> None:
        self.spent: defaultdict[str, Spent] = defaultdict(Spent)
        self._counting = Lock()
        self._store = store
        self._threads = ThreadPoolExecutor(threads, "payload")

    async def compute(self, wanted: Wanted, watch: Watch) -> Body:
        """Return a payload, computed anew.

        Args:
            wanted: What.
            watch: Hears how far it is, and may withdraw it.

        Raises:
            ParameterError: As `Figure.payload`.
            Withdrawn: Nobody wants it any more.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._computed, wanted, watch)

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _computed(self, wanted: Wanted, watch: Watch) -> Body:
        load()
        begun = time.perf_counter()
        try:
            with watched(watch):
                payload = wanted.figure.payload(wanted.values)
        except Exception as error:
            _let_go(error)
            raise
        self._spend(f"{wanted.lesson}/{wanted.figure.name}", time.perf_counter() - begun)
        body = Body.of(json.dumps(payload, separators=(",", ":")).encode())
        if self._store is not None and not wanted.is_own:
            self._store.put(wanted.name, wanted.maker, body)
        return body

    def _spend(self, name: str, seconds: float) -> None:
        with self._counting:
            spent = self.spent[name]
            spent.times += 1
            spent.seconds += seconds
            spent.longest = max(spent.longest, seconds)


def load() -> None:
    """Have all loaded that figures and Plotly look for while they are built.

    What a thread is still importing, another finds half there: PyTorch asks for its compiler at
    gradients, and Plotly uses pandas where it is loaded. A server answers before that, and one that
    finds all figures on disk saves the two seconds and 130 MB. One thread loads, others wait.
    """
    with LOADING:
        import pandas  # noqa: F401
        import torch._dynamo
        import torch.fx.experimental.symbolic_shapes  # noqa: F401


def _let_go(error: BaseException | None) -> None:
    """Drop what the functions held in which an error has come up, such as a model.

    Who waits for a figure is told with the error, which holds those functions' frames, which hold
    who waits: all of it would stay until garbage is collected.
    """
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
