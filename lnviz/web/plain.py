"""Tables, what is asked, and rows of what is deeper: HTML which a script brings to life."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import streamlit as st

from lnviz.book import previews
from lnviz.lessons import Asked, Deeper, Lesson, Table, folds, forms, tables
from lnviz.lessons.lesson import Part
from lnviz.lessons.text import anchor
from lnviz.web import assets

# The HTML is there before this script. Streamlit calls it again on every rerun.
_ENLIVEN = """
export default function ({ data, parentElement }) {
  const module = import(new URL(data.module, location.origin));
  module.then(({ enliven }) => enliven(parentElement), () => {});
}
"""


Written = Table | Asked | Deeper[Part]


def write(page: Lesson, part: Written) -> None:
    """Show a table of a page, what it asks, or the row of what is deeper."""
    kind, name, module = _known(part)
    key = f"{kind}-{page.slug}-{name}"
    _component(key, page, part)(key=key, data={"module": assets.versioned() + module})


def _known(part: Written) -> tuple[str, str, str]:
    """The kind of a part, its name, and the script that brings it to life."""
    if isinstance(part, Table):
        return "table", part.name, "book/tables.js"
    if isinstance(part, Deeper):
        return "row", anchor(part.title), "page/folds.js"
    return "ask", part.name, "questions/asking.js"


def _component(name: str, page: Lesson, part: Written) -> Callable[..., object]:
    """The component of this name, which Streamlit wants to be made once for all readers."""
    with _making:
        if name not in _components:
            _components[name] = st.components.v2.component(
                f"lnviz.{name}", html=_html(page, part), js=_ENLIVEN, isolate_styles=False
            )
        return _components[name]


def _html(page: Lesson, part: Written) -> str:
    if isinstance(part, Table):
        return tables.html(part)
    if isinstance(part, Deeper):
        return folds.html(part, previews.address(page, part.figure))
    return forms.html(part)


_components: dict[str, Callable[..., object]] = {}
_making = Lock()
