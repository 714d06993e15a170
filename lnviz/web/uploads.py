"""`POST /uploads`: a visitor's file or pasted table becomes the data of a figure."""

from __future__ import annotations

from anyio import CapacityLimiter, fail_after, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from lnviz.data.uploads import MAX_BYTES, UploadError, read
from lnviz.lessons.inputs import keep

SENDERS = CapacityLimiter(8)
"""Whose files are in memory at once; what others send waits in their connections."""

READERS = CapacityLimiter(1)
"""A file of 20 MB takes a second and some hundred megabytes to read: one at a time."""

PATIENCE = 300.0
"""Seconds in which a file has to arrive: it keeps others waiting."""


class _TooLarge(UploadError):
    """A file of more bytes than are allowed."""

    def __init__(self, size: int) -> None:
        super().__init__(
            f"The file has {size:,} bytes or more, and {MAX_BYTES:,} (20 MiB) are allowed. "
            "Save fewer rows or columns."
        )


async def upload(request: Request) -> Response:
    """Read the body as the file that `?name=` says it is, and say how a figure can show it.

    The answer holds `data`, the parameter that shows it; `name`, `cases` and `features` of the
    array; `arrays`, the names of all that the file holds, of which `?array=` chooses one; and
    `left_out`, a sentence for each that cannot be shown.
    """
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return _refused("Numbers are taken from this site's own pages alone.", 403)
    query = request.query_params
    try:
        async with SENDERS:
            with fail_after(PATIENCE):
                raw = await _body(request)
            found = await to_thread.run_sync(read, query.get("name", ""), raw, limiter=READERS)
    except ClientDisconnect:
        return Response(status_code=499)  # to nobody
    except TimeoutError:
        return _refused("The file took too long to arrive. Send a smaller one.", 408)
    except UploadError as error:
        return _refused(str(error), 413 if isinstance(error, _TooLarge) else 422)
    name = query.get("array", "")
    if name not in found.arrays:
        name = next(iter(found.arrays))
    cases, features = found.arrays[name].values.shape
    return JSONResponse(
        {
            "data": keep(found.arrays[name]),
            "name": name,
            "cases": cases,
            "features": features,
            "arrays": list(found.arrays),
            "left_out": list(found.left_out),
        },
        headers={"Cache-Control": "no-store"},
    )


async def _body(request: Request) -> bytes:
    """What is sent, as far as it is allowed."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:18]) > MAX_BYTES:
        raise _TooLarge(int(declared[:18]))
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BYTES:
            raise _TooLarge(len(raw))
    return bytes(raw)


def _refused(detail: str, status: int) -> Response:
    # The rest of a body refused on its way is not read: the connection ends with the answer.
    is_cut = status in (408, 413)
    headers = {"Cache-Control": "no-store"} | ({"Connection": "close"} if is_cut else {})
    return JSONResponse({"detail": detail}, status, headers=headers)
