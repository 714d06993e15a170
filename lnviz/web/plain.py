"""Tables, questions and exercises: HTML made in Python, which a script brings to life."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import streamlit as st

from lnviz.lessons import Asked, Lesson, Table, forms, tables
from lnviz.web import assets

# The HTML is there before this script. Streamlit calls it again on every rerun.
_ENLIVEN = """
export default function ({ data, parentElement }) {
  const module = import(new URL(data.module, location.origin));
  module.then(({ enliven }) => enliven(parentElement), () => {});
}
"""


def write(page: Lesson, part: Table | Asked) -> None:
    """Show a table of a page, or what it asks."""
    module = "book/tables.js" if isinstance(part, Table) else "questions/asking.js"
    name = f"{'table' if isinstance(part, Table) else 'ask'}-{page.slug}-{part.name}"
    _component(name, part)(key=name, data={"module": assets.versioned() + module})


def _component(name: str, part: Table | Asked) -> Callable[..., object]:
    """The component of this name, which Streamlit wants to be made once for all readers."""
    with _making:
        if name not in _components:
            _components[name] = st.components.v2.component(
                f"lnviz.{name}",
                html=tables.html(part) if isinstance(part, Table) else forms.html(part),
                js=_ENLIVEN,
                isolate_styles=False,
            )
        return _components[name]


_components: dict[str, Callable[..., object]] = {}
_making = Lock()
