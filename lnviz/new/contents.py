"""The README's list of pages, which the pages themselves say."""

from __future__ import annotations

import re
from pathlib import Path

from lnviz.book import PAGES

BEGIN, END = "<!-- pages: made by `lnviz new contents` -->", "<!-- end of the pages -->"
"""The lines between which the list stands."""


def page_table() -> str:
    """Return the list as Markdown: for each page its address and what the reader moves there."""
    rows = (f"| `/{page.address}` | {page.moves} |" for page in PAGES)
    return "\n".join(("| address | what moves |", "| --- | --- |", *rows))


def render(text: str) -> str:
    r"""Return a text with the list as it is now.

    Args:
        text: Holds the two lines between which the list stands.

    Raises:
        ValueError: It holds no such lines, or several.

    >>> BEGIN in render(f"{BEGIN}\nold\n{END}\n")
    True
    """
    between = re.compile(f"{re.escape(BEGIN)}\n.*?{re.escape(END)}", re.DOTALL)
    list_now = f"{BEGIN}\n{page_table()}\n{END}"
    text, times = between.subn(lambda _: list_now, text)
    if times != 1:
        raise ValueError(
            f"the list stands once between {BEGIN!r} and {END!r}, found it {times} times"
        )
    return text


def regenerate(file: Path) -> None:
    """Write the list into a file, in the place of the one that it holds."""
    file.write_text(render(file.read_text(encoding="utf-8")), encoding="utf-8")
