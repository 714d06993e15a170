"""How much one visitor may ask of the server, and everybody at one address together."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from anyio import CapacityLimiter

KNOWN = 4096  # whose recent past is remembered


class Rate:
    """So many a second for each of many, and a few at once.

    Each has a bucket of tokens that fills at a steady rate; what is asked takes one out. Whoever
    finds none waits until theirs is there: who comes next, comes after. Nobody waits for longer
    than it takes to fill the bucket, or those who leave while they wait would keep others for good;
    so no more should wait at once than may come at once.

    Args:
        burst: How many may come at once.
        second: How many a second after that.
        clock: Seconds that pass.

    Source: the token bucket of RFC 2697, with one rate and one size.

    >>> rate = Rate(burst=2, second=1, clock=lambda: 0.0)
    >>> [rate.wait("a") for _ in range(6)], rate.wait("b")
    ([0.0, 0.0, 1.0, 2.0, 2.0, 2.0], 0.0)
    """

    def __init__(
        self, burst: float, second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._second = second
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, who: str) -> float:
        """Take a token; return after how many seconds it is there."""
        now, left = self._clock(), self._tokens(who) - 1
        left = max(left, -self._burst)
        self._left.pop(who, None)
        self._left[who] = left, now
        if len(self._left) > KNOWN:
            self._left.popitem(last=False)
        return max(0.0, -left / self._second)

    def due(self, who: str) -> float:
        """Return after how many seconds there is a token to take, and take none."""
        return max(0.0, (1 - self._tokens(who)) / self._second)

    def _tokens(self, who: str) -> float:
        now = self._clock()
        left, then = self._left.get(who, (self._burst, now))
        return min(self._burst, left + (now - then) * self._second)


class Turns:
    """So many at once for each of many; more wait.

    Args:
        most: How many of each.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limiters: dict[str, CapacityLimiter] = {}
        self._asking: Counter[str] = Counter()

    def asking(self, who: str) -> int:
        """Count who has a turn or waits for one."""
        return self._asking[who]

    @asynccontextmanager
    async def turn(self, who: str) -> AsyncIterator[None]:
        """Wait for a turn, and have it inside."""
        limiter = self._limiters.setdefault(who, CapacityLimiter(self._most))
        self._asking[who] += 1
        try:
            async with limiter:
                yield
        finally:
            self._asking[who] -= 1
            if not self._asking[who]:
                del self._asking[who], self._limiters[who]
