"""The index for full-text search in the book: its sections as plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, assert_never

from lnviz.lessons import (
    LESSONS,
    ComparisonTable,
    Details,
    Exercise,
    FigureSpec,
    Lesson,
    Panel,
    prose,
)
from lnviz.lessons.lesson import EXERCISES
from lnviz.lessons.tables import ComparisonRow
from lnviz.lessons.text import anchor

SEARCH_BOX = """<form class="ln-search" role="search">
<label>Search the book <input type="search" autocomplete="off" spellcheck="false"></label>
<div class="found" popover="manual">
<p role="status"></p>
<ol></ol>
</div>
</form>
"""
"""The search box, which `search.js` makes interactive."""


OPENING_WEIGHT, EXERCISES_WEIGHT = 1.25, 0.5
"""Weights of a lesson's opening, which summarizes it, and of exercises; other sections have 1."""

PAGE_WEIGHTS = {"record": 0.6, "teach": 0.3}
"""Weights of sections on pages that only list what other pages explain."""


@dataclass(frozen=True)
class Section:
    """A searchable section of a page: the plain text below one heading.

    Attributes:
        page: The title of the page.
        heading: The section's heading; "" for the text above the first heading.
        address: The section's URL, relative to the app's root.
        text: The text on one line, without the solutions of exercises.
        weight: A factor of the section's score in searches.
        rows: The row headers of its tables and the titles of its collapsed prose; for the first
            section of a page, also the page's slug.
    """

    page: str
    heading: str
    address: str
    text: str
    weight: float
    rows: tuple[str, ...] = ()


def sections(page: Lesson) -> Iterator[Section]:
    """Return the searchable sections of a page, in reading order."""
    # Readers may search for a lesson by its slug.
    heading, rows = "", 2 * [page.slug.replace("-", " ")]
    # The opening summarizes the lesson, so it includes what is moved there and the outcome.
    texts = [
        f"{text[0].upper()}{text[1:]}"
        for text in (page.summary, page.learning_outcome)
        if page in LESSONS
    ]
    for title, text in _blocks(page):
        if isinstance(title, ComparisonRow):
            rows.append(title.label)
        elif isinstance(title, Details):
            rows.append(title.title)
        elif title:
            yield _section(page, heading, texts, rows)
            heading, texts, rows = title, [], []
        texts.append(text)
    yield _section(page, heading, texts, rows)


def search_index(pages: Sequence[Lesson], link: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the search index as JSON data for `search.js`: all sections of the pages.

    Args:
        pages: The pages to search, in reading order.
        link: Returns the `href` for a relative URL of the book.
    """
    return [asdict(s) | {"address": link(s.address)} for page in pages for s in sections(page)]


def _section(page: Lesson, heading: str, labels: Sequence[str], rows: Sequence[str]) -> Section:
    names = {optional.title: optional.name for optional in page.optional_sections}
    fragment = f"#{names.get(heading) or anchor(heading)}" if heading else ""
    text = re.sub(r"\s+", " ", " ".join(map(_as_sentence, labels))).strip()
    address = f"{page.url_path or '.'}{fragment}"
    return Section(page.title, heading, address, text, _weight(page, heading), tuple(rows))


def _as_sentence(text: str) -> str:
    """Return text with a final period, so that it does not run into the text after it."""
    bare = text.strip()
    return f"{bare}." if bare and bare[-1] not in ".:;,?!…" else bare


def _weight(page: Lesson, heading: str) -> float:
    if page in LESSONS and not heading:
        return OPENING_WEIGHT
    return PAGE_WEIGHTS.get(page.slug, 1.0) * (EXERCISES_WEIGHT if heading == EXERCISES else 1.0)


def _blocks(page: Lesson) -> Iterator[tuple[str | ComparisonRow | Details, str]]:
    """Yield the searchable texts of a page in reading order, as pairs `(place, text)`.

    A heading is the place of the texts that follow: it is yielded as `(heading, "")`, and each of
    these texts as `("", text)`. A table row and collapsed details are yielded with their own text.
    """
    for part in page.parts:
        if isinstance(part, str):
            yield from _prose_blocks(part)
        elif isinstance(part, Details):
            yield part, part.title
            yield from (("", f"{title} {text}") for title, text in _prose_blocks(part.text))
        elif isinstance(part, Exercise):
            yield from _prose_blocks(part.text)
        elif isinstance(part, ComparisonTable):
            yield "", part.caption
            for row in part.rows:
                yield row, ", ".join((row.label, *(cell.text for cell in row.cells)))
        elif not isinstance(part, FigureSpec | Panel):
            assert_never(part)


def _prose_blocks(markdown: str) -> Iterator[tuple[str, str]]:
    tokens = prose.tokens(markdown)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline":
            is_heading = before is not None and before.type == "heading_open"
            text = "".join(map(prose.token_text, token.children or ()))
            yield (text, "") if is_heading else ("", text)
        elif token.type == "fence":
            yield "", token.content
