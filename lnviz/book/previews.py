"""What is shown of a page where its link is: a title, a description and a picture."""

from __future__ import annotations

from html import escape
from pathlib import Path

from lnviz.book.home import PAGE as HOME
from lnviz.lessons import Lesson

WIDTH, HEIGHT = 1200, 630  # what those who show previews ask for


def place(page: Lesson) -> Path:
    """Return where the picture of a page (PNG) belongs; `make previews` takes it."""
    return page.folder / "preview.png"


def picture(page: Lesson) -> Path:
    """Return the file that is shown of a page: its own picture, or the book's if it has none."""
    return place(page) if place(page).exists() else place(HOME)


def tags(page: Lesson, site: str) -> str:
    """Return the lines of an HTML head with a page's title, description and picture.

    Args:
        page: The page.
        site: The address of the book, with a slash at its end; without it there is no picture,
            since its address must be whole.
    """
    description = described(page)
    properties = {
        "og:type": "website",
        "og:site_name": "lnviz",
        "og:title": page.title,
        "og:description": description,
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
            f'<meta name="description" content="{escape(description)}">',
            *(
                f'<meta property="{name}" content="{escape(content)}">'
                for name, content in properties.items()
            ),
        )
    )


def described(page: Lesson) -> str:
    """Describe a page in a sentence, for whoever is shown a link to it."""
    if page.able:
        return f"A lesson to drag and look at. After it you can {page.able}."
    return f"Learn layer normalization by moving things: {page.moves}."
