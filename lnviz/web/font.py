"""The font of Streamlit's pages, for use on the standalone pages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import distribution
from pathlib import Path

FILE_NAME = "source-sans.woff2"


@cache
def source_sans() -> bytes:
    """Return the content of the font file in Streamlit's package, without importing Streamlit.

    Raises:
        ModuleNotFoundError: Streamlit is not installed.
    """
    folder = Path(str(distribution("streamlit").locate_file("streamlit")))
    return next(folder.glob("static/static/media/SourceSansVF-Upright*.woff2")).read_bytes()
