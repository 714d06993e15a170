"""What visitors send: taken as far as it is allowed, from this site's own pages alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import current_time, fail_after
from starlette.requests import Request

from lnviz.data.uploads import MAX_BYTES
from lnviz.errors import RequestError
from lnviz.memory import MEMORY
from lnviz.web.fair_queue import FairSemaphore, QueueFull
from lnviz.web.identity import identify_client
from lnviz.web.origin import CROSS_ORIGIN_ERROR, is_same_origin

SMALL_BYTES = 64 * 1024
MAX_WAITING = 256  # bodies of a kind, in their connections
LARGE_BODIES = FairSemaphore(4, MAX_WAITING, per_client=1)
SMALL_BODIES = FairSemaphore(64, MAX_WAITING, per_client=8)
"""Bodies of few bytes, which do not wait behind files."""

PARSE_BYTES = 200 * 2**20
"""Bytes that a file may come to take while it is read."""

IDLE_TIMEOUT_S = 10.0
"""Seconds in which more of a body has to arrive, and with which it begins."""

MIN_BYTES_PER_S = 16 * 1024
"""Bytes a second that a body has to bring after those."""

TOTAL_TIMEOUT_S = 120.0
"""Seconds in which all of a body has to arrive."""


@asynccontextmanager
async def read_body(
    request: Request, max_bytes: int = MAX_BYTES, remedy: str = "Send a smaller one."
) -> AsyncIterator[bytes]:
    """Have what is sent; others' wait as long as this is needed.

    Args:
        request: the request whose body it is.
        max_bytes: bytes that are allowed.
        remedy: what to do where there are more.

    Raises:
        RequestError: it comes from another site's page, is too large, takes too long, or comes when
            there is no room for it.
    """
    if not is_same_origin(request):
        raise RequestError(CROSS_ORIGIN_ERROR, 403)
    way = SMALL_BODIES if max_bytes <= SMALL_BYTES else LARGE_BODIES
    try:
        async with way.acquire(identify_client(request)):
            if way is LARGE_BODIES and not await MEMORY.make_room(PARSE_BYTES):
                raise RequestError(
                    "The server has no memory for a file now. Try again in 10 seconds.", 503, 10
                )
            try:
                raw = await _read(request, max_bytes, remedy)
            except TimeoutError:
                raise RequestError(
                    f"What was sent took too long to arrive. {remedy}", 408
                ) from None
            yield raw
    except QueueFull:
        raise RequestError("Others send much, too. Try again in 10 seconds.", 503, 10) from None


async def _read(request: Request, most: int, remedy: str) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal():
        _require_size(int(declared[:18]), most, remedy)
    raw, begun, stream = bytearray(), current_time(), aiter(request.stream())
    while True:
        with fail_after(IDLE_TIMEOUT_S):
            chunk = await anext(stream, None)
        if chunk is None:
            return bytes(raw)
        raw += chunk
        _require_size(len(raw), most, remedy)
        seconds = current_time() - begun
        if seconds > TOTAL_TIMEOUT_S or len(raw) < MIN_BYTES_PER_S * (seconds - IDLE_TIMEOUT_S):
            raise TimeoutError


def _require_size(size: int, most: int, remedy: str) -> None:
    if size > most:
        allowed = f"{most:,} (20 MiB)" if most == MAX_BYTES else f"{most:,}"
        raise RequestError(
            f"What was sent has {size:,} bytes or more, and {allowed} are allowed. {remedy}",
            413,
        )
