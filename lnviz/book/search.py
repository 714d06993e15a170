"""What a search over the book looks in: its sections, as plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from markdown_it.token import Token

from lnviz.lessons import Asked, Figure, Fold, Lesson, Panel, Table, prose
from lnviz.lessons.text import anchor

HTML = """<form class="ln-search" role="search">
<label>Search the book <input type="search" autocomplete="off" spellcheck="false"></label>
<p role="status"></p>
<ol></ol>
</form>
"""
"""The place of a search, to which `search.js` gives life."""


@dataclass(frozen=True)
class Section:
    """What stands below one heading.

    Attributes:
        page: the title of its page.
        heading: the heading of the section; empty for what stands above the first.
        address: the address of where it begins, below the app's own.
        text: what the section says, on one line, without what a reader is to find out.
    """

    page: str
    heading: str
    address: str
    text: str


def sections(page: Lesson) -> Iterator[Section]:
    """Return the sections of a page, in reading order."""
    heading = ""
    said: list[str] = []
    for title, text in _blocks(page):
        if title:
            yield _section(page, heading, said)
            heading, said = title, []
        said.append(text)
    yield _section(page, heading, said)


def index(pages: Sequence[Lesson], link: Callable[[str], str]) -> list[dict[str, str]]:
    """Return all sections as the `Section`s that `search.js` reads.

    Args:
        pages: The pages to search, in reading order.
        link: Turns an address into what leads there.
    """
    return [
        {"page": s.page, "heading": s.heading, "address": link(s.address), "text": s.text}
        for page in pages
        for s in sections(page)
    ]


def _section(page: Lesson, heading: str, said: Sequence[str]) -> Section:
    there = f"#{anchor(heading)}" if heading else ""
    text = re.sub(r"\s+", " ", " ".join(said)).strip()
    return Section(page.title, heading, f"{page.address or '.'}{there}", text)


def _blocks(page: Lesson) -> Iterator[tuple[str, str]]:
    """What a page says, block by block: headings as the first, text as the second."""
    for part in page.parts:
        if isinstance(part, str):
            yield from _written(part)
        elif isinstance(part, Fold):
            yield "", part.title
            yield from (("", f"{title} {text}") for title, text in _written(part.text))
        elif isinstance(part, Asked):
            yield from _written(part.text)
        elif isinstance(part, Table):
            yield "", part.caption
            for row in part.rows:
                yield "", ", ".join((row.label, *(cell.text for cell in row.cells)))
        elif not isinstance(part, Figure | Panel):
            assert_never(part)


def _written(markdown: str) -> Iterator[tuple[str, str]]:
    tokens = prose.tokens(markdown)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline":
            is_heading = before is not None and before.type == "heading_open"
            text = "".join(map(_inline, token.children or ()))
            yield (text, "") if is_heading else ("", text)
        elif token.type == "fence":
            yield "", token.content


def _inline(token: Token) -> str:
    if token.type == "math_inline":
        return re.sub(r"[\\{}]", "", token.content)
    return token.content if token.content else " " if token.type.endswith("break") else ""
