"""What a student's phone does in a room: come in, hear how it stands, answer."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from lnviz.errors import RequestError
from lnviz.rooms.channels import to_json
from lnviz.rooms.join_urls import is_loopback
from lnviz.web.identity import identify_client
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import CompressedBody, conditional_response
from lnviz.web.rooms.endpoints import RoomService, principal
from lnviz.web.rooms.events import EventStream
from lnviz.web.rooms.requests import (
    client_id,
    json_body,
    json_response,
    no_content,
    requested_role,
    room_code,
)


class ParticipantEndpoints:
    """What is answered to those who sit in a room; the teacher hears of it in the same way.

    Args:
        access: the rooms.
    """

    def __init__(self, access: RoomService) -> None:
        self._access = access
        self._live = access.hub
        self._votes = RateLimiter(burst=10, per_second=5)  # of a seat

    async def join(self, request: Request) -> Response:
        """`POST /rooms/CODE/seat`: come in."""
        await json_body(request)
        named, at = client_id(request), room_code(request)
        reached = not is_loopback(request.url.hostname or "")
        return json_response(
            await self._access.write(request, lambda tx: tx.join(at, named, reached))
        )

    async def state(self, request: Request) -> Response:
        """`GET /rooms/CODE/state?as=`: how the room stands, for one who is told no events."""
        as_what = requested_role(request)
        async with self._access.reads.acquire(identify_client(request)):
            found = await self._live.current_events(
                room_code(request), as_what, principal(request, as_what)
            )
        heads = found.pop("heads", {})
        return conditional_response(
            request, CompressedBody.compress(to_json(found | heads)), "application/json", "no-cache"
        )

    async def events(self, request: Request) -> Response:
        """`GET /rooms/CODE/events?as=`: how the room stands, whenever that has changed."""
        if self._live.is_closing:
            raise RequestError("The server is shutting down. Try again in 2 seconds.", 503, 2)
        as_what = requested_role(request)
        async with self._access.reads.acquire(identify_client(request)):
            heard = await self._live.subscribe(
                room_code(request), as_what, principal(request, as_what)
            )
        return EventStream(self._live, *heard)

    async def vote(self, request: Request) -> Response:
        """`PUT /rooms/CODE/polls/POLL/ROUND`: `{value, n}`, kept before it is answered."""
        named, at = client_id(request), room_code(request)
        self._limit_rate(f"{at} {named}", "answers")
        sent = await json_body(request)
        poll, round = request.path_params["poll"], request.path_params["round"]
        value, n = sent.get("value"), sent.get("n")
        kept = await self._access.write(
            request, lambda tx: tx.vote(at, named, poll, round, value, n), shared=True
        )
        self._live.stored_answers += 1
        return json_response(kept)

    async def signal(self, request: Request) -> Response:
        """`POST /rooms/CODE/signal`: `{lost, following}`."""
        named, at = client_id(request), room_code(request)
        self._limit_rate(f"{at} {named}", "signals")
        sent = await json_body(request)
        await self._access.write(request, lambda tx: tx.signal(at, named, sent))
        return no_content()

    def _limit_rate(self, seat: str, what: str) -> None:
        if not self._votes.try_acquire(seat):
            raise RequestError(
                f"These are more {what} than a hand gives. Try again in 1 s.", 429, 1
            )
