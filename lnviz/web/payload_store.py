"""Payloads on disk: what has been computed once is there after the next start."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import tempfile
from collections.abc import Collection
from functools import cache
from importlib.metadata import version
from pathlib import Path

import lnviz
from lnviz.cache import VARIABLE
from lnviz.device import device
from lnviz.web.answers import Body

LIMIT = 256 * 2**20
DIGEST = hashlib.sha256().digest_size


@cache
def code() -> str:
    """A name for what payloads are made by: this code, these libraries, this device."""
    digest = hashlib.sha256()
    root = Path(lnviz.__file__).parent
    for file in sorted(root.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(f"{file.relative_to(root)}\0{file.stat().st_size}\0".encode())
            digest.update(file.read_bytes())
    libraries = [version(name) for name in ("numpy", "plotly", "scikit-learn", "torch")]
    digest.update(" ".join((platform.python_version(), *libraries, str(device()))).encode())
    return digest.hexdigest()[:16]


class PayloadStore:
    """Bodies in files of one folder, bounded in bytes; the least recently used go first.

    Several processes may share the folder: a file appears whole or not at all. Each begins with a
    digest of its name and content; one that does not fit is as good as none, and is replaced.
    A folder that cannot be written to keeps nothing.

    Args:
        folder: Where the files are; made when the first is kept.
        code: Names what the bodies were made by. Those of another are not found.
        limit: How many bytes there may be, in files that may go.
        stay: Names of bodies that never go.
    """

    def __init__(
        self, folder: Path, code: str, limit: int = LIMIT, stay: Collection[str] = ()
    ) -> None:
        self._folder = folder
        self._code = code
        self._limit = limit
        self._stay = {self._file(name).name for name in stay}
        self._complained = False

    def get(self, name: str) -> Body | None:
        """The body of this name, if it is kept and whole."""
        file = self._file(name)
        try:
            kept = file.read_bytes()
            os.utime(file)  # used just now
        except OSError:
            return None
        digest, packed = kept[:DIGEST], kept[DIGEST:]
        return Body(packed) if digest == _digest(file, packed) else None

    def put(self, name: str, body: Body) -> None:
        """Keeps a body; others go where there are too many bytes."""
        file = self._file(name)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                dir=self._folder, suffix=".payload", delete=False
            ) as written:
                written.write(_digest(file, body.packed) + body.packed)
            os.replace(written.name, file)
            self._trim()
        except OSError as error:
            if not self._complained:
                logging.getLogger(__name__).warning(
                    "Payloads are not kept on disk: %s. Name another folder in %s.", error, VARIABLE
                )
            self._complained = True

    def _trim(self) -> None:
        found = []
        for file in self._folder.glob("*.payload"):
            # Another process may have removed it by now.
            with contextlib.suppress(FileNotFoundError):
                if file.name not in self._stay:
                    state = file.stat()
                    found.append((state.st_mtime_ns, state.st_size, file))
        size = sum(size for _, size, _ in found)
        for _, freed, file in sorted(found):
            if size <= self._limit:
                break
            file.unlink(missing_ok=True)
            size -= freed

    def _file(self, name: str) -> Path:
        named = hashlib.sha256(name.encode()).hexdigest()[:32]
        return self._folder / f"{self._code}-{named}.payload"


def _digest(file: Path, packed: bytes) -> bytes:
    return hashlib.sha256(file.name.encode() + packed).digest()
