"""Tables, questions and exercises: HTML made in Python, which a script brings to life."""

from __future__ import annotations

import streamlit as st

from lnviz.book import PAGES
from lnviz.lessons import Asked, Lesson, Table, forms, tables
from lnviz.web import assets

# The HTML is there before this script. Streamlit calls it again on every rerun.
_ENLIVEN = """
export default function ({ data, parentElement }) {
  const module = import(new URL(data.module, location.origin));
  module.then(({ enliven }) => enliven(parentElement), () => {});
}
"""


def _key(page: Lesson, part: Table | Asked) -> str:
    return f"{'table' if isinstance(part, Table) else 'ask'}-{page.slug}-{part.name}"


_components = {
    _key(page, part): st.components.v2.component(
        f"lnviz.{_key(page, part)}",
        html=tables.html(part) if isinstance(part, Table) else forms.html(part),
        js=_ENLIVEN,
        isolate_styles=False,
    )
    for page in PAGES
    for part in page.parts
    if isinstance(part, Table | Asked)
}


def write(page: Lesson, part: Table | Asked) -> None:
    """Shows a table of a page, or what it asks."""
    module = "tables.js" if isinstance(part, Table) else "asking.js"
    _components[_key(page, part)](
        key=_key(page, part),
        data={"module": assets.versioned() + module},
    )
