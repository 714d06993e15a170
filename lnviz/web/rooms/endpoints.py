"""Who may ask about rooms and in which turn, and what is said where something goes wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from lnviz.errors import RequestError
from lnviz.rooms.auth import NO_ROOM, is_member
from lnviz.rooms.hub import RoomHub
from lnviz.rooms.transactions import Operation
from lnviz.web.errors import ErrorRenderer, json_error, render_errors_with
from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.identity import identify_client
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.rooms.code_throttle import CodeAttemptLimiter
from lnviz.web.rooms.requests import presenter_key, room_code

MEMBER_CHECKS = 10
"""Times in two seconds that it is looked up whether somebody who may try no more is in a room."""

T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]


class RoomService:
    """The rooms, as requests come to them.

    Args:
        live: the rooms.
    """

    def __init__(self, live: RoomHub) -> None:
        self.hub = live
        self._guesses = CodeAttemptLimiter()
        self._looks = RateLimiter(
            burst=MEMBER_CHECKS, per_second=MEMBER_CHECKS / 2
        )  # of a visitor who may try no more
        # Who has asked least lately comes first: of addresses, then of names.
        self.reads = FairSemaphore(8, 1024)
        self._writes = FairSemaphore(256, 1024)

    async def read(self, request: Request, read: Callable[[Session], T]) -> T:
        """Return what is read in one transaction."""
        async with self.reads.acquire(identify_client(request)):
            return await self.hub.read(read)

    async def write(
        self, request: Request, work: Operation[T], at: str | None = None, shared: bool = False
    ) -> T:
        """Do something in the request's room, or at another code; see `Writer.do`."""
        async with self._writes.acquire(identify_client(request)):
            return await self.hub.write(room_code(request) if at is None else at, work, shared)

    def answering(self, handler: Endpoint, render_error: ErrorRenderer = json_error) -> Endpoint:
        """Return an endpoint that limits the attempts to guess a room's code.

        Args:
            handler: The endpoint without that limit.
            render_error: Makes the response to an error.
        """

        @wraps(handler)
        async def answering(request: Request) -> Response:
            render_errors_with(request, render_error)
            try:
                if "code" in request.path_params:
                    await self._may_try(request)
                return await handler(request)
            except RequestError as error:
                if is_unknown_code(error):
                    self._guesses.record_failure(identify_client(request))
                raise

        return answering

    async def _may_try(self, request: Request) -> None:
        """Let somebody try a code; whoever is in that room already does not guess.

        For whoever goes on guessing the database is asked no oftener than for who votes in haste.

        Raises:
            RequestError: there were too many wrong ones.
        """
        who, at, held = identify_client(request), room_code(request), presenter_key(request)
        try:
            self._guesses.require_allowed(who)
        except RequestError:
            is_known = who.id or held
            if not is_known or not self._looks.try_acquire(who.owner_hash):
                raise
            if not await self.read(request, lambda session: is_member(session, at, who.id, held)):
                raise


def is_unknown_code(error: RequestError) -> bool:
    """Whether there is no room of the code that was tried."""
    return error.status == 404 and str(error) == NO_ROOM


def principal(request: Request, role: Any) -> str:
    """Return by what somebody is known in a room: a student by a name, a teacher by a key."""
    return identify_client(request).id if role == "seat" else presenter_key(request)
