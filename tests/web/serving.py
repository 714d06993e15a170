"""The app's routes behind a real socket, and an HTTP client."""

import socket
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from lnviz.rooms.hub import RoomHub
from lnviz.rooms.store import RoomStore, rooms_database_url
from lnviz.web import lifespan, routes  # noqa: F401  # which prepares the process
from lnviz.web.errors import EXCEPTION_HANDLERS
from lnviz.web.payload_service import PayloadService
from lnviz.web.session_registry import SessionRegistry
from lnviz.web.shutdown import Shutdown
from tests.service.client import Answer, Client


@dataclass(frozen=True)
class Site:
    """A server; paths go out as they are written, without `..` being resolved."""

    port: int

    def get(self, path: str, *, method: str = "GET", body: bytes = b"", **headers: str) -> Answer:
        with Client(self.port) as client:
            return client.ask(path, method=method, body=body or None, **headers)


@contextmanager
def served(payloads: PayloadService | None = None, rooms: RoomHub | None = None) -> Iterator[Site]:
    """The routes in a thread of this process, which shares its uploads."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sessions = SessionRegistry()
        live = rooms or RoomHub(lambda: RoomStore(rooms_database_url()))
        app = Starlette(
            routes=routes.routes(payloads or PayloadService(), sessions, live),
            lifespan=lambda _: live.running(),
            middleware=routes.middleware(sessions, Shutdown()),
            exception_handlers=EXCEPTION_HANDLERS,
        )
        server = uvicorn.Server(uvicorn.Config(app, ws="none", lifespan="on", log_config=None))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            # What comes before the server is ready waits in the socket's queue.
            yield Site(listening.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join()


def with_rooms(file: Path) -> AbstractContextManager[Site]:
    """The routes likewise, with rooms in a database of SQLite."""
    return served(rooms=RoomHub(lambda: RoomStore(f"sqlite:///{file}")))


class Links(HTMLParser):
    """The addresses that a page takes something from."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in ("link", "script", "img"):
            self.found += [address for name in ("href", "src") if (address := named.get(name))]
        if source := named.get("data-source"):
            self.found.append(source)
