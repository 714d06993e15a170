"""The app in a process of its own, as `streamlit run app.py` starts it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import sharing
from tests.service.server import Server, python, running, streamlit


@dataclass(frozen=True)
class Shared:
    """A server for all test processes of a run.

    Attributes:
        url: Where it answers.
        log: The file that takes what it prints.
    """

    url: str
    log: Path


@contextmanager
def serving() -> Iterator[Server]:
    """One that may be killed and started again."""
    with TemporaryDirectory() as folder, running(_server(Path(folder) / "log")) as server:
        yield server


def shared() -> Shared:
    """The one that the process which asks first has started."""
    return sharing.once("server", _start)


_STARTED: list[Server] = []  # kept: Python warns of a process that is forgotten before it ends


def _start() -> Shared:
    server = _server(sharing.folder("servers") / "shared.log")
    server.launch()
    server.wait()
    sharing.until_the_end(server.process.pid)
    _STARTED.append(server)
    return Shared(server.url, server.log)


def _server(log: Path) -> Server:
    server = python(streamlit(), log)
    # A page there asks whether Streamlit still runs, where others ask for the internet.
    server.url = f"http://localhost:{server.port}"
    return server
