"""A server in a process of its own: the app, however it is started, a page of Streamlit, nginx."""

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
"""Stands in a command where the port comes."""

LOCAL = ("--server.address", "127.0.0.1", "--server.port", PORT)
HEALTH = "/_stcore/health"


class Server:
    """A process that answers on a port, which it keeps when it is started again.

    Args:
        command: Starts it.
        port: Where it answers.
        log: The file that takes what it prints.
        health: A path that is answered once it is ready.
        root: The tree that it is of.
        environment: Words beside those that this process has.

    Attributes:
        launched: `time.time()` when it was started last.
        answered: `time.time()` when it first answered after that.
        process: What runs now, or ran last.
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
        """Starts it, and does not wait."""
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
        """Waits until it answers.

        Raises:
            RuntimeError: It ended, or did not answer in time; with what it printed.
        """
        while not self.answers():
            if self.process.poll() is not None or time.time() - self.launched > READY_S:
                command = " ".join(self.command)
                raise RuntimeError(f"{command} does not serve:\n{self.log.read_text('utf-8')}")
            time.sleep(0.01)
        self.answered = time.time()

    def answers(self) -> bool:
        """Whether it answers."""
        try:
            with urlopen(self.url + self.health, timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def kill(self) -> None:
        """Ends it on the spot, as a machine that runs out of memory would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Asks it to end, and waits until it has."""
        self.process.terminate()
        self.process.wait()

    def memory(self) -> int:
        """Bytes that its process has now, without those that it started; 0 when it has ended."""
        return self._status("VmRSS")

    def peak(self) -> int:
        """Bytes that its process has had at most; 0 when it has ended."""
        return self._status("VmHWM")

    def _status(self, name: str) -> int:
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text("utf-8")
        except FileNotFoundError:
            return 0
        size = status.partition(f"{name}:")[2].split()  # of a process that waits to be buried: none
        return 1024 * int(size[0]) if size else 0


def python(
    words: Sequence[str],
    log: Path,
    health: str = HEALTH,
    root: Path = ROOT,
    **environment: str,
) -> Server:
    """A server that Python starts, not yet launched.

    Args:
        words: What follows `python`; `PORT` stands for a port that is free.
        log: The file that takes what it prints.
        health: A path that is answered once it is ready.
        root: The tree that it is of.
        environment: Words beside those that this process has.
    """
    port = free_port()
    command = [sys.executable, *(str(port) if word == PORT else word for word in words)]
    return Server(command, port, log, health, root, **environment)


def keeping(folder: Path) -> dict[str, str]:
    """The environment of a server that keeps what it computes and is brought in a folder."""
    return {
        "LNVIZ_CACHE": str(folder / "figures"),
        "LNVIZ_DATABASE_URL": f"sqlite:///{folder}/lnviz.sqlite",
    }


@contextmanager
def started(words: Sequence[str], **environment: str) -> Iterator[Server]:
    """A server that Python starts and that answers, until the block is left; it keeps nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own = keeping(folder) | environment
        with running(python(words, folder / "log", HEALTH, ROOT, **own)) as server:
            yield server


@contextmanager
def running(server: Server) -> Iterator[Server]:
    """A server that answers, until the block is left."""
    server.launch()
    try:
        server.wait()
        yield server
    finally:
        server.stop()


def serve(entry: Path = APP, **environment: str) -> AbstractContextManager[Server]:
    """`streamlit run entry` under the app's own settings, until the block is left."""
    return started(streamlit(entry), **environment)


def streamlit(entry: Path = APP) -> Sequence[str]:
    """The words that have Streamlit run an entry, to be reached from this machine alone."""
    return ("-m", "streamlit", "run", str(entry), *LOCAL)


def free_port() -> int:
    """A port that no process listens on.

    It is below those that the system gives to outgoing connections, any of which could take it
    before a server does.
    """
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, suppress(OSError):  # taken: another one
            probe.bind(("127.0.0.1", port))
            return port
