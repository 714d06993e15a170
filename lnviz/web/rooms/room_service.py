"""Fair access of HTTP requests to classroom rooms, and the rate limit on wrong room codes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import TypeVar

from sqlalchemy.orm import Session
from starlette.requests import Request
from starlette.responses import Response

from lnviz.errors import RequestError
from lnviz.rooms.auth import NO_ROOM, is_member
from lnviz.rooms.channels import Role
from lnviz.rooms.hub import RoomHub
from lnviz.rooms.transactions import Operation
from lnviz.web.errors import ErrorRenderer, json_error, render_errors_with
from lnviz.web.fair_queue import FairSemaphore
from lnviz.web.identity import identify_client
from lnviz.web.rate_limit import RateLimiter
from lnviz.web.rooms.code_throttle import CodeAttemptLimiter
from lnviz.web.rooms.requests import presenter_key, room_code

MEMBER_CHECKS = 10
"""Queries in two seconds for whether a throttled client is a member of the room."""

T = TypeVar("T")
Endpoint = Callable[[Request], Awaitable[Response]]


class RoomService:
    """Access of HTTP requests to the room hub, queued fairly among clients.

    Args:
        hub: Rooms of this process.

    Attributes:
        reads: Semaphore for queries, fair among networks and among the clients of a network.
    """

    def __init__(self, hub: RoomHub) -> None:
        self.hub = hub
        self.reads = FairSemaphore(8, 1024)
        self._writes = FairSemaphore(256, 1024)
        self._code_attempts = CodeAttemptLimiter()
        self._member_checks = RateLimiter(burst=MEMBER_CHECKS, per_second=MEMBER_CHECKS / 2)

    async def read(self, request: Request, read: Callable[[Session], T]) -> T:
        """Run a query in a database transaction, queued fairly among clients; return its result."""
        async with self.reads.acquire(identify_client(request)):
            return await self.hub.read(read)

    async def write(
        self,
        request: Request,
        operation: Operation[T],
        code: str | None = None,
        shared: bool = False,
    ) -> T:
        """Run an operation that changes a room, and wait until the change is committed.

        The default code is the room code in the request's path. See `GroupCommitter.submit`.
        """
        async with self._writes.acquire(identify_client(request)):
            code = room_code(request) if code is None else code
            return await self.hub.write(code, operation, shared)

    def endpoint(self, handler: Endpoint, render_error: ErrorRenderer = json_error) -> Endpoint:
        """Wrap an endpoint with the rate limit on wrong room codes.

        Args:
            handler: Endpoint without the rate limit.
            render_error: Returns the response for an error.
        """

        @wraps(handler)
        async def throttled(request: Request) -> Response:
            render_errors_with(request, render_error)
            try:
                if "code" in request.path_params:
                    await self._throttle_code(request)
                return await handler(request)
            except RequestError as error:
                if is_unknown_code(error):
                    self._code_attempts.record_failure(identify_client(request))
                raise

        return throttled

    async def _throttle_code(self, request: Request) -> None:
        """Raise an error if the client may not try this room code; members of the room always may.

        Membership is looked up in the database at a bounded rate.

        Raises:
            RequestError: There were too many wrong codes.
        """
        client, code, key = identify_client(request), room_code(request), presenter_key(request)
        try:
            self._code_attempts.require_allowed(client)
        except RequestError:
            may_be_member = client.id or key
            if not may_be_member or not self._member_checks.try_acquire(client.owner_hash):
                raise
            if not await self.read(
                request, lambda session: is_member(session, code, client.id, key)
            ):
                raise


def is_unknown_code(error: RequestError) -> bool:
    """Return whether an error means that no room has the requested code."""
    return error.status == 404 and str(error) == NO_ROOM


def principal(request: Request, role: Role) -> str:
    """Return the credential for a role: a participant's client id, or the presenter's key."""
    return identify_client(request).id if role == "seat" else presenter_key(request)
