"""Panels that are HTML, which a script brings to life: ways through the lessons, say."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import streamlit as st

from lnviz.book import panels
from lnviz.web import assets

_ENLIVEN = """
export default function ({ data, parentElement }) {
  const module = import(new URL(data.module, location.origin));
  module.then(({ enliven }) => enliven(parentElement), () => {});
}
"""


def panel(name: str) -> None:
    """Show the panel of this name."""
    _component(name)(key=f"panel-{name}", data={"module": assets.versioned() + "page/progress.js"})


@cache
def _component(name: str) -> Callable[..., object]:
    """The component of this name, which Streamlit wants to be made once for all readers."""
    html = panels.PANELS[name](lambda address: f"{assets.base()}/{address}")
    return st.components.v2.component(
        f"lnviz.panel-{name}", html=html, js=_ENLIVEN, isolate_styles=False
    )
