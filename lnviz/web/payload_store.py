"""On-disk cache of figure payloads, which survives restarts of the server."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import platform
import tempfile
from collections.abc import Collection
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock

from lnviz import data, results
from lnviz.cache import CACHE_VARIABLE
from lnviz.device import device
from lnviz.explorable.explorable import public_url
from lnviz.fingerprint import fingerprint
from lnviz.web.responses import CompressedBody

LIMIT_BYTES = 256 * 2**20
DIGEST_BYTES = hashlib.sha256().digest_size

_CODE_VERSION_LOCK = Lock()


def code_version(module: str) -> str:
    """Return a hash of everything that a figure's payloads depend on besides its parameters.

    The hash covers the figure's code and text, data files, libraries and the device. The first
    call for a module reads its code (a second for all figures): do not call it on the event loop.

    Args:
        module: Name of the module that builds the figure.
    """
    with _CODE_VERSION_LOCK:  # concurrent first calls read the code once
        return _code_version(module)


@lru_cache(1024)
def _code_version(module: str) -> str:
    version = fingerprint(module, companions=(".md", "_code.py")) + _environment_hash()
    return hashlib.sha256(version.encode()).hexdigest()[:16]


@cache
def _environment_hash() -> str:
    digest = hashlib.sha256()
    for folder in (data.__path__[0], results.__path__[0]):
        for file in sorted(Path(folder).iterdir()):
            if file.is_file() and file.suffix != ".py":
                digest.update(f"{file.name} {file.stat().st_size}\n".encode() + file.read_bytes())
    libraries = [version(name) for name in ("numpy", "plotly", "torch")]
    digest.update(
        " ".join((platform.python_version(), *libraries, str(device()), public_url())).encode()
    )
    return digest.hexdigest()


class PayloadStore:
    """On-disk LRU cache of figure payloads, in the files of one folder.

    Several processes may share the folder, since files are written atomically. Each file begins
    with a hash of its name and content; a corrupt file is treated as missing and replaced. If the
    folder is not writable, nothing is stored.

    Args:
        folder: The folder, created on the first write.
        limit_bytes: Maximum total size of the files that can be evicted.
        pinned: Keys of payloads whose most recent version is never evicted.
    """

    def __init__(
        self, folder: Path, limit_bytes: int = LIMIT_BYTES, pinned: Collection[str] = ()
    ) -> None:
        self._folder = folder
        self._limit_bytes = limit_bytes
        self._pinned = {_short_hash(name) for name in pinned}
        self._has_warned = False

    def get(self, key: str, version: str) -> CompressedBody | None:
        """Return a payload if the current version of the code has computed it, otherwise None."""
        file = self._file(key, version)
        try:
            stored = file.read_bytes()
            os.utime(file)  # marks it as recently used
        except OSError:
            return None
        digest, packed = stored[:DIGEST_BYTES], stored[DIGEST_BYTES:]
        return CompressedBody(packed) if digest == _digest(file, packed) else None

    def put(self, key: str, version: str, body: CompressedBody) -> None:
        """Store a payload; evict the least recently used ones above the size limit.

        Args:
            key: Cache key of the payload.
            version: Version of the code that computed it, see `code_version`.
            body: The payload.
        """
        file = self._file(key, version)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(
                dir=self._folder, suffix=".payload", delete=False
            ) as written:
                written.write(_digest(file, body.gzipped) + body.gzipped)
            os.replace(written.name, file)
            self._evict()
        except OSError as error:
            if not self._has_warned:
                logging.getLogger(__name__).warning(
                    "Could not store a payload on disk: %s. Set %s to a writable directory.",
                    error,
                    CACHE_VARIABLE,
                )
            self._has_warned = True

    def _evict(self) -> None:
        files = []
        for file in self._folder.glob("*.payload"):
            # Another process may have removed it by now.
            with contextlib.suppress(FileNotFoundError):
                state = file.stat()
                files.append((state.st_mtime_ns, state.st_size, file))
        files.sort()
        # Sorted by last use: the most recent version of each key remains.
        last = {file.name.partition("-")[0]: file for _, _, file in files}
        staying = {file for name, file in last.items() if name in self._pinned}
        may_go = [(size, file) for _, size, file in files if file not in staying]
        total = sum(size for size, _ in may_go)
        for size, file in may_go:
            if total <= self._limit_bytes:
                break
            file.unlink(missing_ok=True)
            total -= size

    def _file(self, key: str, version: str) -> Path:
        return self._folder / f"{_short_hash(key)}-{version}.payload"


def _short_hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:32]


def _digest(file: Path, packed: bytes) -> bytes:
    return hashlib.sha256(file.name.encode() + packed).digest()
