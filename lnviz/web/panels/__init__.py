"""Panels of pages, by their names in the texts of lessons."""

from collections.abc import Callable, Mapping
from functools import partial

from lnviz.book import panels
from lnviz.lessons import Lesson
from lnviz.web.panels import check, html_panels

PANELS: Mapping[str, Callable[[Lesson], None]] = {
    "check": check.show_check,
    **{name: partial(html_panels.show_panel, name) for name in panels.PANELS},
}
