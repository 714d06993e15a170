"""A stream of server-sent events to somebody who listens to a room.

Source: the HTML standard, section 9.2.
"""

from __future__ import annotations

import asyncio

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from lnviz.rooms.channels import Channel, Subscriber
from lnviz.rooms.hub import RoomHub

KEEPALIVE_S = 15.0  # of silence after which a comment says that we are here
SEND_TIMEOUT_S = 30.0  # after which somebody who does not read is given up


class EventStream(Response):
    """An answer that lasts as long as somebody listens.

    Args:
        live: the rooms.
        channel: tells them.
        listener: who.
    """

    def __init__(self, live: RoomHub, channel: Channel, listener: Subscriber) -> None:
        super().__init__(
            media_type="text/event-stream",
            headers={
                "Cache-Control": "no-store",
                # Nothing on the way is to pack it, or to wait until there is more.
                "Content-Encoding": "identity",
                "X-Accel-Buffering": "no",
            },
        )
        del self.headers["content-length"]
        self._live, self._channel, self._listener = live, channel, listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As any ASGI app."""
        leaving = asyncio.ensure_future(self._wait_for_disconnect(receive))
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        try:
            await send(start)
            while not leaving.done():
                is_over = self._listener.is_closed
                mail = await self._listener.next(KEEPALIVE_S)
                body = b"".join(b"event: %s\ndata: %s\n\n" % (e.encode(), d) for e, d in mail)
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    body = body or b":\n\n"
                    await send({"type": "http.response.body", "body": body, "more_body": True})
                if is_over:
                    break
            await send({"type": "http.response.body", "body": b""})
        finally:
            leaving.cancel()
            self._live.unsubscribe(self._channel, self._listener)

    async def _wait_for_disconnect(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._listener.close()
