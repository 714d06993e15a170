"""Files that a browser loads beside a figure: scripts, styles and Plotly.

Of Plotly it is the bundle of flat charts, a third of the whole: every byte of it is compiled before
a chart is drawn. `make plotly` brings it from npm.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from functools import cache
from pathlib import Path

from lnviz.frontend import bundle, theme

FOLDER = Path(__file__).parent
APP = "page/app.js"
"""All that a page of the app runs, as one module: what each of `SCRIPTS` exports, by its name."""

SCRIPTS = (
    "page/session_error.js",
    "page/page_transition.js",
    "page/contents.js",
    "page/folds.js",
    "page/lesson.js",
    "page/links.js",
    "page/progress.js",
    "book/glossary.js",
    "book/search.js",
    "book/tables.js",
    "questions/exercises.js",
)
WHOLE = (
    "present/present.js",
    "room/figure_loader.js",
    "room/phone.js",
    "room/remote.js",
)
"""Modules that arrive with all that they import: a page asks once, and not for each of them."""

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_IMPORT = re.compile(r'^@import "([^"]*)";$', re.MULTILINE)


@cache
def names() -> frozenset[str]:
    """Return the names of all files, by their paths: `engine/figure.js`."""
    return frozenset((*_own(), APP, "theme.css"))


def content(name: str) -> bytes:
    """Return what one of the files holds; a style sheet holds those that it imports."""
    if name == "theme.css":
        return theme.css().encode()
    if name == APP:
        return bundle.together({each: FOLDER / each for each in SCRIPTS}).encode()
    if name in WHOLE:
        return bundle.module(FOLDER / name).encode()
    if name.endswith(".css"):
        return _sheet(name).encode()
    return (FOLDER / name).read_bytes()


@cache
def version() -> str:
    """Return a name for the present files; it changes when one of them does."""
    digest = hashlib.sha256(theme.css().encode())
    for name in _own():
        digest.update(name.encode() + content(name))
    return digest.hexdigest()[:12]


def _sheet(name: str) -> str:
    """A style sheet with those that it imports, in their place."""

    def imported(match: re.Match[str]) -> str:
        sheet = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[1]))
        return content(sheet).decode()

    return _IMPORT.sub(imported, (FOLDER / name).read_text(encoding="utf-8"))


def _own() -> list[str]:
    """The files that lie in this folder."""
    paths = (path for path in FOLDER.rglob("*") if path.suffix in TYPES)
    return sorted(path.relative_to(FOLDER).as_posix() for path in paths)
