"""Rate limiting with a token bucket for each key."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MAX_KEYS = 4096
"""Buckets that are kept. The least recently used ones are dropped, which fills them up again."""


class RateLimiter:
    """Rate limiter with a token bucket for each key, refilled at a constant rate.

    Args:
        burst: Number of tokens in a full bucket.
        per_second: Number of tokens added to a bucket per second.
        clock: Returns the time in seconds.

    Source: the token bucket of RFC 2697, with one rate and one size.

    >>> limiter = RateLimiter(burst=2, per_second=1, clock=lambda: 0.0)
    >>> limiter.try_acquire("a"), limiter.try_acquire("a")
    (True, True)
    >>> limiter.retry_after("a"), limiter.retry_after("b")
    (1.0, 0.0)
    """

    def __init__(
        self, burst: float, per_second: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def try_acquire(self, key: str = "") -> bool:
        """Take a token from a key's bucket; return False if the bucket is empty."""
        tokens = self._tokens(key)
        if tokens < 1:
            return False
        self._buckets.pop(key, None)
        self._buckets[key] = tokens - 1, self._clock()
        if len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
        return True

    def retry_after(self, key: str = "") -> float:
        """Return the seconds until a key's bucket has a token; 0 if it has a token now."""
        return max(0.0, (1 - self._tokens(key)) / self._per_second)

    def _tokens(self, key: str) -> float:
        now = self._clock()
        tokens, since = self._buckets.get(key, (self._burst, now))
        return min(self._burst, tokens + (now - since) * self._per_second)
