"""Endpoint `POST /uploads`: stores a table or a recorded run that a figure can show."""

from __future__ import annotations

from functools import partial
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lnviz.data.uploads import read
from lnviz.data.uploads.requirements import sanitize
from lnviz.lessons.data_parameters import store_table
from lnviz.lessons.inside import uploaded_run
from lnviz.lessons.inside.uploaded_run import ENDING
from lnviz.web.identity import Client, identify_client
from lnviz.web.request_body import read_body
from lnviz.web.responses import NO_STORE

FEWER_PASSES, SMALLER_TABLE = "Watch fewer passes.", "Save fewer rows or columns."
"""Advice for files that are too large."""

PARSE_LIMITER = CapacityLimiter(1)
"""Parses one file at a time, since 20 MB take a second and hundreds of megabytes."""


async def upload(request: Request) -> Response:
    """Store the request's body as a file named `?name=`; return the figure parameter that shows it.

    The response has these fields: `data`, the value of the figure's parameter; `read`, a sentence
    that describes the content; `arrays`, the names of all arrays in the file; `name`, the name of
    the stored array, which `?array=` selects; and `left_out`, sentences on what is not shown;
    and `also`, further parameters of the figure, which open a run at its worst finding.
    """
    query = request.query_params
    name = query.get("name", "")
    parse, remedy = (
        (_parse_run, FEWER_PASSES) if name.endswith(ENDING) else (_parse_table, SMALLER_TABLE)
    )
    async with read_body(request, remedy=remedy) as raw:
        client = identify_client(request)
        document = await to_thread.run_sync(
            partial(parse, name, raw, query.get("array", ""), client), limiter=PARSE_LIMITER
        )
    return JSONResponse(document, headers=NO_STORE)


def _parse_table(file: str, raw: bytes, array: str, client: Client) -> dict[str, Any]:
    upload = read(file, raw)
    name = array if array in upload.arrays else next(iter(upload.arrays))
    table = upload.arrays[name]
    cases, features = table.values.shape
    sign = ["Of two features, LayerNorm leaves only which is larger: −1 and 1."] * (features == 2)
    return {
        "data": store_table(table, client.owner_hash, client.network_hash),
        "read": f"Read: {name}, {cases:,} examples of {features:,} features.",
        "name": name,
        "arrays": list(upload.arrays),
        "left_out": [*sign, *upload.notes.get(name, ()), *upload.left_out],
        "also": {},
    }


def _parse_run(file: str, raw: bytes, array: str, client: Client) -> dict[str, Any]:
    # Here, since it imports the figures of a lesson.
    from lnviz.lessons.inside.run import SHOWN, worst_figure

    run = uploaded_run.parse_named_run(file, raw)
    calls = sum(len(norm.calls["call"]) for norm in run.norms.values())
    return {
        "data": uploaded_run.store_run(raw, client.owner_hash, client.network_hash),
        "read": f"Read: {sanitize(file)}, norms: {len(run.norms):,}, calls: {calls:,}.",
        "name": "",
        "arrays": [],
        "left_out": [],
        "also": {SHOWN.name: worst_figure(run)},
    }
