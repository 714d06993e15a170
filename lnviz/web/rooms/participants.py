"""What a student's phone does in a room: come in, hear how it stands, answer."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from lnviz.errors import RequestError
from lnviz.rooms.channels import encoded
from lnviz.rooms.join_urls import is_own
from lnviz.web.identity import identify_client
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.responses import CompressedBody, conditional_response
from lnviz.web.rooms.endpoints import Access, who
from lnviz.web.rooms.events import Events
from lnviz.web.rooms.requests import code, given, name, nothing, role, told


class Students:
    """What is answered to those who sit in a room; the teacher hears of it in the same way.

    Args:
        access: the rooms.
    """

    def __init__(self, access: Access) -> None:
        self._access = access
        self._live = access.live
        self._votes = RateLimiter(burst=10, per_second=5)  # of a seat

    async def seat(self, request: Request) -> Response:
        """`POST /rooms/CODE/seat`: come in."""
        await given(request)
        named, at = name(request), code(request)
        reached = not is_own(request.url.hostname or "")
        return told(await self._access.write(request, lambda tx: tx.enter(at, named, reached)))

    async def state(self, request: Request) -> Response:
        """`GET /rooms/CODE/state?as=`: how the room stands, for one who is told no events."""
        as_what = role(request)
        async with self._access.reads.acquire(identify_client(request)):
            found = await self._live.documents(code(request), as_what, who(request, as_what))
        heads = found.pop("heads", {})
        return conditional_response(
            request, CompressedBody.compress(encoded(found | heads)), "application/json", "no-cache"
        )

    async def events(self, request: Request) -> Response:
        """`GET /rooms/CODE/events?as=`: how the room stands, whenever that has changed."""
        if self._live.is_ending:
            raise RequestError("The server is shutting down. Try again in 2 seconds.", 503, 2)
        as_what = role(request)
        async with self._access.reads.acquire(identify_client(request)):
            heard = await self._live.listen(code(request), as_what, who(request, as_what))
        return Events(self._live, *heard)

    async def vote(self, request: Request) -> Response:
        """`PUT /rooms/CODE/polls/POLL/ROUND`: `{value, n}`, kept before it is answered."""
        named, at = name(request), code(request)
        self._in_time(f"{at} {named}", "answers")
        sent = await given(request)
        poll, round = request.path_params["poll"], request.path_params["round"]
        value, n = sent.get("value"), sent.get("n")
        kept = await self._access.write(
            request, lambda tx: tx.answer(at, named, poll, round, value, n), shared=True
        )
        self._live.kept += 1
        return told(kept)

    async def signal(self, request: Request) -> Response:
        """`POST /rooms/CODE/signal`: `{lost, following}`."""
        named, at = name(request), code(request)
        self._in_time(f"{at} {named}", "signals")
        sent = await given(request)
        await self._access.write(request, lambda tx: tx.signal(at, named, sent))
        return nothing()

    def _in_time(self, seat: str, what: str) -> None:
        if not self._votes.try_acquire(seat):
            raise RequestError(
                f"These are more {what} than a hand gives. Try again in 1 s.", 429, 1
            )
