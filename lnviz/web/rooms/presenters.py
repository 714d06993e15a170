"""What a teacher does with a room: open it, lead it, take its answers away, and end it."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from lnviz.errors import RequestError
from lnviz.rooms import queries
from lnviz.rooms.auth import NO_KEY, find_room, is_presenter_key
from lnviz.rooms.join_urls import lan_urls, qr_svg, wifi_uri
from lnviz.rooms.simulation import toggle_simulated
from lnviz.web.assets import base_path, origin
from lnviz.web.identity import Client, identify_client
from lnviz.web.payload_service import PayloadService
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import NO_STORE
from lnviz.web.rooms.endpoints import RoomService
from lnviz.web.rooms.requests import (
    json_body,
    json_response,
    no_content,
    presenter_key,
    question_of_screen,
    room_code,
    set_key_cookie,
)
from lnviz.web.simulated_answers import simulated_answers

OPENED = 8
"""Rooms that an address may open at once, of the 50 that there are.

The classes of a school that begin together share an address. Behind nginx each of three processes
counts for itself: an address that goes through all of them has 24, and leaves others as many."""

AGAIN_S = 450.0
"""Seconds after which it may open one more: eight in an hour, when the next lessons begin."""

WIFI = 64  # letters of its name, and of its password


class PresenterEndpoints:
    """What is answered to those who lead rooms.

    Args:
        access: the rooms.
        payloads: of the figures that pretend students move.
    """

    def __init__(self, access: RoomService, payloads: PayloadService) -> None:
        self._access = access
        self._payloads = payloads
        self._poses = RateLimiter(burst=2, per_second=2)  # of a key of a room
        self._opened = RateLimiter(burst=5, per_second=1 / 60)  # of a visitor
        self._opened_there = RateLimiter(burst=OPENED, per_second=1 / AGAIN_S)  # of an address

    async def open_room(self, request: Request) -> Response:
        """`POST /rooms`: `{lesson, screen, pose, task, counted}`, by whoever teaches.

        A task on a figure is asked.
        """
        sent = await json_body(request)
        lesson, screen = sent.get("lesson"), sent.get("screen", 1)
        sent["asking"] = await question_of_screen(lesson, screen)
        self._may_open(identify_client(request))
        opened = await self._access.write(
            request, lambda tx: tx.open_room(lesson, screen, sent), ""
        )
        made = json_response({"code": opened["code"], "rev": opened["rev"]}, 201)
        set_key_cookie(request, made, opened["code"], opened["key"])
        return made

    def _may_open(self, who: Client) -> None:
        """Let somebody open a room.

        Raises:
            RequestError: they have opened many, or others at their address have.
        """
        wait = max(
            self._opened.retry_after(who.owner_hash), self._opened_there.retry_after(who.network)
        )
        if wait:
            minutes = math.ceil(wait / 60)
            raise RequestError(
                "Many rooms were opened from here. Go on in one that is open, or try again in "
                f"{minutes} min.",
                429,
                math.ceil(wait),
            )
        self._opened.try_acquire(who.owner_hash), self._opened_there.try_acquire(who.network)

    async def delete(self, request: Request) -> Response:
        """`DELETE /rooms/CODE`: with all that was said in it."""
        await json_body(request)
        at, held = room_code(request), presenter_key(request)
        await self._access.write(request, lambda tx: tx.delete(at, held))
        return no_content()

    async def command(self, request: Request) -> Response:
        """`POST /rooms/CODE/do`: `{verb, ..., rev}`."""
        sent = await json_body(request)
        at, held, verb = room_code(request), presenter_key(request), str(sent.get("verb", ""))
        if verb == "pose" and not self._poses.try_acquire(f"{at} {held}"):
            raise RequestError("A figure is followed twice a second. Try again in 1 s.", 429, 1)
        if verb in ("ask", "go"):
            state = await self.require_presenter(request)
            there = state if verb == "ask" else state | sent
            sent["asking"] = await question_of_screen(there["lesson"], there.get("screen"))
        done = await self._access.write(request, lambda tx: tx.command(at, held, verb, sent))
        if verb in ("ask", "again"):
            await self._simulate_answers(request)
        return json_response(done)

    async def toggle_simulated(self, request: Request) -> Response:
        """`POST /rooms/CODE/rehearse`: pretend students come, or go."""
        await json_body(request)
        at, held = room_code(request), presenter_key(request)
        came = await self._access.write(request, lambda tx: toggle_simulated(tx, at, held))
        await self._simulate_answers(request)
        return json_response(came)

    async def _simulate_answers(self, request: Request) -> None:
        """Have pretend students answer, if there are any and they are asked."""
        room = await self.require_presenter(request)
        if room["pretend"]:
            who, lesson, screen = identify_client(request), room["lesson"], room["screen"]
            given = partial(simulated_answers, self._payloads, who, lesson, screen)
            self._access.hub.simulate_answers(room_code(request), given)

    async def join_urls(self, request: Request) -> Response:
        """`GET /rooms/CODE/addresses`: by which phones find this server."""
        reached = (await self.require_presenter(request))["reached"]
        return json_response({"addresses": app_urls(request, own=False), "reached": reached})

    async def qr_code(self, request: Request) -> Response:
        """`GET /rooms/CODE/qr.svg?at=`: the room's address as a QR code."""
        await self.require_presenter(request)
        there = app_urls(request)
        at = request.query_params.get("at", there[0])
        if at not in there:
            raise RequestError(f"A QR code is made of one of {', '.join(there)}.", 422)
        drawn = qr_svg(f"{at}/{room_code(request)}")
        return Response(drawn, media_type="image/svg+xml", headers=NO_STORE)

    async def wifi_qr_code(self, request: Request) -> Response:
        """`POST /rooms/CODE/wifi`: a Wi-Fi's `{name, password}` as a QR code; none is kept."""
        sent = await json_body(request)
        await self.require_presenter(request)
        name, password = sent.get("name"), sent.get("password", "")
        said = isinstance(name, str) and isinstance(password, str)
        if not said or not name or len(name) > WIFI or len(password) > WIFI:
            raise RequestError(f"A Wi-Fi has a name and a password of at most {WIFI} letters.", 422)
        return json_response({"svg": qr_svg(wifi_uri(name, password))})

    async def answers_csv(self, request: Request) -> Response:
        """`GET /rooms/CODE/answers.csv`: all answers, also of a room that has ended."""
        at, held = room_code(request), presenter_key(request)
        # Locked for a moment, as for a command: an ended room is found by these alone.
        text = await self._access.write(
            request, lambda tx: queries.answers_csv(tx.session, tx.require_presenter(at, held))
        )
        file = {"Content-Disposition": f'attachment; filename="room-{at}.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=NO_STORE | file)

    async def require_presenter(self, request: Request) -> dict[str, Any]:
        """Return what somebody may know who leads the room.

        Raises:
            RequestError: they do not.
        """
        at, held = room_code(request), presenter_key(request)

        def read(session: Session) -> dict[str, Any]:
            row = find_room(session, at)
            if not is_presenter_key(row, held):
                raise RequestError(NO_KEY, 403)
            return {
                "lesson": row.lesson,
                "screen": row.screen,
                "reached": row.reached,
                "pretend": queries.tally(session, row, 0.0)["pretend"],
            }

        return await self._access.read(request, read)


def app_urls(request: Request, own: bool = True) -> list[str]:
    """Return the app's addresses; where there is none, its own if that is better than none."""
    own_place = origin(request)
    return [place + base_path() for place in lan_urls(own_place) or ([own_place] if own else [])]
