"""What visitors send: taken as far as it is allowed, from this site's own pages alone."""

from __future__ import annotations

from anyio import CapacityLimiter, fail_after
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lnviz.data.uploads import MAX_BYTES

NO_STORE = {"Cache-Control": "no-store"}

SENDERS = CapacityLimiter(8)
"""Whose bodies are in memory at once; what others send waits in their connections."""

PATIENCE = 300.0
"""Seconds in which a body has to arrive: it keeps others waiting."""

FEW_BYTES = 64 * 1024
SHORT = CapacityLimiter(64)
LITTLE_PATIENCE = 10.0
"""The same for bodies of so few bytes, which do not wait behind files."""


class Unwanted(Exception):
    """A request whose body is not taken; the message says why and what to do.

    Attributes:
        status: of the answer.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


async def body(
    request: Request, most: int = MAX_BYTES, remedy: str = "Send a smaller one."
) -> bytes:
    """Return what is sent.

    Args:
        request: whose body it is.
        most: bytes that are allowed.
        remedy: what to do where there are more.

    Raises:
        Unwanted: it comes from another site's page, is too large, or takes too long.
    """
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise Unwanted("This is taken from this site's own pages alone.", 403)
    try:
        small = most <= FEW_BYTES
        async with SHORT if small else SENDERS:
            with fail_after(LITTLE_PATIENCE if small else PATIENCE):
                return await _read(request, most, remedy)
    except TimeoutError:
        raise Unwanted(f"What was sent took too long to arrive. {remedy}", 408) from None


async def _read(request: Request, most: int, remedy: str) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isdecimal():
        _fits(int(declared[:18]), most, remedy)
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        _fits(len(raw), most, remedy)
    return bytes(raw)


def _fits(size: int, most: int, remedy: str) -> None:
    if size > most:
        allowed = f"{most:,} (20 MiB)" if most == MAX_BYTES else f"{most:,}"
        raise Unwanted(
            f"What was sent has {size:,} bytes or more, and {allowed} are allowed. {remedy}",
            413,
        )


def refused(detail: str, status: int, **more: str) -> Response:
    """Return the answer to what is not done: a sentence, and what else there is to know."""
    # The rest of a body refused on its way is not read: the connection ends with the answer.
    is_cut = status in (408, 413)
    headers = NO_STORE | ({"Connection": "close"} if is_cut else {})
    readable = detail.encode("utf-8", "replace").decode()  # JSON may bring halves of characters
    return JSONResponse({"detail": readable} | more, status, headers=headers)
