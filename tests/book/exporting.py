"""A part of the book that is quickly exported."""

from pathlib import Path

from lnviz.book import PAGES
from lnviz.book.export import ExportSummary, export, page, problems
from lnviz.web.font import source_sans

SLUGS = ("axes", "rmsnorm", "cost", "successors")
PART = [each for each in PAGES if each.slug in SLUGS]
OUTSIDE = [f" links to {page.file_name(each)}" for each in PAGES if each.slug not in SLUGS]


def exported(folder: Path, site: str = "") -> ExportSummary:
    return export(folder, PART, font=source_sans(), site=site)


def lacking(folder: Path) -> list[str]:
    """What is missing in the part, beside what its links lead to outside of it."""
    return [each for each in problems(folder, PART) if not any(name in each for name in OUTSIDE)]
