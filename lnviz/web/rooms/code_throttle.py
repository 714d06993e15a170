"""Who may try codes of rooms: a few wrong ones are a mistake, many are a search."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from lnviz.errors import RequestError
from lnviz.web.identity import Visitor
from lnviz.web.rate_limit import Rate

PERIOD_S = 300.0
OWN = 10  # of a visitor in this time
SHARED = 100  # of an address


class Guesses:
    """Counts wrong codes.

    Where an address has tried too many, those who have tried none there still come in: a class is
    not kept out by one of them. Names are given out at a bounded rate, so new ones help little.

    Args:
        clock: seconds that pass.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._own = Rate(OWN, OWN / PERIOD_S, clock)
        self._shared = Rate(SHARED, SHARED / PERIOD_S, clock)
        self._wrong = Rate(1, 1 / PERIOD_S, clock)

    def check(self, who: Visitor) -> None:
        """Let somebody try a code.

        Raises:
            RequestError: they have tried too many.
        """
        wait = self._own.due(who.owner)
        if not who.name or self._wrong.due(who.owner):
            wait = max(wait, self._shared.due(who.address))
        if wait:
            seconds = math.ceil(wait)
            raise RequestError(
                f"There were too many wrong codes. Look at the wall, and try again in {seconds} s.",
                429,
                seconds,
            )

    def wrong(self, who: Visitor) -> None:
        """Count one that was wrong."""
        self._own.take(who.owner)
        self._shared.take(who.address)
        self._wrong.take(who.owner)
