"""Times of contestants that take turns."""

from __future__ import annotations

import threading
import time
import timeit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.progress import report_progress
from lnviz.rounding import rounded_tuples

_ALONE = threading.Lock()
DIGITS = 7  # of a stored time: with fewer, one could lie on the edge between two shown roundings
PATIENCE = 0.1  # seconds after which a measurement that waits for another looks up


@dataclass(frozen=True, eq=False)
class Times:
    """What was measured.

    Attributes:
        seconds: seconds of one call, the mean of a block of calls.
        own: the share of the time for which this thread had a core; what is missing from 1 went to
            whatever else the machine was doing.
    """

    seconds: Float[Tensor, "rounds contestants"]
    own: float

    @property
    def quartiles(self) -> Float[Tensor, "contestants 3"]:
        """First quartile, median and third quartile over the rounds, in seconds."""
        return quartiles(self.seconds)


def quartile_tuples(values: Float[Tensor, "rounds *rest"]) -> Any:
    """Return quartiles over the rounds as they are stored, as nested tuples."""
    return rounded_tuples(quartiles(values), DIGITS)


def quartiles(values: Float[Tensor, "rounds *rest"]) -> Float[Tensor, "*rest 3"]:
    """Return first quartile, median and third quartile of rounds.

    >>> quartiles(torch.tensor([[3.0], [1.0], [2.0]]))
    tensor([[1.5000, 2.0000, 2.5000]])
    """
    return values.quantile(torch.tensor([0.25, 0.5, 0.75], dtype=values.dtype), 0).movedim(0, -1)


def time_interleaved(
    contestants: Sequence[Callable[[], object]], rounds: int, block: float, threads: int = 1
) -> Times:
    """Measure how long each contestant takes, in rounds in which each has its turn.

    What disturbs the machine for a while then falls on all alike. In a turn a contestant is called
    as often as fills `block` seconds, once at least; one that is called more often is called once
    before that is timed. The clock is PyTorch's, which waits for the device, and Python collects no
    garbage meanwhile. Reports its progress; two measurements of one process wait for each other.

    Args:
        contestants: called without arguments.
        rounds: how many rounds there are.
        block: seconds of a turn, about.
        threads: the number of threads that PyTorch may use.

    Returns:
        Seconds a call, for every round and contestant.

    Raises:
        ValueError: there is no round or no contestant.
        Cancelled: The computation was cancelled.
    """
    if rounds < 1 or not contestants:
        raise ValueError(
            f"A measurement takes a round and a contestant at least, got {rounds} rounds of "
            f"{len(contestants)} contestants. Ask for 1 or more."
        )
    from torch.utils import benchmark  # loads the tools that compile extensions

    # Its own Timer calls twice before every turn: a block would take three times as long.
    timers = [timeit.Timer(run, timer=benchmark.timer) for run in contestants]
    turns = (rounds + 1) * len(timers)
    with _alone(threads):
        calls: list[int] = []
        for done, timer in enumerate(timers):
            report_progress(done / turns)
            timer.timeit(1)
            calls.append(max(1, round(block / timer.timeit(1))))
        wall, own = time.perf_counter(), time.thread_time()
        seconds: list[float] = []
        for turn in range(rounds * len(timers)):
            report_progress((len(timers) + turn) / turns)
            at = turn % len(timers)
            if calls[at] > 1:
                timers[at].timeit(1)
            seconds.append(timers[at].timeit(calls[at]) / calls[at])
        own, wall = time.thread_time() - own, time.perf_counter() - wall
    values = torch.tensor(seconds, dtype=torch.float64).view(rounds, len(timers))
    return Times(values, min(1.0, own / wall))


@contextmanager
def _alone(threads: int) -> Iterator[None]:
    """Only one measurement at a time: for the sake of both, and of PyTorch's number of threads."""
    while not _ALONE.acquire(timeout=PATIENCE):
        report_progress(0.0)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        yield
    finally:
        torch.set_num_threads(before)
        _ALONE.release()
