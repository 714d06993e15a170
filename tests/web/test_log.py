"""What `lnviz serve` writes down."""

import re
import subprocess
import sys

import pytest
from websockets.sync.client import connect


@pytest.mark.slow
def test_the_log_says_where_the_server_listens_and_not_who_opens_a_page() -> None:
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
            server.terminate()
        said += server.stdout.read()
    assert "Shutting down" in said
    assert "WebSocket" not in said
    assert "secret" not in said
