"""What a search over the book looks in: its sections, as plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, assert_never

from lnviz.lessons import LESSONS, Asked, Figure, Fold, Lesson, Panel, Table, prose
from lnviz.lessons.lesson import EXERCISES
from lnviz.lessons.tables import Row
from lnviz.lessons.text import anchor

SEARCH_BOX = """<form class="ln-search" role="search">
<label>Search the book <input type="search" autocomplete="off" spellcheck="false"></label>
<div class="found" popover="manual">
<p role="status"></p>
<ol></ol>
</div>
</form>
"""
"""The place of a search, to which `search.js` gives life."""


OPENING_WEIGHT, EXERCISES_WEIGHT = 1.25, 0.5
"""What the beginning of a lesson is worth, which is about all of it, and what asks."""

PAGE_WEIGHTS = {"record": 0.6, "teach": 0.3}
"""What sections of pages are worth that list what other pages explain."""


@dataclass(frozen=True)
class Section:
    """What stands below one heading.

    Attributes:
        page: the title of its page.
        heading: the heading of the section; empty for what stands above the first.
        address: the address of where it begins, below the app's own.
        text: what the section says, on one line, without what a reader is to find out.
        weight: how much it is worth beside others that hold the same words.
        rows: the heads of the rows of its tables; where a page begins, its address, too.
    """

    page: str
    heading: str
    address: str
    text: str
    weight: float
    rows: tuple[str, ...] = ()


def sections(page: Lesson) -> Iterator[Section]:
    """Return the sections of a page, in reading order."""
    # A lesson may be known by its address.
    heading, rows = "", [page.slug.replace("-", " ")]
    # How a lesson begins is about all of it: what is moved there, and what one can do after it.
    said = [f"{said[0].upper()}{said[1:]}" for said in (page.moves, page.able) if page in LESSONS]
    for title, text in _blocks(page):
        if isinstance(title, Row):
            rows.append(title.label)
        elif title:
            yield _section(page, heading, said, rows)
            heading, said, rows = title, [], []
        said.append(text)
    yield _section(page, heading, said, rows)


def search_index(pages: Sequence[Lesson], link: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return all sections as the `Section`s that `search.js` reads.

    Args:
        pages: The pages to search, in reading order.
        link: Turns an address into what leads there.
    """
    return [asdict(s) | {"address": link(s.address)} for page in pages for s in sections(page)]


def _section(page: Lesson, heading: str, said: Sequence[str], rows: Sequence[str]) -> Section:
    there = f"#{anchor(heading)}" if heading else ""
    text = re.sub(r"\s+", " ", " ".join(map(_as_sentence, said))).strip()
    address = f"{page.address or '.'}{there}"
    return Section(page.title, heading, address, text, _weight(page, heading), tuple(rows))


def _as_sentence(text: str) -> str:
    """A title or an item of a list would run into what follows it."""
    bare = text.strip()
    return f"{bare}." if bare and bare[-1] not in ".:;,?!…" else bare


def _weight(page: Lesson, heading: str) -> float:
    if page in LESSONS and not heading:
        return OPENING_WEIGHT
    return PAGE_WEIGHTS.get(page.slug, 1.0) * (EXERCISES_WEIGHT if heading == EXERCISES else 1.0)


def _blocks(page: Lesson) -> Iterator[tuple[str | Row, str]]:
    """What a page says, block by block: headings and rows as the first, text as the second."""
    for part in page.parts:
        if isinstance(part, str):
            yield from _prose_blocks(part)
        elif isinstance(part, Fold):
            yield "", part.title
            yield from (("", f"{title} {text}") for title, text in _prose_blocks(part.text))
        elif isinstance(part, Asked):
            yield from _prose_blocks(part.text)
        elif isinstance(part, Table):
            yield "", part.caption
            for row in part.rows:
                yield row, ", ".join((row.label, *(cell.text for cell in row.cells)))
        elif not isinstance(part, Figure | Panel):
            assert_never(part)


def _prose_blocks(markdown: str) -> Iterator[tuple[str, str]]:
    tokens = prose.tokens(markdown)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline":
            is_heading = before is not None and before.type == "heading_open"
            text = "".join(map(prose.spoken, token.children or ()))
            yield (text, "") if is_heading else ("", text)
        elif token.type == "fence":
            yield "", token.content
