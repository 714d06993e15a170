"""Interactive figures in Jupyter and marimo: anywidget widgets that run the app's scripts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from lnviz.extras import require_extra
from lnviz.frontend import bundle, static_files

with require_extra("notebook"):
    import anywidget
    from traitlets import Dict, Unicode

_IMPORT = re.compile(r'^@import "(.*)";\n', re.MULTILINE)


def widget(payload: Mapping[str, Any]) -> anywidget.AnyWidget:
    """Return a figure's payload as an anywidget widget for notebooks.

    Args:
        payload: The figure's JSON document. Since a notebook has no server to compute another
            document, the widget shows no parameters, and readers cannot edit the data.
    """
    kinds = {view["kind"] for row in payload["views"] for view in row}
    return _Widget(
        payload={**payload, "parameters": [], "edits": None},
        plotly=static_files.read_file("plotly.min.js").decode() if "chart" in kinds else "",
    )


def scripts() -> str:
    """Return a figure's JavaScript as one module that renders an anywidget widget."""
    return bundle.bundle_module(static_files.FOLDER / "notebook" / "notebook.js")


def style() -> str:
    """Return all style sheets of a figure as one style sheet, for notebooks."""
    return _style("notebook/notebook.css")


def _style(name: str) -> str:
    text = static_files.read_file(name).decode()
    room = posixpath.dirname(name)
    return _IMPORT.sub(lambda sheet: _style(posixpath.normpath(f"{room}/{sheet[1]}")), text)


class _Widget(anywidget.AnyWidget):
    _esm = scripts()
    _css = style()
    payload = Dict().tag(sync=True)
    plotly = Unicode().tag(sync=True)
