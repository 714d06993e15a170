"""A table on a page, with heads that sort it."""

from __future__ import annotations

import streamlit as st

from lnviz.book import PAGES
from lnviz.explorable import served
from lnviz.lessons import Lesson, Table
from lnviz.lessons.tables import html
from lnviz.web import assets

# The table is plain HTML, there before this script. Streamlit calls it again on every rerun.
_SORT = """
export default function ({ data, parentElement }) {
  const module = import(new URL(data.assets + "tables.js", location.origin));
  module.then(({ sortable }) => sortable(parentElement), () => {});
}
"""

_components = {
    (page.slug, table.name): st.components.v2.component(
        f"lnviz.table-{page.slug}-{table.name}", html=html(table), js=_SORT, isolate_styles=False
    )
    for page in PAGES
    for table in page.tables
}


def compare(page: Lesson, table: Table) -> None:
    """Shows a table of a page."""
    _components[page.slug, table.name](
        key=f"table-{page.slug}-{table.name}",
        data={"assets": f"{assets.base()}/assets/{served.version()}/"},
    )
