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
from lnviz.web.identity import CROSS_ORIGIN_ERROR, identify_client, is_same_origin

FEW_BYTES = 64 * 1024
WAITING = 256  # bodies of a kind, in their connections
SLOW_S = 2.0  # that a body may take while others wait and its sender has most on their way
FILES = FairSemaphore(4, WAITING, SLOW_S)
NOTES = FairSemaphore(64, WAITING, SLOW_S)
"""Bodies of few bytes, which do not wait behind files."""

READING = 200 * 2**20
"""Bytes that a file may come to take while it is read."""

SILENCE = 10.0
"""Seconds in which more of a body has to arrive, and with which it begins."""

PACE = 16 * 1024
"""Bytes a second that a body has to bring after those."""

WHOLE_S = 120.0
"""Seconds in which all of a body has to arrive."""


@asynccontextmanager
async def received(
    request: Request, most: int = MAX_BYTES, remedy: str = "Send a smaller one."
) -> AsyncIterator[bytes]:
    """Have what is sent; others' wait as long as this is needed.

    Args:
        request: the request whose body it is.
        most: bytes that are allowed.
        remedy: what to do where there are more.

    Raises:
        RequestError: it comes from another site's page, is too large, takes too long, or comes when
            there is no room for it.
    """
    if not is_same_origin(request):
        raise RequestError(CROSS_ORIGIN_ERROR, 403)
    way = NOTES if most <= FEW_BYTES else FILES
    try:
        async with way.acquire(identify_client(request)) as turn:
            if way is FILES and not await MEMORY.make_room(READING):
                raise RequestError(
                    "The server has no memory for a file now. Try again in 10 seconds.", 503, 10
                )
            try:
                raw = await _read(request, most, remedy)
            except TimeoutError:
                raise RequestError(
                    f"What was sent took too long to arrive. {remedy}", 408
                ) from None
            turn.settled = True
            yield raw
    except QueueFull:
        raise RequestError("Others send much, too. Try again in 10 seconds.", 503, 10) from None


async def _read(request: Request, most: int, remedy: str) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal():
        _fits(int(declared[:18]), most, remedy)
    raw, begun, stream = bytearray(), current_time(), aiter(request.stream())
    while True:
        with fail_after(SILENCE):
            chunk = await anext(stream, None)
        if chunk is None:
            return bytes(raw)
        raw += chunk
        _fits(len(raw), most, remedy)
        seconds = current_time() - begun
        if seconds > WHOLE_S or len(raw) < PACE * (seconds - SILENCE):
            raise TimeoutError


def _fits(size: int, most: int, remedy: str) -> None:
    if size > most:
        allowed = f"{most:,} (20 MiB)" if most == MAX_BYTES else f"{most:,}"
        raise RequestError(
            f"What was sent has {size:,} bytes or more, and {allowed} are allowed. {remedy}",
            413,
        )
