"""Server processes: the app, however it is started, a page of Streamlit, nginx."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app.py"
READY_S = 120.0
PORT = "PORT"
"""Placeholder of the port in a command."""

LOCAL = ("--server.address", "127.0.0.1", "--server.port", PORT)
HEALTH = "/_stcore/health"


class Server:
    """A server process on a port, which is the same one after a restart.

    Args:
        command: Command that starts it.
        port: Port that it listens on.
        log: File for its output.
        health: Path that is answered once the server is ready.
        root: Tree that it runs from.
        environment: Variables on top of those of this process.

    Attributes:
        launched: `time.time()` of its last start.
        answered: `time.time()` of its first answer after that.
        process: The process that runs now, or ran last.
    """

    process: subprocess.Popen[bytes]
    launched: float
    answered: float

    def __init__(
        self,
        command: Sequence[str],
        port: int,
        log: Path,
        health: str = HEALTH,
        root: Path = ROOT,
        **environment: str,
    ) -> None:
        self.command, self.port, self.log, self.health = command, port, log, health
        self.root = root
        self.environment = environment
        self.url = f"http://127.0.0.1:{port}"

    def launch(self) -> None:
        """Start it without waiting until it answers."""
        self.launched = time.time()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.root,  # whose settings Streamlit takes
                env=os.environ | {"PYTHONPATH": str(self.root)} | self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait(self) -> None:
        """Wait until it answers.

        Raises:
            RuntimeError: It ended, or did not answer in time; the message has its output.
        """
        while not self.answers():
            if self.process.poll() is not None or time.time() - self.launched > READY_S:
                command = " ".join(self.command)
                raise RuntimeError(f"{command} does not serve:\n{self.log.read_text('utf-8')}")
            time.sleep(0.01)
        self.answered = time.time()

    def answers(self) -> bool:
        """Return whether it answers."""
        try:
            with urlopen(self.url + self.health, timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def kill(self) -> None:
        """Kill it, as a machine that runs out of memory would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Terminate it, and wait for its end."""
        self.process.terminate()
        self.process.wait()

    def memory(self) -> int:
        """Return the resident bytes of its process, without its children; 0 after its end."""
        return self._status("VmRSS")

    def peak(self) -> int:
        """Return the peak of its resident bytes; 0 after its end."""
        return self._status("VmHWM")

    def _status(self, name: str) -> int:
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        except FileNotFoundError:
            return 0
        size = status.partition(f"{name}:")[2].split()  # none for a zombie
        return 1024 * int(size[0]) if size else 0


def python(
    words: Sequence[str],
    log: Path,
    health: str = HEALTH,
    root: Path = ROOT,
    **environment: str,
) -> Server:
    """Return a server that Python runs, not yet launched.

    Args:
        words: Arguments of `python`; `PORT` stands for a free port.
        log: File for its output.
        health: Path that is answered once the server is ready.
        root: Tree that it runs from.
        environment: Variables on top of those of this process.
    """
    port = free_port()
    command = [sys.executable, *(str(port) if word == PORT else word for word in words)]
    return Server(command, port, log, health, root, **environment)


def keeping(folder: Path) -> dict[str, str]:
    """Return the environment of a server whose cache and database are in a folder."""
    return {
        "LNVIZ_CACHE": str(folder / "figures"),
        "LNVIZ_DATABASE_URL": f"sqlite:///{folder}/lnviz.sqlite",
    }


@contextmanager
def started(words: Sequence[str], **environment: str) -> Iterator[Server]:
    """Run a server with Python during the block, with a cache and a database of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own = keeping(folder) | environment
        with running(python(words, folder / "log", HEALTH, ROOT, **own)) as server:
            yield server


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """Run a server during the block."""
    server.launch()
    try:
        server.wait()
        yield server
    finally:
        server.stop()


def serve(entry: Path = APP, **environment: str) -> AbstractContextManager[Server]:
    """Run `streamlit run entry` with the app's settings during the block."""
    return started(streamlit(entry), **environment)


def streamlit(entry: Path = APP) -> Sequence[str]:
    """Return the arguments with which Streamlit runs a script, for this machine alone."""
    return ("-m", "streamlit", "run", str(entry), *LOCAL)


def free_port() -> int:
    """Return a port that no process listens on.

    It is below those of outgoing connections, any of which could take it before a server does.
    """
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):  # taken: another one
            probe.bind(("127.0.0.1", port))
            return port
