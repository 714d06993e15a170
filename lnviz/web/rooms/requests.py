"""What a request about a room says, and how it is answered."""

from __future__ import annotations

import json
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lnviz.book import present
from lnviz.errors import RequestError
from lnviz.rooms.channels import Role
from lnviz.rooms.schema import PollQuestion
from lnviz.web.assets import base_path
from lnviz.web.identity import identify_client
from lnviz.web.identity_cookie import set_cookie
from lnviz.web.request_body import read_body
from lnviz.web.responses import NO_STORE

MAX_BODY_BYTES = 2048  # bytes
KEY = "lnviz-room-{code}"
KEY_S = 36 * 3600  # as long as there is something of a room
ROLES: tuple[Role, ...] = ("seat", "screen", "remote")


def room_code(request: Request) -> str:
    """Return the room's code, however it was typed."""
    return str(request.path_params["code"]).replace(" ", "")


def presenter_key(request: Request) -> str:
    """Return the key of the room that the browser has; "" for none."""
    return request.cookies.get(KEY.format(code=room_code(request)), "")


def client_id(request: Request) -> str:
    """Return the name of the browser.

    Raises:
        RequestError: it has none.
    """
    named = identify_client(request).id
    if not named:
        raise RequestError("This browser has no name here yet. Open the room's page again.", 401)
    return named


def requested_role(request: Request) -> Role:
    """Return as what somebody wants to hear of a room.

    Raises:
        RequestError: there is no such role.
    """
    given = request.query_params.get("as", "seat")
    if given not in ROLES:
        raise RequestError(f"One hears of a room as {', '.join(ROLES)}; got {given[:24]!r}.", 422)
    return given


async def json_body(request: Request) -> dict[str, Any]:
    """Return what is sent, as JSON; nothing is an empty document.

    Raises:
        RequestError: it is no document, or not taken.
    """
    async with read_body(request, MAX_BODY_BYTES) as raw:
        try:
            document = json.loads(raw or b"{}")
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise RequestError("What is sent to a room is a document in JSON.", 422)
        return document


async def question_of_screen(lesson: Any, screen: Any) -> PollQuestion | None:
    """Return what a screen asks, as a room is told it.

    Raises:
        RequestError: there is no such screen.
    """
    if not isinstance(lesson, str) or isinstance(screen, bool) or not isinstance(screen, str | int):
        raise RequestError("A screen is named by its lesson, and by its name or its number.", 422)
    try:
        return await to_thread.run_sync(present.find_question, lesson, screen)
    except LookupError as error:
        raise RequestError(str(error.args[0]), 422) from None


def json_response(document: Any, status: int = 200) -> Response:
    """Return an answer that nobody keeps."""
    return JSONResponse(document, status, NO_STORE)


def no_content() -> Response:
    """Return the answer to what was done and says nothing."""
    return Response(status_code=204, headers=NO_STORE)


def set_key_cookie(request: Request, response: Response, code: str, key: str) -> None:
    """Have the browser keep the key of a room, for the room's own addresses."""
    path = f"{base_path()}/rooms/{code}"
    set_cookie(request, response, KEY.format(code=code), key, KEY_S, path)
