"""What stands between a bare server and those who connect."""

import asyncio
import resource
import socket
import subprocess
import sys
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from lnviz.__main__ import main
from lnviz.web import tcp_limits
from lnviz.web.resource_limits import raise_fd_limit
from lnviz.web.session_registry import MAX_SESSIONS, SessionRegistry
from lnviz.web.tcp_limits import (
    ENDED_SESSIONS,
    FDS_PER_SESSION,
    OTHER_FDS,
    ConnectionTable,
    LimitedProtocol,
)
from tests.service.server import ROOT

pytestmark = pytest.mark.anyio
WHOLE = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


class Wire(asyncio.Transport):
    """A transport to an address, which says whether it was ended."""

    def __init__(self, address: str) -> None:
        super().__init__({"peername": (address, 5), "sockname": ("127.0.0.1", 80)})
        self.ended = False
        self.written = b""

    def abort(self) -> None:
        self.ended = True

    close = abort

    def is_closing(self) -> bool:
        return self.ended

    def write(self, data: Any) -> None:
        self.written += data


async def test_a_connection_ends_soon_once_nobody_is_there_any_more() -> None:
    made: list[Any] = []
    config = uvicorn.Config(never, ws="none", log_config=None, interface="asgi3")
    config.load()  # as Streamlit does, which says nothing of the class of its connections

    def begin() -> Any:
        connection = config.http_protocol_class(config, ServerState(), {})
        made.append(connection)
        return connection

    server = await asyncio.get_running_loop().create_server(begin, "127.0.0.1", 0)
    async with server:
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        while not made or made[0].transport is None:
            await asyncio.sleep(0)
        line = made[0].transport.get_extra_info("socket")
        waits = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
        assert waits == 1000 * tcp_limits.TCP_USER_TIMEOUT_S
        writer.close()
        made[0].transport.abort()


async def never(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.Event().wait()


def connect(address: str = "here") -> tuple[LimitedProtocol, Wire]:
    config = uvicorn.Config(never, ws="none", log_config=None, interface="asgi3")
    connection, wire = LimitedProtocol(config, ServerState(), {}), Wire(address)
    connection.connection_made(wire)
    return connection, wire


def lose(*made: tuple[LimitedProtocol, Wire]) -> None:
    for connection, _ in made:
        for task in connection.tasks:
            task.cancel()
        connection.connection_lost(None)


async def test_half_a_request_is_ended_in_time_and_a_whole_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tcp_limits, "REQUEST_TIMEOUT_S", 0.0)
    silent, half, whole = (connect() for _ in range(3))
    half[0].data_received(WHOLE[:20])
    whole[0].data_received(WHOLE)
    while not (silent[1].ended and half[1].ended):
        await asyncio.sleep(0)
    assert not whole[1].ended
    lose(silent, half, whole)


async def test_the_address_with_most_connections_makes_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tcp_limits, "CONNECTIONS", ConnectionTable(4))
    asking = connect("many")
    asking[0].data_received(WHOLE)
    made = [asking, *(connect("many") for _ in range(2)), connect("few")]
    assert not any(wire.ended for _, wire in made)
    made.append(connect("few"))
    assert [wire.ended for _, wire in made] == [False, True, False, False, False]
    lose(*made)
    assert len(tcp_limits.CONNECTIONS) == 0


def test_a_server_may_open_more_files_than_its_shell() -> None:
    program = (
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (256, 2048));"
        "from lnviz.web.resource_limits import raise_fd_limit;"
        "print(raise_fd_limit(), r.getrlimit(r.RLIMIT_NOFILE)[0])"
    )
    command = [sys.executable, "-c", program]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said == "2048 2048\n"


def test_a_server_that_may_open_no_more_files_knows_how_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    assert raise_fd_limit() == 1024
    monkeypatch.setattr(tcp_limits, "CONNECTIONS", ConnectionTable(1))
    sessions = SessionRegistry()
    tcp_limits.fit_to_fd_limit(sessions)
    assert 0 < sessions.max_sessions < MAX_SESSIONS
    assert tcp_limits.CONNECTIONS.max_connections > 0
    scripts = FDS_PER_SESSION * (sessions.max_sessions + ENDED_SESSIONS)
    assert tcp_limits.CONNECTIONS.max_connections + scripts + OTHER_FDS == 1024


@pytest.mark.parametrize("port", ["99999999", "65536", "-1", "http"])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", f"--port={port}"])
    assert "from 1 to 65535" in capsys.readouterr().err
