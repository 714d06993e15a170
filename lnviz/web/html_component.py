"""Tables, what is asked, and rows of what is deeper: HTML which a script brings to life."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import streamlit as st

from lnviz.book import previews
from lnviz.lessons import Asked, Deeper, Lesson, Table, exercise_html, sections, tables
from lnviz.lessons.lesson import Part
from lnviz.lessons.text import anchor
from lnviz.web import assets

# The HTML is there before this script. Streamlit calls it again on every rerun.
_HYDRATE = """
export default function ({ data, parentElement }) {
  const app = import(new URL(data.app, location.origin));
  app.then(({ modules }) => modules[data.module].hydrate(parentElement), () => {});
}
"""


HtmlPart = Table | Asked | Deeper[Part]


def show_part(page: Lesson, part: HtmlPart) -> None:
    """Show a table of a page, what it asks, or the row of what is deeper."""
    kind, name, module = _component_of(part)
    html_component(f"{kind}-{page.slug}-{name}", lambda: _html(page, part), module)


def html_component(key: str, html: Callable[[], str], module: str) -> None:
    """Show HTML that a script brings to life.

    Args:
        key: What tells it from all others; the HTML of one key is the same for all readers.
        html: Makes it, the first time.
        module: The script, by its name in `served.SCRIPTS`.
    """
    with _making:
        if key not in _components:
            _components[key] = st.components.v2.component(
                f"lnviz.{key}", html=html(), js=_HYDRATE, isolate_styles=False
            )
    _components[key](key=key, data={"app": assets.bundle_url(), "module": module})


def _component_of(part: HtmlPart) -> tuple[str, str, str]:
    """The kind of a part, its name, and the script that brings it to life."""
    if isinstance(part, Table):
        return "table", part.name, "book/tables.js"
    if isinstance(part, Deeper):
        return "row", anchor(part.title), "page/folds.js"
    return "ask", part.name, "questions/exercises.js"


def _html(page: Lesson, part: HtmlPart) -> str:
    if isinstance(part, Table):
        return tables.html(part)
    if isinstance(part, Deeper):
        return sections.html(page.slug, part, previews.thumbnail_url(page, part.figure))
    return exercise_html.html(part)


_components: dict[str, Callable[..., object]] = {}
"""Streamlit wants each to be made once for all readers."""
_making = Lock()
