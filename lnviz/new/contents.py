"""The README's table of pages, rendered from the pages' declarations."""

from __future__ import annotations

import re
from pathlib import Path

from lnviz.book import PAGES

BEGIN, END = "<!-- pages: made by `lnviz new contents` -->", "<!-- end of the pages -->"
"""The lines before and after the table."""


def page_table() -> str:
    """Return the table as Markdown: the address of each page, and what the reader moves there."""
    rows = (f"| `/{page.url_path}` | {page.summary} |" for page in PAGES)
    return "\n".join(("| address | what moves |", "| --- | --- |", *rows))


def render(text: str) -> str:
    r"""Return a text with the current table between its marker lines.

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
            f"the list stands once between {BEGIN!r} and {END!r}, found it {count} times"
        )
    return text


def regenerate(file: Path) -> None:
    """Replace the table in a file with the current one."""
    file.write_text(render(file.read_text(encoding="utf-8")), encoding="utf-8")
