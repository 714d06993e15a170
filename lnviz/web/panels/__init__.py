"""Streamlit panels on pages, by the names that lesson texts use for them."""

from collections.abc import Callable, Mapping
from functools import partial

from lnviz.book import panels
from lnviz.lessons import Lesson
from lnviz.web.panels import check, html_panels

PANELS: Mapping[str, Callable[[Lesson], None]] = {
    "check": check.show_check,
    **{name: partial(html_panels.show_panel, name) for name in panels.PANELS},
}
