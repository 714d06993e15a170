"""Files that a browser loads beside a figure: scripts, styles, the font and Plotly."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import plotly

from lnviz.explorable import theme

FOLDER = files("lnviz.explorable") / "assets"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}


@cache
def names() -> frozenset[str]:
    """All of them."""
    own = (file.name for file in FOLDER.iterdir() if Path(file.name).suffix in TYPES)
    return frozenset((*own, "theme.css", "plotly.min.js", "source-sans.woff2"))


def content(name: str) -> bytes:
    """What one of them holds."""
    if name == "theme.css":
        return theme.css().encode()
    if name == "plotly.min.js":
        return (files("plotly") / "package_data" / name).read_bytes()
    if name == "source-sans.woff2":
        return _font().read_bytes()
    return (FOLDER / name).read_bytes()


@cache
def version() -> str:
    """A name for the present files; it changes when one of them does."""
    digest = hashlib.sha256(theme.css().encode() + plotly.__version__.encode())
    for file in sorted(FOLDER.iterdir(), key=lambda file: file.name):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _font() -> Path:
    """The font of the app's own pages, for the others; Streamlit ships it, and is not run here."""
    spec = find_spec("streamlit")
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("static/static/media/SourceSansVF-Upright*.woff2"))
