"""Reading of same-origin request bodies, with limits on their size, time and number."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from anyio import current_time, fail_after
from starlette.requests import Request

from lnviz.data.uploads import MAX_BYTES
from lnviz.errors import RequestError
from lnviz.memory import MEMORY
from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.identity import identify_client
from lnviz.web.origin import CROSS_ORIGIN_ERROR, is_same_origin

SMALL_BYTES = 64 * 1024
MAX_WAITING = 256  # requests
LARGE_BODIES = FairSemaphore(4, MAX_WAITING, per_client=1)
SMALL_BODIES = FairSemaphore(64, MAX_WAITING, per_client=8)
"""Concurrent small bodies, which do not wait for uploads of files."""

PARSE_BYTES = 200 * 2**20
"""Peak memory of parsing a file, estimated."""

IDLE_TIMEOUT_S = 10.0
"""Time allowed without a byte, and before `MIN_BYTES_PER_S` applies."""

MIN_BYTES_PER_S = 16 * 1024
"""Minimum average rate after `IDLE_TIMEOUT_S`."""

TOTAL_TIMEOUT_S = 120.0
"""Time allowed for the whole body."""


@asynccontextmanager
async def read_body(
    request: Request, max_bytes: int = MAX_BYTES, remedy: str = "Send a smaller one."
) -> AsyncIterator[bytes]:
    """Context manager that reads a request's body, and holds one of a limited number of slots.

    Args:
        request: The request.
        max_bytes: Maximum size.
        remedy: Advice for the user whose body is too large or too slow.

    Raises:
        RequestError: The request is cross-origin, the body is too large or too slow, or memory is
            short.
        QueueFull: Too many requests wait for a slot.
    """
    if not is_same_origin(request):
        raise RequestError(CROSS_ORIGIN_ERROR, 403)
    slots = SMALL_BODIES if max_bytes <= SMALL_BYTES else LARGE_BODIES
    async with slots.acquire(identify_client(request)):
        if slots is LARGE_BODIES and not await MEMORY.make_room(PARSE_BYTES):
            raise RequestError(
                "The server is out of memory for files. Try again in 10 seconds.", 503, 10
            )
        try:
            raw = await _read(request, max_bytes, remedy)
        except TimeoutError:
            raise RequestError(f"The upload took too long. {remedy}", 408) from None
        yield raw


def parse_json(raw: bytes) -> Any:
    """Return a JSON document, all of whose texts can be encoded.

    Raises:
        ValueError: It is not JSON, is nested too deeply, or has a surrogate without its other half,
            which neither a database nor a response can hold.
    """
    try:
        document = json.loads(raw)
        json.dumps(document, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError("a text in it cannot be read") from error
    return document


async def _read(request: Request, max_bytes: int, remedy: str) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal():
        _require_size(int(declared[:18]), max_bytes, remedy)
    raw, started, stream = bytearray(), current_time(), aiter(request.stream())
    while True:
        with fail_after(IDLE_TIMEOUT_S):
            chunk = await anext(stream, None)
        if chunk is None:
            return bytes(raw)
        raw += chunk
        _require_size(len(raw), max_bytes, remedy)
        seconds = current_time() - started
        if seconds > TOTAL_TIMEOUT_S or len(raw) < MIN_BYTES_PER_S * (seconds - IDLE_TIMEOUT_S):
            raise TimeoutError


def _require_size(size: int, max_bytes: int, remedy: str) -> None:
    if size > max_bytes:
        allowed = f"{max_bytes:,} (20 MiB)" if max_bytes == MAX_BYTES else f"{max_bytes:,}"
        raise RequestError(
            f"The upload has at least {size:,} bytes; at most {allowed} are allowed. {remedy}",
            413,
        )
