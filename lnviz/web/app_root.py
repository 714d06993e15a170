"""Folder with app.py, pages/ and .streamlit/: next to the package, or inside it if installed."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_INSTALLED = _PACKAGE / "site"

APP_ROOT = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent
"""Folder of app.py, pages/ and .streamlit/."""

MAIN_SCRIPT = Path(__file__).with_name("main.py")
"""Script that Streamlit runs for every session."""
