"""What `lnviz serve` writes down."""

import re
import socket
import subprocess
import sys

import pytest
from websockets.sync.client import connect


@pytest.mark.slow
def test_the_log_names_the_address_no_visitor_and_no_error_without_end() -> None:
    command = [sys.executable, "-m", "lnviz", "serve", "--processes", "1", "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        assert server.stdout is not None
        said, port = "", None
        while port is None:
            line = server.stdout.readline()
            assert line, said
            said += line
            port = re.search(r"running on http://127\.0\.0\.1:(\d+)", line)
        with connect(f"ws://127.0.0.1:{port[1]}/_stcore/stream?secret", proxy=None):
            for _ in range(40):
                with socket.create_connection(("127.0.0.1", int(port[1]))) as client:
                    client.sendall(b"no request\r\n\r\n")
                    assert client.recv(99).startswith(b"HTTP/1.1 400")
            server.terminate()
        said += server.stdout.read()
    assert said.count("Invalid HTTP request received.") == 6
    assert "above: 35 × Invalid HTTP request received." in said
    assert "Shutting down" in said
    assert "WebSocket" not in said
    assert "secret" not in said
