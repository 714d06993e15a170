"""Who cites what: the sources named in the pages' texts and in the code behind them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lnviz.book.bibliography import SOURCES
from lnviz.book.source import TEAMS, Source
from lnviz.lessons.citation_marks import unmarked

LNVIZ = Path(__file__).parents[1]
ROOMS = ("lessons", "book")
APART = ("explorable", "norms", "data", "training", "results", "web", *ROOMS)
"""Folders whose code serves every page, so that a source named there belongs to none of them."""

ARXIV = re.compile(r"(?i:arxiv)[\s:./a-z]*?(\d{4}\.\d{4,5})")
_NAME = rf"(?<!\w)(?:[A-Z]\. )*(?:van |Gemma )?(?:{'|'.join(TEAMS)}|[A-Z][\w’'-]+)"
YEAR = re.compile(r"(?<![\w.])(?:19|20)\d\d\b(?!\.\d)")
AUTHORS = re.compile(
    rf"({_NAME}(?:, {_NAME})*(?:,? and {_NAME})?)( et al\.| and others)?,? [(\[]*$"
)
BEFORE = 160  # letters before a year in which its authors stand
NO_AUTHORS = ("BatchNorm", "CogView", "DyT", "GroupNorm", "In", "The", "Transformer")
"""What stands before a year in a text without being an author."""


@dataclass(frozen=True)
class Citation:
    """Authors and a year, as a text has them.

    Attributes:
        names: family names; of several authors perhaps the first alone.
        open: whether there are others, who are not named.
        year: the year of what they wrote.
    """

    names: tuple[str, ...]
    open: bool
    year: int

    def means(self, source: Source) -> bool:
        """Return whether this citation can mean a source.

        >>> he = Source("he", "Kaiming He, Jian Sun", 2015, "Title")
        >>> Citation(("He",), True, 2015).means(he), Citation(("He",), False, 2015).means(he)
        (True, False)
        """
        first = source.families[: len(self.names)]
        whole = self.open or (len(first) == len(source.families) and not source.more)
        return self.year == source.year and self.names == first and whole


def numbers(text: str) -> set[str]:
    """Return the arXiv numbers that a text names.

    >>> sorted(numbers("arXiv 1607.06450, see also https://arxiv.org/abs/1910.07467"))
    ['1607.06450', '1910.07467']
    """
    return set(ARXIV.findall(text))


def citations(text: str) -> set[Citation]:
    """Return the authors with years that a text names.

    >>> sorted(c.names for c in citations("As Wu and He (2018) say, and Xu et al. 2019."))
    [('Wu', 'He'), ('Xu',)]
    """
    named = set()
    for year in YEAR.finditer(text):
        before = AUTHORS.search(text, max(0, year.start() - BEFORE), year.start())
        family = _families(before[1]) if before else ()
        if before and family:
            named.add(Citation(family, bool(before[2]), int(year[0])))
    return named


def cited(text: str) -> set[Source]:
    """Return the sources that a text names by number, address or title, or by authors and year."""
    numbered, named = numbers(text), citations(text)
    return {
        source
        for source in SOURCES
        if source.arxiv in numbered
        or (source.url and source.url in text)
        or source.title in text
        or any(citation.means(source) for citation in named)
    }


def unknown(text: str) -> list[str]:
    """Return what a text cites that is in no source: numbers, and authors with years."""
    for source in SOURCES:
        text = text.replace(source.title, "")
    return sorted(numbers(text) - {source.arxiv for source in SOURCES}) + [
        f"{', '.join(citation.names)} {citation.year}"
        for citation in citations(text)
        if not any(citation.means(source) for source in SOURCES)
    ]


@cache
def plain(file: Path) -> str:
    """Return a file's text on one line, with strings and comments over several lines joined."""
    text = unmarked(file.read_text(encoding="utf-8"))
    if file.suffix == ".py":
        text = re.sub(r'"\s*\n\s*f?r?"', "", text)
        text = re.sub(r"\n\s*# ?", " ", text)
    return re.sub(r"\s+", " ", text)


def texts() -> Mapping[str, tuple[Path, ...]]:
    """Return the files in which each page may cite: its texts, its code, and what is behind it."""
    pages = [file.parent for room in ROOMS for file in sorted((LNVIZ / room).glob("*/text.md"))]
    return {
        page.name: (
            *sorted(page.glob("*.md")),
            *sorted({file for code in page.glob("*.py") for file in (code, *_behind(code))}),
        )
        for page in pages
    }


def code() -> tuple[Path, ...]:
    """Return all files of code but the bibliography's own."""
    own = {LNVIZ / "book" / name for name in ("bibliography.py", "source.py", "citations.py")}
    return tuple(file for file in sorted(LNVIZ.rglob("*.py")) if file not in own)


@cache
def uses() -> Mapping[str, frozenset[Source]]:
    """Return the sources that each page names, by its folder."""
    return {
        page: frozenset().union(*(_cited_in(file) for file in files))
        for page, files in texts().items()
    }


@cache
def _cited_in(file: Path) -> frozenset[Source]:
    return frozenset(cited(plain(file)))


def _families(row: str) -> tuple[str, ...]:
    """The family names in a row of authors."""
    names = [re.sub(r"^(?:[A-Z]\. )+", "", name) for name in re.split(r",? and |, ", row)]
    while names and names[0] in NO_AUTHORS:
        names = names[1:]
    return tuple(names)


def _behind(file: Path) -> Iterator[Path]:
    """The modules that a page's code takes its functions and results from."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("lnviz."):
            for alias in node.names:
                defining = _module(node.module, alias.name)
                if defining and defining.relative_to(LNVIZ).parts[0] not in APART:
                    yield defining


@cache
def _module(module: str, name: str) -> Path | None:
    """The file that defines a name; packages hand on what their modules define."""
    place = LNVIZ.joinpath(*module.split(".")[1:])
    if place.with_suffix(".py").exists():
        return place.with_suffix(".py")
    if (place / f"{name}.py").exists():
        return place / f"{name}.py"
    for node in ast.parse((place / "__init__.py").read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            return _module(node.module or "", name)
    return None
