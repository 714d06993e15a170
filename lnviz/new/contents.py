"""The table of pages in `docs/pages.md`, generated from the pages' declarations."""

from __future__ import annotations

import re
from pathlib import Path

from lnviz.book import PAGES

BEGIN, END = "<!-- pages: made by `lnviz new contents` -->", "<!-- end of the pages -->"
"""The lines before and after the table."""


def page_table() -> str:
    """Return the table of pages as Markdown: their URLs and their controls."""
    rows = (f"| `/{page.url_path}` | {page.summary} |" for page in PAGES)
    return "\n".join(("| address | what moves |", "| --- | --- |", *rows))


def render(text: str) -> str:
    r"""Return a document's text with the table of pages between its marker lines updated.

    Args:
        text: A text that contains the two marker lines.

    Raises:
        ValueError: The text does not contain the marker lines exactly once.

    >>> BEGIN in render(f"{BEGIN}\nold\n{END}\n")
    True
    """
    between = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", re.DOTALL)
    table = f"{BEGIN}\n{page_table()}\n{END}"
    text, count = between.subn(lambda _: table, text)
    if count != 1:
        raise ValueError(
            f"the list must be there once, between {BEGIN!r} and {END!r}, but was found {count} "
            "times"
        )
    return text


def regenerate(file: Path) -> None:
    """Update the table of pages in a document."""
    file.write_text(render(file.read_text(encoding="utf-8")), encoding="utf-8")
