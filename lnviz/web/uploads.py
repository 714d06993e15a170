"""`POST /uploads`: a visitor's file or pasted table becomes the data of a figure."""

from __future__ import annotations

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lnviz.data.uploads import MAX_BYTES, UploadError, read
from lnviz.lessons.inputs import keep

READERS = CapacityLimiter(1)
"""A file of 20 MB takes a second and some hundred megabytes to read: one at a time."""


async def upload(request: Request) -> Response:
    """Read the body as the file that `?name=` says it is, and say how a figure can show it.

    The answer holds `data`, the parameter that shows it; `name`, `cases` and `features` of the
    array; `arrays`, the names of all that the file holds, of which `?array=` chooses one; and
    `left_out`, a sentence for each that cannot be shown.
    """
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return _refused("Numbers are taken from this site's own pages alone.", 403)
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:18]) > MAX_BYTES:
        return _refused(_too_large(int(declared[:18])), 413)
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > MAX_BYTES:
            return _refused(_too_large(len(raw)), 413)
    query = request.query_params
    try:
        found = await to_thread.run_sync(read, query.get("name", ""), bytes(raw), limiter=READERS)
    except UploadError as error:
        return _refused(str(error), 422)
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


def _too_large(size: int) -> str:
    return (
        f"The file has {size:,} bytes or more, and {MAX_BYTES:,} (20 MiB) are allowed. "
        "Save fewer rows or columns."
    )


def _refused(detail: str, status: int) -> Response:
    # The rest of a body that is too large is not read: the connection ends with the answer.
    headers = {"Cache-Control": "no-store"} | ({"Connection": "close"} if status == 413 else {})
    return JSONResponse({"detail": detail}, status, headers=headers)
