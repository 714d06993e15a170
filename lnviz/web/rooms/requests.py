"""Helpers for HTTP requests about rooms (code, key, role, body) and for the responses."""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lnviz.book import present
from lnviz.errors import RequestError
from lnviz.rooms.channels import Role
from lnviz.rooms.join_urls import is_loopback
from lnviz.rooms.retention import IDLE_AFTER_S, KEEP_ENDED_S
from lnviz.rooms.schema import PollQuestion
from lnviz.web.assets import base_path
from lnviz.web.identity import identify_client
from lnviz.web.identity_cookie import set_cookie
from lnviz.web.request_body import parse_json, read_body
from lnviz.web.responses import NO_STORE

MAX_BODY_BYTES = 2**14  # a text that a presenter shares, in any script
KEY_COOKIE = "lnviz-room-{code}"
KEY_MAX_AGE_S = int(IDLE_AFTER_S + KEEP_ENDED_S)  # as long as a room may be stored
ROLES: tuple[Role, ...] = ("seat", "screen", "remote")


def room_code(request: Request) -> str:
    """Return the room code in the request's path, without a space."""
    return str(request.path_params["code"]).replace(" ", "")


def presenter_key(request: Request) -> str:
    """Return the presenter key from the room's cookie, or "" without a cookie."""
    return request.cookies.get(KEY_COOKIE.format(code=room_code(request)), "")


def client_id(request: Request) -> str:
    """Return the client id from the request's identity cookie.

    Raises:
        RequestError: The request has no valid identity cookie.
    """
    client = identify_client(request).id
    if not client:
        raise RequestError("This browser has not joined yet. Open the room’s page again.", 401)
    return client


def is_remote_url(request: Request) -> bool:
    """Return whether a client uses a URL that other machines can use, too."""
    return not is_loopback(request.url.hostname or "")


def requested_role(request: Request) -> Role:
    """Return the client's role in the room, given by the query parameter `as`.

    Raises:
        RequestError: There is no such role.
    """
    role = request.query_params.get("as", "seat")
    if role not in ROLES:
        raise RequestError(f"A role must be one of {', '.join(ROLES)}, but got {role[:24]!r}.", 422)
    return role


async def json_body(request: Request) -> dict[str, Any]:
    """Return the request's body as a JSON object; an empty body is an empty object.

    Raises:
        RequestError: The body is not a JSON object or is too large, or the request is
            cross-origin.
    """
    async with read_body(request, MAX_BODY_BYTES) as raw:
        try:
            document = parse_json(raw or b"{}")
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise RequestError("A room accepts a JSON object of readable text.", 422)
        return document


async def question_of_screen(lesson: Any, screen: Any) -> PollQuestion | None:
    """Return the question on a lesson's screen; None if the screen has no question or figure.

    Raises:
        RequestError: There is no such screen.
    """
    if not isinstance(lesson, str) or isinstance(screen, bool) or not isinstance(screen, str | int):
        raise RequestError("A screen must be given by its lesson and by its name or number.", 422)
    try:
        return await to_thread.run_sync(present.find_question, lesson, screen)
    except LookupError as error:
        raise RequestError(str(error.args[0]), 422) from None


def json_response(document: Any, status: int = 200) -> Response:
    """Return a JSON response that is not cached."""
    return JSONResponse(document, status, NO_STORE)


def no_content() -> Response:
    """Return an empty response that is not cached."""
    return Response(status_code=204, headers=NO_STORE)


def set_key_cookie(request: Request, response: Response, code: str, key: str) -> None:
    """Set a cookie with a presenter key, valid for the room's URLs."""
    path = f"{base_path()}/rooms/{code}"
    set_cookie(request, response, KEY_COOKIE.format(code=code), key, KEY_MAX_AGE_S, path)
