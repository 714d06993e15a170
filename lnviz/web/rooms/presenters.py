"""Endpoints of presenters: open a room, send commands, show how to join, export answers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from typing import Any

from anyio import to_thread
from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from lnviz.book.present.questions import question_text, setting_figure
from lnviz.errors import RequestError
from lnviz.rooms import lifecycle, moderation, presenter, queries, questions
from lnviz.rooms.auth import NO_KEY, find_room, is_presenter_key
from lnviz.rooms.join_urls import lan_urls, qr_svg, wifi_uri
from lnviz.rooms.schema import FigureState, QuestionText
from lnviz.rooms.simulation import toggle_simulated
from lnviz.rooms.transactions import Transaction
from lnviz.web.assets import base_path, origin
from lnviz.web.identity import Client, identify_client
from lnviz.web.payload_service import PayloadService
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import NO_STORE
from lnviz.web.rooms.requests import (
    json_body,
    json_response,
    no_content,
    presenter_key,
    question_of_screen,
    room_code,
    set_key_cookie,
)
from lnviz.web.rooms.room_service import RoomService
from lnviz.web.simulated_answers import simulated_answers
from lnviz.web.slide_figure import slide_figure

NETWORK_BURST = 8
"""Rooms that a network may open at once, of the 50 of the server.

The classes of a school that begin together share an IP address. Behind nginx, each of three server
processes has its own count, so a network may open 24."""

NETWORK_INTERVAL_S = 450.0
"""Seconds after which a network may open one more room: eight in an hour."""

MAX_WIFI_LENGTH = 64  # of the name, and of the password


class PresenterEndpoints:
    """Endpoints of a room's presenter.

    Args:
        service: Access to the rooms.
        payloads: Figures' payloads, for simulated students and for the names of controls.
    """

    def __init__(self, service: RoomService, payloads: PayloadService) -> None:
        self._service = service
        self._payloads = payloads
        self._figure_updates = RateLimiter(burst=2, per_second=2)  # by room and key
        self._opened_by_client = RateLimiter(burst=5, per_second=1 / 60)
        self._opened_by_network = RateLimiter(NETWORK_BURST, per_second=1 / NETWORK_INTERVAL_S)

    async def open_room(self, request: Request) -> Response:
        """`POST /rooms`: open a room at a screen, given as `{lesson, screen, ...}`.

        The other fields are those of `lifecycle.open_room`. If a task on a figure is
        given, its poll starts at once.
        """
        body = await json_body(request)
        lesson, screen = body.get("lesson"), body.get("screen", 1)
        body["asking"] = await question_of_screen(lesson, screen)
        client = identify_client(request)
        self._limit_rooms(client)
        network = client.network_hash
        opened = await self._service.write(
            request, lambda tx: lifecycle.open_room(tx, lesson, screen, body, network), ""
        )
        response = json_response({"code": opened["code"], "rev": opened["rev"]}, 201)
        set_key_cookie(request, response, opened["code"], opened["key"])
        return response

    def _limit_rooms(self, client: Client) -> None:
        """Count a newly opened room against the rate limits of the client and its network.

        Raises:
            RequestError: The client or its network has opened too many rooms.
        """
        wait = max(
            self._opened_by_client.retry_after(client.owner_hash),
            self._opened_by_network.retry_after(client.network),
        )
        if wait:
            minutes = math.ceil(wait / 60)
            raise RequestError(
                "Too many rooms were opened from this network. Use one of the open rooms, or try "
                f"again in {minutes} min.",
                429,
                math.ceil(wait),
            )
        self._opened_by_client.try_acquire(client.owner_hash)
        self._opened_by_network.try_acquire(client.network)

    async def delete(self, request: Request) -> Response:
        """`DELETE /rooms/CODE`: delete the room with all its data."""
        await json_body(request)
        code, key = room_code(request), presenter_key(request)
        await self._service.write(request, lambda tx: lifecycle.delete_room(tx, code, key))
        return no_content()

    async def command(self, request: Request) -> Response:
        """`POST /rooms/CODE/do`: run a presenter's command, given as `{verb, ..., rev}`."""
        body = await json_body(request)
        code, key, verb = room_code(request), presenter_key(request), str(body.get("verb", ""))
        if verb == "pose" and not self._figure_updates.try_acquire(f"{code} {key}"):
            raise RequestError(
                "A figure may send two updates per second. Try again in 1 s.", 429, 1
            )
        if verb in ("ask", "go"):
            room = await self.require_presenter(request)
            target = room if verb == "ask" else room | body
            body["asking"] = await question_of_screen(target["lesson"], target.get("screen"))
        result = await self._service.write(
            request, lambda tx: presenter.command(tx, code, key, verb, body)
        )
        if verb in ("ask", "again", "over"):
            await self._simulate_answers(request)
        return json_response(result)

    async def toggle_simulated(self, request: Request) -> Response:
        """`POST /rooms/CODE/rehearse`: add or remove simulated students."""
        await json_body(request)
        code, key = room_code(request), presenter_key(request)
        result = await self._service.write(request, lambda tx: toggle_simulated(tx, code, key))
        await self._simulate_answers(request)
        return json_response(result)

    async def _simulate_answers(self, request: Request) -> None:
        """Let the room's simulated students, if any, answer the current question."""
        room = await self.require_presenter(request)
        if room["simulated"]:
            client = identify_client(request)
            slide = (room["lesson"], room["screen"], room["pose"])
            examples = partial(simulated_answers, self._payloads, client, *slide)
            self._service.hub.simulate_answers(room_code(request), examples)

    async def join_urls(self, request: Request) -> Response:
        """`GET /rooms/CODE/addresses`: return the URLs at which phones reach this server."""
        reached = (await self.require_presenter(request))["reached"]
        return json_response({"addresses": _lan_app_urls(request), "reached": reached})

    async def qr_code(self, request: Request) -> Response:
        """`GET /rooms/CODE/qr.svg?at=`: return the room's URL as a QR code."""
        await self.require_presenter(request)
        urls = app_urls(request)
        url = request.query_params.get("at", urls[0])
        if url not in urls:
            raise RequestError(f"A QR code can only be made for {', '.join(urls)}.", 422)
        svg = qr_svg(f"{url}/{room_code(request)}")
        return Response(svg, media_type="image/svg+xml", headers=NO_STORE)

    async def wifi_qr_code(self, request: Request) -> Response:
        """`POST /rooms/CODE/wifi`: return a Wi-Fi network's `{name, password}` as a QR code."""
        body = await json_body(request)
        await self.require_presenter(request)
        name, password = body.get("name"), body.get("password", "")
        is_valid = all(
            isinstance(text, str) and len(text) <= MAX_WIFI_LENGTH for text in (name, password)
        )
        if not name or not is_valid:
            raise RequestError(
                f"A Wi-Fi name or password may have at most {MAX_WIFI_LENGTH} characters.", 422
            )
        return json_response({"svg": qr_svg(wifi_uri(str(name), str(password)))})

    async def answers_csv(self, request: Request) -> Response:
        """`GET /rooms/CODE/answers.csv`: return all answers as CSV, even after the room ended.

        It begins with a byte order mark, so that spreadsheets read it as UTF-8.
        """
        code, key = room_code(request), presenter_key(request)
        # A write, since only `require_presenter` finds rooms that have ended.
        slides = await self._service.write(
            request, lambda tx: queries.polled_slides(tx.session, tx.require_presenter(code, key))
        )
        texts = await self._question_texts(identify_client(request), slides)
        text = await self._service.write(
            request,
            lambda tx: queries.answers_csv(tx.session, tx.require_presenter(code, key), texts),
        )
        attachment = {"Content-Disposition": f'attachment; filename="room-{code}.csv"'}
        data = text.encode("utf-8-sig")
        return Response(data, media_type="text/csv; charset=utf-8", headers=NO_STORE | attachment)

    async def _question_texts(
        self, client: Client, slides: Mapping[int, tuple[str, str | int, FigureState]]
    ) -> dict[int, QuestionText]:
        """Return the words of polls' questions, with the controls that their figures had."""
        texts: dict[str, QuestionText] = {}
        for slide in slides.values():
            if (key := json.dumps(slide, sort_keys=True)) not in texts:
                texts[key] = await self._question_text(client, *slide)
        return {poll: texts[json.dumps(slide, sort_keys=True)] for poll, slide in slides.items()}

    async def _question_text(
        self, client: Client, lesson: str, screen: str | int, pose: FigureState
    ) -> QuestionText:
        figure = await to_thread.run_sync(setting_figure, lesson, screen)
        if figure is None:
            return await to_thread.run_sync(question_text, lesson, screen)
        body = await slide_figure(self._payloads, client, lesson, figure, pose)
        return await to_thread.run_sync(
            lambda: question_text(lesson, screen, json.loads(body.content))
        )

    async def hide_question(self, request: Request) -> Response:
        """`PATCH /rooms/CODE/questions`: hide a participant's question, as `{id, hidden}` says."""
        body = await json_body(request)
        code, key, hidden = room_code(request), presenter_key(request), body.get("hidden", True)
        await self._service.write(
            request,
            lambda tx: questions.set_hidden(tx, code, key, body.get("id"), bool(hidden)),
        )
        return no_content()

    async def networks(self, request: Request) -> Response:
        """`GET /rooms/CODE/networks`: list the IP networks that participants joined from."""
        await self.require_presenter(request)
        code = room_code(request)
        listed = await self._service.read(
            request, lambda session: moderation.list_networks(session, find_room(session, code))
        )
        return json_response({"networks": listed})

    async def block_network(self, request: Request) -> Response:
        """`POST /rooms/CODE/networks`: block an IP network from joining the room, or unblock it.

        The body is `{id, blocked}`: the network's number in the room, and whether to block it.
        Participants who have joined before stay.
        """
        body = await json_body(request)
        code, key, blocked = room_code(request), presenter_key(request), body.get("blocked", True)
        await self._service.write(
            request,
            lambda tx: moderation.set_blocked(tx, code, key, body.get("id"), bool(blocked)),
        )
        return no_content()

    async def clear(self, request: Request) -> Response:
        """`POST /rooms/CODE/clear`: remove participants by `{network}`, or answers by `{value}`."""
        body = await json_body(request)
        code, key = room_code(request), presenter_key(request)

        def remove(tx: Transaction) -> int:
            if "network" in body:
                return moderation.remove_network(tx, code, key, body["network"])
            return moderation.remove_answer(tx, code, key, body.get("value"))

        return json_response({"removed": await self._service.write(request, remove)})

    async def require_presenter(self, request: Request) -> dict[str, Any]:
        """Check the presenter key; return the room's screen and simulated students.

        Raises:
            RequestError: The request has no presenter key of the room.
        """
        code, key = room_code(request), presenter_key(request)

        def read(session: Session) -> dict[str, Any]:
            row = find_room(session, code)
            if not is_presenter_key(row, key):
                raise RequestError(NO_KEY, 403)
            return {
                "lesson": row.lesson,
                "screen": row.screen,
                "pose": row.pose,
                "reached": row.joined_remotely,
                "simulated": queries.tally(session, row, 0.0)["simulated"],
            }

        return await self._service.read(request, read)


def app_urls(request: Request) -> list[str]:
    """Return the app's URLs in the local network, or the request's URL if there are none."""
    return _lan_app_urls(request) or [origin(request) + base_path()]


def _lan_app_urls(request: Request) -> list[str]:
    return [url + base_path() for url in lan_urls(origin(request))]
