"""Panels that are HTML, which a script brings to life: ways through the lessons, a map."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import streamlit as st

from lnviz.book import network, panels, paths
from lnviz.book.paths import Link
from lnviz.lessons import Lesson
from lnviz.web import assets

_ENLIVEN = """
export default function ({ data, parentElement }) {
  const module = import(new URL(data.module, location.origin));
  module.then(({ enliven }) => enliven(parentElement), () => {});
}
"""


def panel(name: str, _: Lesson) -> None:
    """Show the panel of this name."""
    _show(f"panel-{name}", panels.PANELS[name])


def here(lesson: Lesson) -> None:
    """Show where on the map of a network a lesson is."""
    _show(f"here-{lesson.slug}", lambda link: network.at(lesson, link))


def end(lesson: Lesson) -> None:
    """Put what tells the browser that a lesson is begun and, once it is looked at, read."""
    _show(f"end-{lesson.slug}", lambda _: paths.end(lesson))


def _show(name: str, html: Callable[[Link], str]) -> None:
    with _making:
        if name not in _components:
            _components[name] = st.components.v2.component(
                f"lnviz.{name}",
                html=html(lambda address: f"{assets.base()}/{address}"),
                js=_ENLIVEN,
                isolate_styles=False,
            )
    _components[name](key=name, data={"module": assets.versioned() + "page/progress.js"})


_components: dict[str, Callable[..., object]] = {}
"""Streamlit wants each to be made once for all readers."""
_making = Lock()
