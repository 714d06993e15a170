"""Files that a browser loads beside a figure: scripts, styles and Plotly."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path

import plotly

from lnviz.front import theme

FOLDER = Path(__file__).parent
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}


@cache
def names() -> frozenset[str]:
    """Return the names of all files, by their paths: `engine/figure.js`."""
    return frozenset((*_own(), "theme.css", "plotly.min.js"))


def content(name: str) -> bytes:
    """Return what one of the files holds."""
    if name == "theme.css":
        return theme.css().encode()
    if name == "plotly.min.js":
        return (files("plotly") / "package_data" / name).read_bytes()
    return (FOLDER / name).read_bytes()


@cache
def version() -> str:
    """Return a name for the present files; it changes when one of them does."""
    digest = hashlib.sha256(theme.css().encode() + plotly.__version__.encode())
    for name in _own():
        digest.update(name.encode() + content(name))
    return digest.hexdigest()[:12]


def _own() -> list[str]:
    """The files that lie in this folder."""
    paths = (path for path in FOLDER.rglob("*") if path.suffix in TYPES)
    return sorted(path.relative_to(FOLDER).as_posix() for path in paths)
