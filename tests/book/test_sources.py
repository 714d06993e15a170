"""Every source is cited somewhere, and everything cited is a source."""

import re
import tomllib
from pathlib import Path

import pytest

from lnviz.book import PAGES, find_page
from lnviz.book.bibliography import PUBLICATIONS
from lnviz.book.citations import (
    LNVIZ,
    arxiv_ids,
    code_files,
    find_citations,
    find_publications,
    joined_text,
    publications_by_page,
    unknown_citations,
)
from lnviz.book.publication import Publication
from lnviz.lessons.text import Details
from lnviz.version import __version__
from tests.book.links import LINK

ROOT = Path(__file__).parents[2]
PAGE = find_page("sources")
assert PAGE is not None
TEXT = "\n\n".join(part for part in PAGE.parts if isinstance(part, str))
WRITTEN = [*LNVIZ.rglob("*.md"), *code_files()]


@pytest.mark.slow
def test_every_paper_that_is_cited_is_a_source() -> None:
    missing = {
        str(file.relative_to(ROOT)): unknown_citations(joined_text(file)) for file in WRITTEN
    }
    assert {file: what for file, what in missing.items() if what} == {}, (
        "add these to lnviz/book/bibliography.py, or to NOT_AUTHORS what is no author"
    )


@pytest.mark.slow
def test_every_source_is_cited() -> None:
    named = set().union(*(find_publications(joined_text(file)) for file in WRITTEN))
    assert [source.key for source in PUBLICATIONS if source not in named] == []


def test_keys_and_numbers_are_of_one_source_each() -> None:
    keys, papers = [s.key for s in PUBLICATIONS], [s.arxiv for s in PUBLICATIONS if s.arxiv]
    assert len(set(keys)) == len(keys)
    assert len(set(papers)) == len(papers)


def test_sources_stand_in_the_order_of_their_authors_behind_the_paper() -> None:
    first = [s.family_names[0].removeprefix("van ") for s in PUBLICATIONS]
    assert first[0] == "Ba"
    assert first[1:] == sorted(first[1:], key=str.casefold)


@pytest.mark.parametrize("source", PUBLICATIONS, ids=lambda source: source.key)
def test_a_source_is_listed_with_the_pages_that_cite_it(source: Publication) -> None:
    (line,) = [line for line in TEXT.splitlines() if f"({source.year}). **{source.title}" in line]
    assert all(author in line for author in source.authors)
    pages = {
        page.url_path or "./" for page in PAGES if source in publications_by_page()[page.module]
    }
    listed = set(LINK.findall(line.partition(" Cited in ")[2]))
    assert listed == pages - {"sources"}


@pytest.mark.parametrize(
    ("slug", "key"),
    [("axes", "ba2016layer"), ("results", "tufte1983visual"), ("placement", "devlin2019bert")],
)
def test_a_page_cites_in_its_text_its_figures_and_the_code_behind_them(slug: str, key: str) -> None:
    assert key in {source.key for source in publications_by_page()[slug]}


def test_the_fold_has_an_entry_for_every_source() -> None:
    (fold,) = [part for part in PAGE.parts if isinstance(part, Details)]
    assert re.findall(r"^@\w+\{(\w+),$", fold.text, re.MULTILINE) == [s.key for s in PUBLICATIONS]
    assert fold.text.count("{") == fold.text.count("}")


def test_a_paper_that_is_no_source_is_found_out() -> None:
    text = "As Smith and Jones (2031, arXiv 3101.00001) say; and Miller et al. 2030."
    assert sorted(unknown_citations(text)) == ["3101.00001", "Miller 2030", "Smith, Jones 2031"]


@pytest.mark.parametrize(
    "text",
    [
        "[Zhang and Sennrich (2019)](https://example.org)",
        "Zhang and Sennrich ([2019](https://example.org))",
        "Zhang and Sennrich 2019",
        "Zhang et al. 2019",
        "see https://arxiv.org/abs/1910.07467",
    ],
)
def test_a_source_is_cited_by_authors_and_year_or_by_number(text: str) -> None:
    assert [source.key for source in find_publications(text)] == ["zhang2019root"]


@pytest.mark.parametrize("text", ["in 2019", "the DyT (2025)", "arXiv 1906.02926", "PyTorch 2.6"])
def test_a_year_alone_cites_nobody(text: str) -> None:
    assert find_citations(text) == set()


def test_a_number_is_one_of_arxiv_if_it_is_called_so() -> None:
    assert arxiv_ids("1234.56789, arXiv:1607.06450v1") == {"1607.06450"}


def test_the_book_is_cited_alike_in_the_file_and_on_the_page() -> None:
    written = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (title,) = re.findall(r'^title: "(.+)"$', written, re.MULTILINE)
    assert f"title = {{{{{title}}}}}" in TEXT
    assert f"\nversion: {__version__}\n" in written
    assert f"\nlicense: {project['license']}\n" in written
    assert f"version = {{{__version__}}},\n  license = {{{project['license']}}}" in TEXT
