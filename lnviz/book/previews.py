"""Preview images of pages, shown with shared links, and thumbnails of optional sections."""

from __future__ import annotations

from html import escape
from pathlib import Path

from lnviz.book.home import PAGE as HOME
from lnviz.lessons import Lesson

WIDTH, HEIGHT = 1200, 630  # pixels, as Open Graph recommends
THUMBNAIL_SIZE = (184, 88)
"""Pixels of a thumbnail: twice its CSS size."""


def image_path(page: Lesson) -> Path:
    """Return the path of a page's preview image (PNG), which `make previews` creates."""
    return page.folder / "preview.png"


def image_or_default(page: Lesson) -> Path:
    """Return the path of a page's preview image, or of the home page's image if there is none."""
    return image_path(page) if image_path(page).exists() else image_path(HOME)


def thumbnail_path(page: Lesson, figure: str) -> Path:
    """Return the path of a figure's thumbnail (PNG), which `make previews` creates."""
    return page.folder / f"{figure}.png"


def thumbnails(page: Lesson) -> dict[str, Path]:
    """Return the paths of the existing thumbnails of a page's optional sections, by figure."""
    files = {
        deeper.figure: thumbnail_path(page, deeper.figure) for deeper in page.optional_sections
    }
    return {figure: file for figure, file in files.items() if file.exists()}


def thumbnail_url(page: Lesson, figure: str) -> str:
    """Return a thumbnail's URL relative to its page, or "" if there is no thumbnail."""
    return f"previews/{page.slug}/{figure}.png" if figure in thumbnails(page) else ""


def meta_tags(page: Lesson, site: str) -> str:
    """Return the `<meta>` tags of a page: its description, and Open Graph tags for shared links.

    Args:
        page: The page.
        site: The URL of the book, ending with a slash. If it is empty, the image tag is omitted,
            which needs an absolute URL.
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
    """Return a one-sentence description of a page, shown with links to it."""
    if page.learning_outcome:
        return f"An interactive lesson. After it, you can {page.learning_outcome}."
    return f"Learn layer normalization by moving things: {page.summary}."
