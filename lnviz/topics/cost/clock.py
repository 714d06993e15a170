"""Interleaved timing: functions take turns, so that disturbances affect all of them equally."""

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

from lnviz.progress import report_progress, unpausable
from lnviz.rounding import rounded_tuples

_ALONE = threading.Lock()
DIGITS = 7  # of a stored time: with fewer, one could lie on the edge between two shown roundings
PATIENCE = 0.1  # seconds after which a measurement that waits for another looks up


@dataclass(frozen=True, eq=False)
class Times:
    """Measured times of several functions over several rounds.

    Attributes:
        seconds: seconds per call, averaged over the calls of one timing.
        own: the fraction of the time for which this thread had a core; the rest went to other
            processes.
    """

    seconds: Float[Tensor, "rounds contestants"]
    own: float

    @property
    def quartiles(self) -> Float[Tensor, "contestants 3"]:
        """The first quartile, median and third quartile over the rounds, in seconds."""
        return quartiles(self.seconds)


def quartile_tuples(values: Float[Tensor, "rounds *rest"]) -> Any:
    """Return quartiles over the rounds as nested tuples, as they are stored."""
    return rounded_tuples(quartiles(values), DIGITS)


def quartiles(values: Float[Tensor, "rounds *rest"]) -> Float[Tensor, "*rest 3"]:
    """Return the first quartile, median and third quartile of measured values over the rounds."""
    return values.quantile(torch.tensor([0.25, 0.5, 0.75], dtype=values.dtype), 0).movedim(0, -1)


def time_interleaved(
    contestants: Sequence[Callable[[], object]], rounds: int, block: float, threads: int = 1
) -> Times:
    """Time several functions in rounds; each round times every function once.

    Disturbances of the machine then affect all functions equally. One timing repeats the call for
    about `block` seconds, at least once; before repeated calls there is an untimed one. PyTorch's
    timer synchronizes with the device, and garbage collection is off. Progress is reported;
    concurrent measurements in one process run one after the other.

    Args:
        contestants: functions without arguments.
        rounds: number of rounds.
        block: approximate duration of one timing, in seconds.
        threads: number of PyTorch threads.

    Returns:
        Seconds per call, for every round and function.
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
    with _alone(threads), unpausable():
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
    """Context manager: allow one measurement at a time, with a given number of PyTorch threads."""
    while not _ALONE.acquire(timeout=PATIENCE):
        report_progress(0.0)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(threads)
        yield
    finally:
        torch.set_num_threads(before)
        _ALONE.release()
