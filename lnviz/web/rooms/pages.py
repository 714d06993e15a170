"""HTML pages of classroom rooms: join page, phone page and presenter's remote control."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from lnviz.book.teach.plan_slides import find_plan
from lnviz.errors import RequestError
from lnviz.rooms import presenter
from lnviz.rooms.auth import find_room
from lnviz.rooms.join_urls import qr_svg
from lnviz.web.assets import assets_url, base_path
from lnviz.web.identity import page_response
from lnviz.web.responses import NO_STORE
from lnviz.web.rooms.app_shell import app_shell
from lnviz.web.rooms.presenters import PresenterEndpoints, app_urls
from lnviz.web.rooms.requests import (
    is_remote_url,
    json_body,
    json_response,
    presenter_key,
    room_code,
    set_key_cookie,
)
from lnviz.web.rooms.room_service import RoomService, is_unknown_code
from lnviz.web.standalone_page import standalone_page

QUERY_VALUE = re.compile(r"[a-z0-9.,-]{1,1000}")
"""Pattern of a value in the remote's query string; a QR code must have room for all of them."""


class RoomPages:
    """Endpoints that return the HTML pages of classroom rooms.

    Args:
        service: Access to the rooms.
        presenters: Endpoints of presenters.
    """

    def __init__(self, service: RoomService, presenters: PresenterEndpoints) -> None:
        self._service = service
        self._presenters = presenters

    async def join_page(self, request: Request) -> Response:
        """`GET /join`: return the page that asks for a room code."""
        return page_response(request, app_shell("phone", "Join a room", ""))

    async def phone_page(self, request: Request) -> Response:
        """`GET /482913` (a room code): return the page for a participant's phone."""
        code = room_code(request)
        if code != request.path_params["code"]:
            return RedirectResponse(f"{base_path()}/{code}")
        await self._service.read(request, lambda session: find_room(session, code).id)
        return _phone(request, room=code)

    async def create_remote_link(self, request: Request) -> Response:
        """`POST /rooms/CODE/remote`: create a one-time link to the presenter's remote control.

        The fields `{plan, lesson, only}` select the screens that the remote control can show.
        """
        query = _remote_query(await json_body(request))
        code, key = room_code(request), presenter_key(request)
        token = await self._service.write(
            request, lambda tx: presenter.create_remote_token(tx, code, key)
        )
        encoded = urlencode(query | {"once": token}, safe=",")
        link = f"{app_urls(request)[0]}/rooms/{code}/remote?{encoded}"
        seconds = int(presenter.TOKEN_TTL_S)
        return json_response({"link": link, "svg": qr_svg(link), "seconds": seconds})

    async def remote_page(self, request: Request) -> Response:
        """`GET /rooms/CODE/remote`: return the remote control.

        With a token (`once`) in the URL, its script asks to be let in; see `request_remote`.
        """
        code = room_code(request)
        if request.query_params.get("once"):
            await self._service.read(request, lambda session: find_room(session, code).id)
        else:
            await self._presenters.require_presenter(request)
        return page_response(request, app_shell("remote", f"Remote of {code[:3]} {code[3:]}", code))

    async def request_remote(self, request: Request) -> Response:
        """`POST /rooms/CODE/remotes`: ask to present, with a one-time `{token}`.

        The response has the browser's number and sets its presenter key, which is valid once a
        presenter admits the number.
        """
        body = await json_body(request)
        code, token = room_code(request), str(body.get("token", ""))
        remotely = is_remote_url(request)
        key, number = await self._service.write(
            request, lambda tx: presenter.request_remote(tx, code, token, remotely)
        )
        response = json_response({"number": number, "admitted": False}, 201)
        set_key_cookie(request, response, code, key)
        return response

    async def remote_status(self, request: Request) -> Response:
        """`GET /rooms/CODE/remotes`: return this browser's number, and whether it is admitted."""
        code, key = room_code(request), presenter_key(request)
        status = await self._service.read(
            request, lambda session: presenter.remote_status(session, code, key)
        )
        return json_response(status)


def phone_error_page(request: Request, error: RequestError) -> Response:
    """Return the participant's page as an error response; its script retries and shows the error.

    The page is the same for an unknown code and for a throttled client, so that it reveals no
    codes.
    """
    return _phone(request, 404 if is_unknown_code(error) else 200)


def remote_error_page(request: Request, error: RequestError) -> Response:
    """Return a page with an error message instead of the remote control."""
    page = standalone_page(
        "No remote here", "No remote here", f"<p>{escape(str(error))}</p>", assets_url()
    )
    headers = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
    return HTMLResponse(page, error.status, NO_STORE | headers)


def _phone(request: Request, status: int = 200, room: str = "") -> Response:
    code = room_code(request)
    shell = app_shell("phone", f"Room {code[:3]} {code[3:]}", code)
    return page_response(request, shell, status, room)


def _remote_query(args: Mapping[str, Any]) -> dict[str, str]:
    """Return the valid URL parameters of the remote control: `plan`, `lesson` and `only`."""
    query = {key: args[key] for key in ("plan", "lesson", "only") if isinstance(args.get(key), str)}
    if not find_plan(query.get("plan", "")):
        query.pop("plan", None)
    return {key: text for key, text in query.items() if QUERY_VALUE.fullmatch(text)}
