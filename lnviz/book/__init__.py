"""The book: the home page, the lessons in reading order, and the pages around them."""

from importlib import import_module

from lnviz.lessons import LESSONS, FigureSpec, Lesson

FOLDERS: tuple[str, ...] = ("practice", "teach", "reference", "record", "sources")

HOME: Lesson = import_module("lnviz.book.home").PAGE

BACK_MATTER: tuple[Lesson, ...] = tuple(
    import_module(f"lnviz.book.{folder}").PAGE for folder in FOLDERS
)
"""The pages after the lessons; each is declared like a lesson."""

PAGES: tuple[Lesson, ...] = (HOME, *LESSONS, *BACK_MATTER)
"""All pages, in reading order."""


def find_page(slug: str) -> Lesson | None:
    """Return the page of the book with this slug."""
    return next((page for page in PAGES if page.slug == slug), None)


def find_figure(slug: str, name: str) -> FigureSpec | None:
    """Return the figure with this name on the page with this slug."""
    page = find_page(slug)
    return page.figure(name) if page else None
