"""Detection of citations in the texts of pages and in the code behind them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lnviz.book.bibliography import PUBLICATIONS
from lnviz.book.publication import TEAMS, Publication
from lnviz.lessons.citation_marks import strip_marks

LNVIZ = Path(__file__).parents[1]
PAGE_FOLDERS = ("lessons", "book")
SHARED_FOLDERS = ("explorable", "norms", "data", "training", "results", "web", *PAGE_FOLDERS)
"""Folders whose code serves every page, so that a citation there belongs to no single page."""

ARXIV = re.compile(r"(?i:arxiv)[\s:./a-z]*?(\d{4}\.\d{4,5})")
_NAME = rf"(?<!\w)(?:[A-Z]\. )*(?:van |Gemma )?(?:{'|'.join(TEAMS)}|[A-Z][\w’'-]+)"
YEAR = re.compile(r"(?<![\w.])(?:19|20)\d\d\b(?!\.\d)")
AUTHORS = re.compile(rf"({_NAME}(?:, {_NAME})*(?:,? and {_NAME})?)( et al\.)?,? [(\[]*$")
MAX_AUTHORS_LENGTH = 160  # characters before a year that are searched for authors
NOT_AUTHORS = (
    "BatchNorm",
    "CogView",
    "Copyright",
    "DyT",
    "February",
    "GroupNorm",
    "In",
    "The",
    "Transformer",
)
"""Capitalized words that may precede a year in a text but are not authors."""


@dataclass(frozen=True)
class Citation:
    """A citation by authors and year, as found in a text.

    Attributes:
        names: Family names of the authors that the text names.
        et_al: Whether the text indicates more authors, as by "et al.".
        year: The year of publication.
    """

    names: tuple[str, ...]
    et_al: bool
    year: int

    def matches(self, source: Publication) -> bool:
        """Return whether this citation can refer to a publication.

        >>> he = Publication("he", "Kaiming He, Jian Sun", 2015, "Title")
        >>> [Citation(("He",), et_al, 2015).matches(he) for et_al in (True, False)]
        [True, False]
        """
        first = source.family_names[: len(self.names)]
        whole = self.et_al or (
            len(first) == len(source.family_names) and not source.has_more_authors
        )
        return self.year == source.year and self.names == first and whole


def arxiv_ids(text: str) -> set[str]:
    """Return the arXiv identifiers in a text.

    >>> sorted(arxiv_ids("arXiv 1607.06450, see also https://arxiv.org/abs/1910.07467"))
    ['1607.06450', '1910.07467']
    """
    return set(ARXIV.findall(text))


def find_citations(text: str) -> set[Citation]:
    """Return the citations by authors and year in a text.

    >>> sorted(c.names for c in find_citations("As Wu and He (2018) say, and Xu et al. 2019."))
    [('Wu', 'He'), ('Xu',)]
    """
    named = set()
    for year in YEAR.finditer(text):
        before = AUTHORS.search(text, max(0, year.start() - MAX_AUTHORS_LENGTH), year.start())
        family = _family_names(before[1]) if before else ()
        if before and family:
            named.add(Citation(family, bool(before[2]), int(year[0])))
    return named


def find_publications(text: str) -> set[Publication]:
    """Return the publications that a text cites by arXiv id, URL, title, or authors and year."""
    numbered, named = arxiv_ids(text), find_citations(text)
    return {
        source
        for source in PUBLICATIONS
        if source.arxiv in numbered
        or (source.url and source.url in text)
        or source.title in text
        or any(citation.matches(source) for citation in named)
    }


def unknown_citations(text: str) -> list[str]:
    """Return the arXiv ids and citations in a text that match nothing in the bibliography."""
    for source in PUBLICATIONS:
        text = text.replace(source.title, "")
    return sorted(arxiv_ids(text) - {source.arxiv for source in PUBLICATIONS}) + [
        f"{', '.join(citation.names)} {citation.year}"
        for citation in find_citations(text)
        if not any(citation.matches(source) for source in PUBLICATIONS)
    ]


@cache
def joined_text(file: Path) -> str:
    """Return a file's text on one line, with multi-line strings and comments joined."""
    text = strip_marks(file.read_text(encoding="utf-8"))
    if file.suffix == ".py":
        text = re.sub(r'"\s*\n\s*f?r?"', "", text)
        text = re.sub(r"\n\s*# ?", " ", text)
    return re.sub(r"\s+", " ", text)


def page_files() -> Mapping[str, tuple[Path, ...]]:
    """Return the files that may contain citations (texts, code, imported code), by page."""
    pages = [
        file.parent for room in PAGE_FOLDERS for file in sorted((LNVIZ / room).glob("*/text.md"))
    ]
    return {
        page.name: (
            *sorted(page.glob("*.md")),
            *sorted(
                {file for code in page.glob("*.py") for file in (code, *_imported_files(code))}
            ),
        )
        for page in pages
    }


def code_files() -> tuple[Path, ...]:
    """Return all Python files of the package except the bibliography itself."""
    own = {LNVIZ / "book" / name for name in ("bibliography.py", "publication.py", "citations.py")}
    return tuple(file for file in sorted(LNVIZ.rglob("*.py")) if file not in own)


@cache
def publications_by_page() -> Mapping[str, frozenset[Publication]]:
    """Return the publications cited on each page, by the page's folder."""
    return {
        page: frozenset().union(*(_publications_in(file) for file in files))
        for page, files in page_files().items()
    }


@cache
def _publications_in(file: Path) -> frozenset[Publication]:
    return frozenset(find_publications(joined_text(file)))


def _family_names(row: str) -> tuple[str, ...]:
    """Return the family names in a text that lists authors."""
    names = [re.sub(r"^(?:[A-Z]\. )+", "", name) for name in re.split(r",? and |, ", row)]
    while names and names[0] in NOT_AUTHORS:
        names = names[1:]
    return tuple(names)


def _imported_files(file: Path) -> Iterator[Path]:
    """Yield the files that define the names which a page's code imports from topic modules."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("lnviz."):
            for alias in node.names:
                defining = _defining_file(node.module, alias.name)
                if defining and defining.relative_to(LNVIZ).parts[0] not in SHARED_FOLDERS:
                    yield defining


@cache
def _defining_file(module: str, name: str) -> Path | None:
    """Return the file that defines an imported name, following re-exports by packages."""
    place = LNVIZ.joinpath(*module.split(".")[1:])
    if place.with_suffix(".py").exists():
        return place.with_suffix(".py")
    if (place / f"{name}.py").exists():
        return place / f"{name}.py"
    for node in ast.parse((place / "__init__.py").read_bytes()).body:
        if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
            return _defining_file(node.module or "", name)
    return None
