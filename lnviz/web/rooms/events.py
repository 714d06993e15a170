"""Streaming HTTP response with a room's server-sent events (SSE).

Source: the HTML standard, section 9.2.
"""

from __future__ import annotations

import asyncio

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from lnviz.rooms.channels import Channel, Subscriber
from lnviz.rooms.hub import RoomHub

KEEPALIVE_S = 15.0  # after which a comment is sent if no event was
SEND_TIMEOUT_S = 30.0  # after which a client that does not read is disconnected


class EventStream(Response):
    """SSE response that sends a subscriber's messages until the client or the server ends it.

    Args:
        hub: Rooms of this process.
        channel: Channel of the room.
        subscriber: Subscriber of the channel.
    """

    def __init__(self, hub: RoomHub, channel: Channel, subscriber: Subscriber) -> None:
        super().__init__(
            media_type="text/event-stream",
            headers={
                "Cache-Control": "no-store",
                # Keep middleware and proxies from compressing or buffering the stream.
                "Content-Encoding": "identity",
                "X-Accel-Buffering": "no",
            },
        )
        del self.headers["content-length"]
        self._hub, self._channel, self._subscriber = hub, channel, subscriber

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the event stream, as an ASGI app."""
        disconnect = asyncio.ensure_future(self._wait_for_disconnect(receive))
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        try:
            await send(start)
            while not disconnect.done():
                is_closed = self._subscriber.is_closed
                mail = await self._subscriber.next(KEEPALIVE_S)
                body = b"".join(b"event: %s\ndata: %s\n\n" % (e.encode(), d) for e, d in mail)
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    body = body or b":\n\n"
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                if is_closed:
                    break
            await send({"type": "http.response.body", "body": b""})
        finally:
            disconnect.cancel()
            self._hub.unsubscribe(self._channel, self._subscriber)

    async def _wait_for_disconnect(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._subscriber.close()
