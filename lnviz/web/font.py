"""The font of Streamlit's pages, for use on the standalone pages."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

FILE_NAME = "source-sans.woff2"


@cache
def source_sans() -> bytes:
    """Return the content of the font file in Streamlit's package, without importing Streamlit."""
    spec = find_spec("streamlit")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    return next(folder.glob("static/static/media/SourceSansVF-Upright*.woff2")).read_bytes()
