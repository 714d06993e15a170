"""TCP proxy that can freeze or break the connections through it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

HOST = "127.0.0.1"


class Proxy:
    """TCP proxy between phones and a server.

    Args:
        there: Port of the server.

    Attributes:
        port: Port that phones connect to.
    """

    def __init__(self, there: int) -> None:
        self.port = 0
        self._there = there
        self._loop = asyncio.new_event_loop()
        self._passes = asyncio.Event()
        self._passes.set()
        self._takes = True
        self._ends: set[asyncio.StreamWriter] = set()

    def freeze(self) -> None:
        """Hold all bytes back; connections stay open, and new ones are accepted."""
        self._do(self._passes.clear)

    def thaw(self) -> None:
        """Pass bytes on again, beginning with those that were held back."""
        self._do(self._passes.set)

    def cut(self) -> None:
        """Abort all connections, and refuse new ones."""
        self._do(self._cut)

    def mend(self) -> None:
        """Accept connections again."""
        self._do(lambda: setattr(self, "_takes", True))

    def _do(self, work: Callable[[], None]) -> None:
        async def done() -> None:
            work()

        asyncio.run_coroutine_threadsafe(done(), self._loop).result()

    def _cut(self) -> None:
        self._takes = False
        for end in self._ends:
            end.transport.abort()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._takes:
            writer.transport.abort()
            return
        back, forth = await asyncio.open_connection(HOST, self._there)
        ends = {writer, forth}
        self._ends |= ends
        await asyncio.gather(self._pass(reader, forth), self._pass(back, writer))
        self._ends -= ends

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):  # one of both has gone
            while some := await reader.read(1 << 16):
                await self._passes.wait()
                writer.write(some)
                await writer.drain()
        writer.close()

    def run(self, is_there: threading.Event) -> None:
        """Run the proxy until its loop is stopped."""
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._meet, HOST, 0))
        self.port = server.sockets[0].getsockname()[1]
        is_there.set()
        self._loop.run_forever()
        server.close()
        self._cut()
        self._passes.set()
        self._loop.run_until_complete(self._emptied())
        self._loop.close()

    async def _emptied(self) -> None:
        own = asyncio.current_task()
        await asyncio.gather(*(each for each in asyncio.all_tasks() if each is not own))

    def end(self) -> None:
        """Stop the proxy."""
        self._loop.call_soon_threadsafe(self._loop.stop)


@contextmanager
def proxy(there: int) -> Iterator[Proxy]:
    """Run a proxy in a thread during the block."""
    between, is_there = Proxy(there), threading.Event()
    thread = threading.Thread(target=between.run, args=(is_there,))
    thread.start()
    try:
        is_there.wait()
        yield between
    finally:
        between.end()
        thread.join()
