"""How often something may happen."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MAX_KEYS = 4096  # whose recent past is remembered


class RateLimiter:
    """So many a second for each of many, and a few at once.

    Each has a bucket of tokens that fills at a steady rate; what is asked takes one out.

    Args:
        burst: How many may come at once.
        second: How many a second after that.
        clock: Seconds that pass.

    Source: the token bucket of RFC 2697, with one rate and one size.

    >>> rate = Rate(burst=2, second=1, clock=lambda: 0.0)
    >>> rate.take("a"), rate.take("a"), rate.due("a"), rate.due("b")
    (True, True, 1.0, 0.0)
    """

    def __init__(
        self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._second = per_second
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def try_acquire(self, who: str) -> bool:
        """Take a token; say whether there was one."""
        left = self._tokens(who)
        if left < 1:
            return False
        self._left.pop(who, None)
        self._left[who] = left - 1, self._clock()
        if len(self._left) > MAX_KEYS:
            self._left.popitem(last=False)
        return True

    def retry_after(self, who: str) -> float:
        """Return after how many seconds there is a token to take, and take none."""
        return max(0.0, (1 - self._tokens(who)) / self._second)

    def _tokens(self, who: str) -> float:
        now = self._clock()
        left, then = self._left.get(who, (self._burst, now))
        return min(self._burst, left + (now - then) * self._second)
