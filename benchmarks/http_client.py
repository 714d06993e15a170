"""HTTP/1.1 over bare sockets: light, since many clients share two cores with their server."""

from __future__ import annotations

import asyncio
import re
from asyncio import IncompleteReadError, StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

HOST = "127.0.0.1"
LOST = (OSError, IncompleteReadError, ValueError)
"""What comes up where there is no whole answer."""

_COOKIE = re.compile(rb"\r\nset-cookie: (lnviz-visitor=[^;]+)", re.IGNORECASE)
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


@asynccontextmanager
async def connected(port: int, address: str) -> AsyncIterator[tuple[StreamReader, StreamWriter]]:
    """Connect to a server on this machine, from an address of its own."""
    reader, writer = await asyncio.open_connection(HOST, port, local_addr=(address, 0))
    try:
        yield reader, writer
    finally:
        writer.close()


def request(path: str, cookie: str = "", body: bytes | None = None, kind: str = "") -> bytes:
    """Return a request; with a body it is a POST."""
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", "Host: a"]
    lines += [f"Cookie: {cookie}"] if cookie else []
    lines += [] if body is None else [f"Content-Length: {len(body)}", f"Content-Type: {kind}"]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


async def answered(reader: StreamReader, writer: StreamWriter, sent: bytes) -> tuple[int, str]:
    """Send a request over a connection; return the status and the name that is given.

    Raises:
        OSError, IncompleteReadError, ValueError: There is no whole answer.
    """
    writer.write(sent)
    await writer.drain()
    head = await reader.readuntil(b"\r\n\r\n")
    length = _LENGTH.search(head)
    await reader.readexactly(int(length[1]) if length else 0)
    name = _COOKIE.search(head)
    return int(head.split(b" ", 2)[1]), name[1].decode() if name else ""


async def ask(port: int, address: str, sent: bytes) -> tuple[int, str]:
    """Send a request over a new connection; the status is 0 where there is no whole answer."""
    with suppress(*LOST):
        async with connected(port, address) as (reader, writer):
            return await answered(reader, writer, sent)
    return 0, ""
