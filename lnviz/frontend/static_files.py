"""Static files of the frontend: scripts, style sheets, icons and Plotly.

Of Plotly, only the bundle of Cartesian charts is served, which has a third of the full size, since
browsers compile the whole script before they draw a chart. `make plotly` copies it from npm.
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
"""The bundle of a page of the app; it exports the modules of `APP_SCRIPTS` by name."""

APP_SCRIPTS = (
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
BUNDLED = (
    "present/present.js",
    "room/figure_loader.js",
    "room/phone.js",
    "room/remote.js",
)
"""Modules that are sent with all their imports, in one request."""

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_IMPORT = re.compile(r'^@import "([^"]*)";$', re.MULTILINE)


@cache
def file_names() -> frozenset[str]:
    """Return the paths of all static files of the frontend, such as `engine/figure.js`."""
    return frozenset((*_folder_files(), APP, "theme.css"))


def read_file(name: str) -> bytes:
    """Return a static file's content, with a script bundled or a style sheet's imports inlined."""
    if name == "theme.css":
        return theme.style_sheet().encode()
    if name == APP:
        return bundle.bundle_many({each: FOLDER / each for each in APP_SCRIPTS}).encode()
    if name in BUNDLED:
        return bundle.bundle_module(FOLDER / name).encode()
    if name.endswith(".css"):
        return _inlined_style_sheet(name).encode()
    return (FOLDER / name).read_bytes()


@cache
def content_hash() -> str:
    """Return a hash of all static files, for URLs that browsers may cache forever."""
    digest = hashlib.sha256(theme.style_sheet().encode())
    for name in _folder_files():
        digest.update(name.encode() + read_file(name))
    return digest.hexdigest()[:12]


def _inlined_style_sheet(name: str) -> str:
    """Return a style sheet with each `@import` replaced by the imported style sheet."""

    def imported(match: re.Match[str]) -> str:
        sheet = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[1]))
        return read_file(sheet).decode()

    return _IMPORT.sub(imported, (FOLDER / name).read_text(encoding="utf-8"))


def _folder_files() -> list[str]:
    """Return the names of the static files in a folder of the frontend."""
    paths = (path for path in FOLDER.rglob("*") if path.suffix in MEDIA_TYPES)
    return sorted(path.relative_to(FOLDER).as_posix() for path in paths)
