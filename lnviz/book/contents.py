"""The book's table of contents as HTML, the same in the app and in the exported book."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby

from lnviz.lessons import LESSONS, Lesson


def contents_html(
    pages: Sequence[Lesson], href: Callable[[Lesson], str], current: Lesson | None = None
) -> str:
    """Return links to pages, by section, as a `<nav>` with a list for each section.

    Args:
        pages: The pages, in the book's order.
        href: Returns the address of a page.
        current: The page on which the contents are shown, if it is known.
    """

    def link(page: Lesson) -> str:
        mark = ' aria-current="page"' if page is current else ""
        lesson = f' data-lesson="{page.slug}"' if page in LESSONS else ""
        return f'<li><a href="{escape(href(page))}"{mark}{lesson}>{escape(page.title)}</a></li>'

    lists = "\n".join(
        (f"<h2>{escape(section)}</h2>\n" if section else "")
        + "\n".join(("<ul>", *map(link, members), "</ul>"))
        for section, members in groupby(pages, lambda page: page.section)
    )
    return f'<nav class="contents" aria-label="Contents">\n{lists}\n</nav>'
