"""What the browser and server benchmarks share: a server, a Chromium, and tables."""

from __future__ import annotations

import base64
import math
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

CHROMIUM = os.environ.get("LNVIZ_CHROMIUM")  # or Playwright's own
ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "app.py"
EMPTY = 'import streamlit as st\n\nst.write("hi")\n'
READY_S = 120.0


@dataclass(frozen=True)
class Server:
    """A running server.

    Args:
        host: Host and port.
        launched: `time.time()` when its process was started.
        answered: `time.time()` when it first answered.
        process: Its process.
    """

    host: str
    launched: float
    answered: float
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://{self.host}"


@contextmanager
def serve(entry: Path, **environment: str) -> Iterator[Server]:
    """`streamlit run entry` under the app's own settings, until the block is left.

    Without other words in the environment it keeps nothing from one run to the next.

    Raises:
        RuntimeError: The server ended, or did not answer in time; with what it printed.
    """
    host = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "streamlit", "run", str(entry)]
    # The settings are those of the folder it runs in.
    settings = ["--server.address", "127.0.0.1", "--server.port", host.partition(":")[2]]
    with tempfile.TemporaryFile() as log, tempfile.TemporaryDirectory() as cache:
        launched = time.time()
        own = {"LNVIZ_CACHE": cache, "LNVIZ_DATABASE_URL": f"sqlite:///{cache}/trainings.sqlite"}
        process = subprocess.Popen(
            [*command, *settings],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | own | environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            while not answers(host):
                if process.poll() is not None or time.time() - launched > READY_S:
                    log.seek(0)
                    raise RuntimeError(f"{entry} does not serve:\n{log.read().decode()}")
                time.sleep(0.01)
            yield Server(host, launched, time.time(), process)
        finally:
            process.terminate()
            process.wait()


@contextmanager
def page(script: str | Path) -> Iterator[Path]:
    """An entry for `serve` that shows one Streamlit page: a script's text, or its file."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(script, str):
            text, script = script, Path(folder) / "page.py"
            script.write_text(text, encoding="utf-8")
        entry = Path(folder) / "entry.py"
        entry.write_text(f"import streamlit as st\n\napp = st.App({str(script)!r})\n", "utf-8")
        yield entry


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def frame_size(event: dict[str, Any]) -> int:
    """Bytes of a WebSocket frame, from the browser's event about it."""
    frame = event["response"]
    text: str = frame["payloadData"]
    # Binary frames are reported in base64.
    return len(base64.b64decode(text)) if frame["opcode"] == 2 else len(text.encode())


def quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table, its columns aligned for the terminal, too."""
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def answers(host: str) -> bool:
    """Whether a server answers there."""
    try:
        with urlopen(f"http://{host}/_stcore/health", timeout=1) as response:
            return bool(response.status == 200)
    except (URLError, ConnectionError, TimeoutError):
        return False
