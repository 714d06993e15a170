"""Common statements about layer normalization and the verdicts on them, from the page /record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from lnviz.book.record import PAGE
from lnviz.lessons.text import anchor

_SECTION = re.compile(r"^## ", re.MULTILINE)
_ENTRY = re.compile(
    r"### “(?P<statement>.+)”\n\n(?P<verdict>.+)\n\n"
    r"\*How we know:\*.+\*See it:\* (?P<figure_links>.+)"
)


@dataclass(frozen=True)
class Myth:
    """A common statement about layer normalization, and the verdict on it.

    Attributes:
        statement: The statement, without quotation marks.
        verdict: The verdict and its reason, as Markdown.
        figure_links: Links to figures that support the verdict, as Markdown.
        address: The URL of its section on the page.
    """

    statement: str
    verdict: str
    figure_links: str
    address: str


@cache
def myths() -> dict[str, Myth]:
    """Return all myths on the page /record, by statement, in the order of the page."""
    return {entry.statement: entry for entry in _find_myths()}


def _find_myths() -> Iterator[Myth]:
    text = "\n\n".join(part for part in PAGE.parts if isinstance(part, str))
    for section in _SECTION.split(text)[1:]:
        address = f"{PAGE.slug}#{anchor(section.splitlines()[0])}"
        for match in _ENTRY.finditer(section):
            yield Myth(**match.groupdict(), address=address)
