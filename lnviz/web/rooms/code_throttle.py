"""Rate limit on wrong room codes, which stops attackers from guessing room codes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from lnviz.errors import RequestError
from lnviz.web.identity import Client
from lnviz.web.rate_limit import RateLimiter

PERIOD_S = 300.0
PER_CLIENT = 10  # wrong codes in `PERIOD_S`
PER_NETWORK = 100


class CodeAttemptLimiter:
    """Rate limit on wrong room codes, for each client and for each network.

    In a network that is over its limit, clients that have not tried a wrong code are still
    admitted, so that one student cannot lock out a class. Since new client ids are issued at a
    bounded rate, they do not help an attacker much.

    Args:
        clock: Returns the time of a monotonic clock in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clients = RateLimiter(PER_CLIENT, PER_CLIENT / PERIOD_S, clock)
        self._networks = RateLimiter(PER_NETWORK, PER_NETWORK / PERIOD_S, clock)
        self._suspects = RateLimiter(1, 1 / PERIOD_S, clock)

    def require_allowed(self, client: Client) -> None:
        """Raise an error if a client may not try another room code now.

        Raises:
            RequestError: There were too many wrong codes.
        """
        wait = self._clients.retry_after(client.owner_hash)
        if not client.id or self._suspects.retry_after(client.owner_hash):
            wait = max(wait, self._networks.retry_after(client.network))
        if wait:
            seconds = math.ceil(wait)
            raise RequestError(
                f"Too many wrong codes. Check the projector, and try again in {seconds} s.",
                429,
                seconds,
            )

    def record_failure(self, client: Client) -> None:
        """Count a wrong room code against the limits of a client and its network."""
        self._clients.try_acquire(client.owner_hash)
        self._networks.try_acquire(client.network)
        self._suspects.try_acquire(client.owner_hash)
