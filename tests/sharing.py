"""What the processes of one test run share: a folder and servers, both gone when the run is."""

import os
import pickle
import shutil
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

T = TypeVar("T")
FOLDER = "LNVIZ_TESTS"
"""The environment variable that names the folder; test processes inherit it."""


SECRET = "of the tests alone"
"""Signs the names of visitors, in servers that tests and benchmarks start, too."""
os.environ["LNVIZ_SECRET"] = SECRET  # which the web reads when it is imported


def begin() -> None:
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="lnviz-tests-")
    os.environ["LNVIZ_CACHE"] = str(_folder() / "payloads")
    os.environ["LNVIZ_DATABASE_URL"] = f"sqlite:///{_folder() / 'trainings.sqlite'}"


def once(name: str, make: Callable[[], T]) -> T:
    """What `make` gives, made by the process that asks first and kept for the others."""
    file = _folder() / name
    with FileLock(f"{file}.lock"):
        if not file.exists():
            made = make()
            file.write_bytes(pickle.dumps(made))
            return made
    found: T = pickle.loads(file.read_bytes())
    return found


def until_the_end(pid: int) -> None:
    """Lets a process live as long as the run."""
    (_folder() / f"{pid}.pid").touch()


def end() -> None:
    for file in _folder().glob("*.pid"):
        with suppress(ProcessLookupError):  # it has ended by itself
            os.kill(int(file.stem), signal.SIGKILL)
    shutil.rmtree(_folder(), ignore_errors=True)  # a server may have written to its last moment


def folder(name: str) -> Path:
    """A folder of this name, the same for all test processes."""
    found = _folder() / name
    found.mkdir(exist_ok=True)
    return found


def _folder() -> Path:
    return Path(os.environ[FOLDER])
