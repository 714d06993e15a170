"""`POST /uploads`: a visitor's file or pasted table becomes the data of a figure."""

from __future__ import annotations

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from lnviz.data.uploads import UploadError, read
from lnviz.database.connection import StoreError
from lnviz.database.uploads import NoRoom
from lnviz.lessons.inputs import keep
from lnviz.web.answers import NO_STORE, refused
from lnviz.web.bodies import Unwanted, received
from lnviz.web.visitors import visitor

READERS = CapacityLimiter(1)
"""Reads one file at a time: one of 20 MB takes a second and some hundred megabytes."""


async def upload(request: Request) -> Response:
    """Read the body as the file that `?name=` says it is, and say how a figure can show it.

    The answer holds `data`, the parameter that shows it; `name`, `cases` and `features` of the
    array; `arrays`, the names of all that the file holds, of which `?array=` chooses one; and
    `left_out`, a sentence for each that cannot be shown.
    """
    query = request.query_params
    try:
        async with received(request, remedy="Save fewer rows or columns.") as raw:
            file = await to_thread.run_sync(read, query.get("name", ""), raw, limiter=READERS)
            name = query.get("array", "")
            if name not in file.arrays:
                name = next(iter(file.arrays))
            table = file.arrays[name]
            who = visitor(request)
            data = await to_thread.run_sync(keep, table, who.owner, who.home, limiter=READERS)
    except ClientDisconnect:
        return Response(status_code=499)  # to nobody
    except Unwanted as error:
        return refused(str(error), error.status, error.seconds)
    except UploadError as error:
        return refused(str(error), 422)
    except (NoRoom, StoreError) as error:
        return refused(str(error), 503)
    cases, features = table.values.shape
    return JSONResponse(
        {
            "data": data,
            "name": name,
            "cases": cases,
            "features": features,
            "arrays": list(file.arrays),
            "left_out": list(file.left_out),
        },
        headers=NO_STORE,
    )
