"""The Streamlit component for HTML that a script makes interactive in the browser."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import streamlit as st

from lnviz.web import assets

# Streamlit calls this after inserting the HTML, and again on every rerun.
_HYDRATE = """
export default function ({ data, parentElement }) {
  const app = import(new URL(data.app, location.origin));
  app.then(({ modules }) => modules[data.module].hydrate(parentElement), () => {});
}
"""

_components: dict[str, Callable[..., object]] = {}
"""The components by key, since Streamlit requires that each be declared once per process."""
_declaring = Lock()


def html_component(key: str, html: Callable[[], str], module: str) -> None:
    """Show HTML in Streamlit that a script makes interactive.

    Args:
        key: The component's unique key; all sessions share the HTML of a key.
        html: Returns the HTML; called once per process.
        module: The script that makes it interactive, by its name in `static_files.APP_SCRIPTS`.
    """
    with _declaring:
        if key not in _components:
            _components[key] = st.components.v2.component(
                f"lnviz.{key}", html=html(), js=_HYDRATE, isolate_styles=False
            )
    _components[key](key=key, data={"app": assets.bundle_url(), "module": module})
