"""Endpoints of participants in a room: join, read or subscribe to the state, vote, signal."""

from __future__ import annotations

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from lnviz.errors import RequestError
from lnviz.rooms import participation, questions
from lnviz.rooms.auth import NO_KEY, find_room, is_presenter_key, require_seat
from lnviz.rooms.channels import to_json
from lnviz.rooms.queries import Document
from lnviz.web.identity import identify_client
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import CompressedBody, conditional_response
from lnviz.web.rooms.events import EventStream
from lnviz.web.rooms.requests import (
    client_id,
    is_remote_url,
    json_body,
    json_response,
    no_content,
    requested_role,
    room_code,
)
from lnviz.web.rooms.room_service import RoomService, principal


class ParticipantEndpoints:
    """Endpoints of a room's participants; presenters also use `state` and `events`.

    Args:
        service: Access to the rooms.
    """

    def __init__(self, service: RoomService) -> None:
        self._service = service
        self._hub = service.hub
        self._seat_requests = RateLimiter(burst=10, per_second=5)

    async def join(self, request: Request) -> Response:
        """`POST /rooms/CODE/seat`: join the room; return the participant's seat."""
        await json_body(request)
        client, code = client_id(request), room_code(request)
        remotely = is_remote_url(request)
        network = identify_client(request).network
        seat = await self._service.write(
            request, lambda tx: participation.join(tx, code, client, remotely, network)
        )
        return json_response(seat)

    async def state(self, request: Request) -> Response:
        """`GET /rooms/CODE/state?as=`: return the room's state to clients without a stream."""
        role = requested_role(request)
        async with self._service.reads.acquire(identify_client(request)):
            events = await self._hub.current_events(
                room_code(request), role, principal(request, role)
            )
        attendance = events.pop("heads", {})
        body = CompressedBody.compress(to_json(events | attendance))
        return conditional_response(request, body, "application/json", "no-cache")

    async def events(self, request: Request) -> Response:
        """`GET /rooms/CODE/events?as=`: stream the room's state and its changes."""
        if self._hub.is_closing:
            raise RequestError("The server is shutting down. Try again in 2 seconds.", 503, 2)
        role = requested_role(request)
        async with self._service.reads.acquire(identify_client(request)):
            channel, subscriber = await self._hub.subscribe(
                room_code(request), role, principal(request, role)
            )
        return EventStream(self._hub, channel, subscriber)

    async def vote(self, request: Request) -> Response:
        """`PUT /rooms/CODE/polls/POLL/ROUND`: store an answer `{value, attempt}`; return it."""
        client, code = client_id(request), room_code(request)
        self._limit_rate(f"{code} {client}", "answers")
        body = await json_body(request)
        poll, round = request.path_params["poll"], request.path_params["round"]
        value, attempt = body.get("value"), body.get("attempt")
        stored = await self._service.write(
            request,
            lambda tx: participation.vote(tx, code, client, poll, round, value, attempt),
            shared=True,
        )
        self._hub.stored_answers += 1
        return json_response(stored)

    async def signal(self, request: Request) -> Response:
        """`POST /rooms/CODE/signal`: store whether the participant is `lost` or `following`."""
        client, code = client_id(request), room_code(request)
        self._limit_rate(f"{code} {client}", "signals")
        body = await json_body(request)
        await self._service.write(request, lambda tx: participation.signal(tx, code, client, body))
        return no_content()

    async def ask_question(self, request: Request) -> Response:
        """`POST /rooms/CODE/questions`: ask the teacher a question, given as `{text}`."""
        client, code = client_id(request), room_code(request)
        self._limit_rate(f"{code} {client}", "questions")
        body = await json_body(request)
        asked = await self._service.write(
            request, lambda tx: questions.ask(tx, code, client, body.get("text"))
        )
        return json_response(asked, 201)

    async def second(self, request: Request) -> Response:
        """`PUT /rooms/CODE/questions/ID/second`: second a question, or not, as `{second}` says."""
        client, code = client_id(request), room_code(request)
        self._limit_rate(f"{code} {client}", "signals")
        body = await json_body(request)
        question, wanted = request.path_params["question"], bool(body.get("second", True))
        await self._service.write(
            request, lambda tx: questions.second(tx, code, client, question, wanted)
        )
        return no_content()

    async def list_questions(self, request: Request) -> Response:
        """`GET /rooms/CODE/questions?as=`: list the participants' questions."""
        role, code = requested_role(request), room_code(request)
        credential = principal(request, role)

        def read(session: Session) -> list[Document]:
            row = find_room(session, code)
            if role != "seat":
                if not is_presenter_key(row, credential):
                    raise RequestError(NO_KEY, 401)
                return questions.list_questions(session, row, None)
            seat = require_seat(session, row, credential)
            return questions.list_questions(session, row, seat.number)

        return json_response({"questions": await self._service.read(request, read)})

    def _limit_rate(self, seat: str, requests: str) -> None:
        if not self._seat_requests.try_acquire(seat):
            raise RequestError(f"Too many {requests}. Try again in 1 s.", 429, 1)
