"""The pages of a room: of phones, and of the teacher's remote with the link that makes one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from lnviz.book.teach.plan_slides import find_plan as find_plan
from lnviz.errors import RequestError
from lnviz.rooms.auth import find_room
from lnviz.rooms.join_urls import qr_svg
from lnviz.rooms.transactions import TOKEN_TTL_S
from lnviz.web.assets import assets_url, base_path
from lnviz.web.identity import page_response
from lnviz.web.responses import NO_STORE
from lnviz.web.rooms.app_shell import app_shell
from lnviz.web.rooms.endpoints import RoomService, is_unknown_code
from lnviz.web.rooms.presenters import PresenterEndpoints, app_urls
from lnviz.web.rooms.requests import (
    json_body,
    json_response,
    presenter_key,
    room_code,
    set_key_cookie,
)
from lnviz.web.standalone_page import standalone_page

NAMES = re.compile(r"[a-z0-9.,-]{1,1000}")
"""What names screens in the address of a remote; all of them stand in a QR code."""


class RoomPages:
    """What browsers are shown of rooms.

    Args:
        access: the rooms.
        teachers: know who leads a room.
    """

    def __init__(self, access: RoomService, teachers: PresenterEndpoints) -> None:
        self._access = access
        self._teachers = teachers

    async def join_page(self, request: Request) -> Response:
        """`GET /join`: where a phone asks for the code."""
        return page_response(request, app_shell("phone", "Join a room", ""))

    async def phone_page(self, request: Request) -> Response:
        """`GET /482913`: what a phone shows of this room."""
        at = room_code(request)
        if at != request.path_params["code"]:
            return RedirectResponse(f"{base_path()}/{at}")
        await self._access.read(request, lambda session: find_room(session, at).id)
        return _phone(request)

    async def create_remote_link(self, request: Request) -> Response:
        """`POST /rooms/CODE/remote`: a link that makes a phone the remote, once.

        `{plan, lesson, only}` say what the remote goes through.
        """
        through = _remote_query(await json_body(request))
        at, held = room_code(request), presenter_key(request)
        token = await self._access.write(request, lambda tx: tx.create_remote_token(at, held))
        said = urlencode(through | {"once": token}, safe=",")
        link = f"{app_urls(request)[0]}/rooms/{at}/remote?{said}"
        return json_response({"link": link, "svg": qr_svg(link), "seconds": int(TOKEN_TTL_S)})

    async def remote_page(self, request: Request) -> Response:
        """`GET /rooms/CODE/remote`: the teacher's remote."""
        at, once = room_code(request), request.query_params.get("once", "")
        if once:
            held = await self._access.write(request, lambda tx: tx.redeem_remote_token(at, once))
            through = urlencode(_remote_query(request.query_params), safe=",")
            there = f"{base_path()}/rooms/{at}/remote{through and f'?{through}'}"
            led = RedirectResponse(there, 303, NO_STORE)
            set_key_cookie(request, led, at, held)
            return led
        await self._teachers.require_presenter(request)
        return page_response(request, app_shell("remote", f"Remote of {at[:3]} {at[3:]}", at))


def phone_error_page(request: Request, error: RequestError) -> Response:
    """Return the phone's page where something went wrong: its script asks again, and says why.

    Whoever tries codes hears no more of them here.
    """
    return _phone(request, 404 if is_unknown_code(error) else 200)


def remote_error_page(request: Request, error: RequestError) -> Response:
    """Return a page in place of the remote, with what went wrong."""
    said = standalone_page(
        "No remote here", "No remote here", f"<p>{escape(str(error))}</p>", assets_url()
    )
    later = {"Retry-After": str(error.retry_after)} if error.retry_after else {}
    return HTMLResponse(said, error.status, NO_STORE | later)


def _phone(request: Request, status: int = 200) -> Response:
    at = room_code(request)
    return page_response(request, app_shell("phone", f"Room {at[:3]} {at[3:]}", at), status)


def _remote_query(said: Mapping[str, Any]) -> dict[str, str]:
    """What a remote goes through, as its address says it: what is no plan or name is left out."""
    texts = {key: said[key] for key in ("plan", "lesson", "only") if isinstance(said.get(key), str)}
    if not find_plan(texts.get("plan", "")):
        texts.pop("plan", None)
    return {key: text for key, text in texts.items() if NAMES.fullmatch(text)}
