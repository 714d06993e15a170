"""Interactive figures in Jupyter and marimo: anywidget widgets that run the app's scripts."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from lnviz.extras import require_extra
from lnviz.frontend import bundle, static_files

with require_extra("notebook"):
    import anywidget
    import ipywidgets
    from traitlets import Dict, Instance, Unicode

_IMPORT = re.compile(r'^@import "(.*)";\n', re.MULTILINE)


def widget(payload: Mapping[str, Any]) -> anywidget.AnyWidget:
    """Return a figure's payload as an anywidget widget that brings all its scripts.

    Args:
        payload: The figure's JSON document. Since a notebook has no server to compute another
            document, the widget shows no parameters, and readers cannot edit the data.
    """
    library = static_files.read_file("plotly.min.js").decode() if _has_charts(payload) else ""
    return _Widget(payload=_without_server(payload), plotly=library)


def sharing_widget(payload: Mapping[str, Any]) -> anywidget.AnyWidget:
    """Return a figure's payload as a widget that shares its scripts with others of its notebook.

    A saved notebook has the scripts once, in widgets that the figures' widgets refer to.

    Args:
        payload: The figure's JSON document, as in `widget`.
    """
    library = _shared("plotly") if _has_charts(payload) else None
    return _SharingWidget(
        payload=_without_server(payload), scripts=_shared("scripts"), plotly=library
    )


def _without_server(payload: Mapping[str, Any]) -> dict[str, Any]:
    return {**payload, "parameters": [], "edits": None}


def _has_charts(payload: Mapping[str, Any]) -> bool:
    return any(view["kind"] == "chart" for row in payload["views"] for view in row)


@cache
def _shared(name: str) -> ipywidgets.Widget:
    """Return the widget that keeps the scripts, or Plotly, for all figures of a notebook."""
    if name == "plotly":
        return _Text(text=static_files.read_file("plotly.min.js").decode())
    return _Text(text=f"{scripts()}export const style = {json.dumps(style())};\n")


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


class _Text(ipywidgets.Widget):  # type: ignore[misc]
    text = Unicode().tag(sync=True)


class _SharingWidget(anywidget.AnyWidget):
    _esm = bundle.bundle_module(static_files.FOLDER / "notebook" / "shared.js")
    payload = Dict().tag(sync=True)
    scripts = Instance(ipywidgets.Widget).tag(sync=True, **ipywidgets.widget_serialization)
    plotly = Instance(ipywidgets.Widget, allow_none=True).tag(
        sync=True, **ipywidgets.widget_serialization
    )
