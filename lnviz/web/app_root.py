"""Where app.py, pages/ and .streamlit/ are: beside the package, or inside it once installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_INSTALLED = _PACKAGE / "site"

APP_ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
"""The folder of all three."""

MAIN_SCRIPT = Path(__file__).with_name("main.py")
"""The script that Streamlit runs for every session."""
