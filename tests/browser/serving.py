"""The app in a process of its own, as `streamlit run app.py` starts it."""

import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from tests.sharing import once, until_the_end

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """Keeps its port when it is killed and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://localhost:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "streamlit", "run", "app.py"]
        self.process = subprocess.Popen(
            [*command, "--server.port", str(self.port)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not self.answers():
            try:
                # Between two questions; ends at once when the server does.
                code = self.process.wait(0.1)
            except subprocess.TimeoutExpired:
                continue
            raise RuntimeError(f"`{' '.join(command)}` ended with code {code}.")

    def answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/_stcore/health"):
                return True
        except OSError:
            return False

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@dataclass(frozen=True)
class Shared:
    """A server for all test processes of a run."""

    url: str


def shared() -> Shared:
    """The one that the process which asks first has started."""
    return once("server", _start)


_STARTED: list[Server] = []  # kept: Python warns of a process that is forgotten before it ends


def _start() -> Shared:
    server = Server()
    server.start()
    assert server.process is not None
    until_the_end(server.process.pid)
    _STARTED.append(server)
    return Shared(server.url)
