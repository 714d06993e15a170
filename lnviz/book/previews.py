"""What is shown of a page where its link is, and of a part that is deeper while it is closed."""

from __future__ import annotations

from html import escape
from pathlib import Path

from lnviz.book.home import PAGE as HOME
from lnviz.lessons import Lesson

WIDTH, HEIGHT = 1200, 630  # what those who show previews ask for
THUMBNAIL_SIZE = (184, 88)
"""Pixels of a small picture: twice those that it is shown in."""


def image_path(page: Lesson) -> Path:
    """Return where the picture of a page (PNG) belongs; `make previews` takes it."""
    return page.folder / "preview.png"


def image_or_default(page: Lesson) -> Path:
    """Return the file that is shown of a page: its own picture, or the book's if it has none."""
    return image_path(page) if image_path(page).exists() else image_path(HOME)


def thumbnail_path(page: Lesson, figure: str) -> Path:
    """Return where the small picture of a figure (PNG) belongs; `make previews` takes it."""
    return page.folder / f"{figure}.png"


def thumbnails(page: Lesson) -> dict[str, Path]:
    """Return the small pictures that a page shows and that are there, by their figures."""
    files = {deeper.figure: thumbnail_path(page, deeper.figure) for deeper in page.deeper}
    return {figure: file for figure, file in files.items() if file.exists()}


def thumbnail_url(page: Lesson, figure: str) -> str:
    """Return the address of a small picture from its page; "" where there is none."""
    return f"previews/{page.slug}/{figure}.png" if figure in thumbnails(page) else ""


def meta_tags(page: Lesson, site: str) -> str:
    """Return the lines of an HTML head with a page's title, description and picture.

    Args:
        page: The page.
        site: The address of the book, with a slash at its end; without it there is no picture,
            since its address must be whole.
    """
    summary = description(page)
    properties = {
        "og:type": "website",
        "og:site_name": "lnviz",
        "og:title": page.title,
        "og:description": summary,
    }
    if site:
        properties |= {
            "og:image": f"{site}previews/{page.slug}.png",
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
            "og:image:alt": f"The page “{page.title}” of lnviz",
            "twitter:card": "summary_large_image",
        }
    return "\n".join(
        (
            f'<meta name="description" content="{escape(summary)}">',
            *(
                f'<meta property="{name}" content="{escape(content)}">'
                for name, content in properties.items()
            ),
        )
    )


def description(page: Lesson) -> str:
    """Describe a page in a sentence, for whoever is shown a link to it."""
    if page.able:
        return f"A lesson to drag and look at. After it you can {page.able}."
    return f"Learn layer normalization by moving things: {page.moves}."
