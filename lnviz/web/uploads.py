"""`POST /uploads`: a visitor's table, or a run, becomes what a figure shows."""

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
from lnviz.web.errors import answering
from lnviz.web.identity import Client, identify_client
from lnviz.web.request_body import read_body
from lnviz.web.responses import NO_STORE

FEWER_PASSES, SMALLER_TABLE = "Watch fewer passes.", "Save fewer rows or columns."
"""What to do where a file is too large."""

PARSE_LIMITER = CapacityLimiter(1)
"""Reads one file at a time: one of 20 MB takes a second and some hundred megabytes."""


@answering
async def upload(request: Request) -> Response:
    """Read the body as the file that `?name=` says it is, and say how a figure can show it.

    The answer holds `data`, the parameter that shows it, `read`, a sentence that says what was
    read, `name`, that of the array, `arrays`, the names of all that the file holds, of which
    `?array=` chooses one, and `left_out`, a sentence for each that cannot be shown.
    """
    query = request.query_params
    name = query.get("name", "")
    taken, remedy = (
        (_parse_run, FEWER_PASSES) if name.endswith(ENDING) else (_parse_table, SMALLER_TABLE)
    )
    async with read_body(request, remedy=remedy) as raw:
        who = identify_client(request)
        taking = partial(taken, name, raw, query.get("array", ""), who)
        taken_in = await to_thread.run_sync(taking, limiter=PARSE_LIMITER)
    return JSONResponse(taken_in, headers=NO_STORE)


def _parse_table(file: str, raw: bytes, array: str, who: Client) -> dict[str, Any]:
    found = read(file, raw)
    name = array if array in found.arrays else next(iter(found.arrays))
    table = found.arrays[name]
    cases, features = table.values.shape
    return {
        "data": store_table(table, who.owner_hash, who.network_hash),
        "read": f"Read: {name}, {cases:,} examples of {features:,} features.",
        "name": name,
        "arrays": list(found.arrays),
        "left_out": list(found.left_out),
    }


def _parse_run(file: str, raw: bytes, array: str, who: Client) -> dict[str, Any]:
    run = uploaded_run.read(file, raw)
    calls = sum(len(norm.calls["call"]) for norm in run.norms.values())
    return {
        "data": uploaded_run.keep(raw, who.owner_hash, who.network_hash),
        "read": f"Read: {sanitize(file)}, norms: {len(run.norms):,}, calls: {calls:,}.",
        "name": "",
        "arrays": [],
        "left_out": [],
    }
