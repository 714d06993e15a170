"""The page /sources: the bibliography with BibTeX, and the pages that cite each publication."""

from importlib import import_module
from pathlib import Path

from lnviz.book.bibliography import PUBLICATIONS
from lnviz.book.citations import publications_by_page
from lnviz.book.publication import Publication
from lnviz.lessons import LESSONS, Lesson


def publication_item(source: Publication) -> str:
    """Return a publication as an item of a Markdown list."""
    place = f"arXiv {source.arxiv}" if source.arxiv else "read it"
    link = f" [{place}]({source.address})." if source.address else ""
    where = f" {source.venue}." if source.venue else ""
    title = source.title if source.title.endswith("?") else f"{source.title}."
    used = ", ".join(f"[{title}]({address})" for title, address in _citing_pages(source))
    cited = f"Cited in {used}." if used else "Cited only in the code."
    return f"- {source.author_list} ({source.year}). **{title}**{where}{link} {cited}"


def _citing_pages(source: Publication) -> list[tuple[str, str]]:
    """Return the title and the URL of each page that cites a publication, lessons first."""
    cited = publications_by_page()
    folders = [lesson.module for lesson in LESSONS]
    around = [folder for folder in cited if folder not in folders and folder != "sources"]
    pages: list[Lesson] = [
        *LESSONS,
        *(import_module(f"lnviz.book.{folder}").PAGE for folder in around),
    ]
    return [(page.title, page.url_path or "./") for page in pages if source in cited[page.module]]


def _bibtex() -> str:
    """Return the BibTeX entries of all publications as a collapsed Markdown block."""
    written = "\n\n".join(source.bibtex for source in PUBLICATIONS)
    return f"::: fold BibTeX of all sources\n```bibtex\n{written}\n```\n:::"


THIRD_PARTY = Path(__file__).parents[2] / "THIRD_PARTY.md"
"""The file with the licenses of what others have made; the page has a link to it."""

PAGE = Lesson(
    slug="sources",
    title="Sources",
    section="Reference",
    summary="every cited paper, where it is cited, and BibTeX to copy",
    figures=(),
    parent_dir=Path(__file__).parents[1],
    lists=lambda: {
        "papers": "\n".join(map(publication_item, PUBLICATIONS)),
        "bibtex": _bibtex(),
    },
)
