"""The font of the app's own pages, for the others: Streamlit ships it."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

FILE_NAME = "source-sans.woff2"


@cache
def source_sans() -> bytes:
    """Return the font's file. Streamlit is looked up for it, and not imported."""
    spec = find_spec("streamlit")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    return next(folder.glob("static/static/media/SourceSansVF-Upright*.woff2")).read_bytes()
