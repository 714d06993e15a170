"""The entries of the record one by one, for pages that take some of them up."""

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
    """What is often said of layer normalization, and what holds.

    Attributes:
        said: the statement, without quotation marks.
        holds: a verdict and why, as Markdown.
        see: links to figures, as Markdown.
        address: the address of its section of the record.
    """

    statement: str
    verdict: str
    figure_links: str
    address: str


@cache
def myths() -> dict[str, Myth]:
    """Return all entries by their statements, in the order of the record."""
    return {entry.statement: entry for entry in _find_myths()}


def _find_myths() -> Iterator[Myth]:
    text = "\n\n".join(part for part in PAGE.parts if isinstance(part, str))
    for section in _SECTION.split(text)[1:]:
        address = f"{PAGE.slug}#{anchor(section.splitlines()[0])}"
        for match in _ENTRY.finditer(section):
            yield Myth(**match.groupdict(), address=address)
