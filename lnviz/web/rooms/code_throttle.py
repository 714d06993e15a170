"""Who may try codes of rooms: a few wrong ones are a mistake, many are a search."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from lnviz.errors import RequestError
from lnviz.web.identity import Client
from lnviz.web.rate_limit import RateLimiter

PERIOD_S = 300.0
PER_CLIENT = 10  # of a visitor in this time
PER_NETWORK = 100  # of an address


class CodeAttemptLimiter:
    """Counts wrong codes.

    Where an address has tried too many, those who have tried none there still come in: a class is
    not kept out by one of them. Names are given out at a bounded rate, so new ones help little.

    Args:
        clock: seconds that pass.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._own = RateLimiter(PER_CLIENT, PER_CLIENT / PERIOD_S, clock)
        self._shared = RateLimiter(PER_NETWORK, PER_NETWORK / PERIOD_S, clock)
        self._wrong = RateLimiter(1, 1 / PERIOD_S, clock)

    def require_allowed(self, who: Client) -> None:
        """Let somebody try a code.

        Raises:
            RequestError: they have tried too many.
        """
        wait = self._own.retry_after(who.owner_hash)
        if not who.id or self._wrong.retry_after(who.owner_hash):
            wait = max(wait, self._shared.retry_after(who.network))
        if wait:
            seconds = math.ceil(wait)
            raise RequestError(
                f"There were too many wrong codes. Look at the wall, and try again in {seconds} s.",
                429,
                seconds,
            )

    def record_failure(self, who: Client) -> None:
        """Count one that was wrong."""
        self._own.try_acquire(who.owner_hash)
        self._shared.try_acquire(who.network)
        self._wrong.try_acquire(who.owner_hash)
