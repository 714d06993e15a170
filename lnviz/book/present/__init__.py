"""The present view of a lesson: a page that shows one screen of it at a time."""

from __future__ import annotations

from html import escape
from urllib.parse import urlsplit

from lnviz.book.present.screens import WORDS, Screen, screens
from lnviz.book.rendering import Rendering
from lnviz.lessons import Lesson, prose

FULL = 1.25 * WORDS  # words from which on the type is smaller


def html(page: Lesson, rendering: Rendering, *, lesson: str, assets: str, script: str) -> str:
    """Return the present view of a lesson as a complete HTML document.

    Args:
        page: the lesson.
        rendering: how its parts become HTML.
        lesson: the address of the lesson itself.
        assets: the address of the assets' folder, with a slash at its end.
        script: the element that brings the screens to life.
    """
    title = escape(page.title)
    shown = screens(page.parts)
    sections = "\n".join(
        _section(number, screen, page, rendering) for number, screen in enumerate(shown, 1)
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}, presented - lnviz</title>
<link rel="icon" href="{escape(assets)}page/icon.svg">
<link rel="stylesheet" href="{escape(assets)}page/page.css">
<link rel="stylesheet" href="{escape(assets)}present/present.css">
</head>
<body>
<noscript><style>.screen[hidden] {{ display: block }}</style></noscript>
<header class="bar">
<h1>{title}</h1>
<a href="{escape(lesson)}">To the lesson</a>
<p class="told" role="status"></p>
<button type="button" data-print>Print</button>
<button type="button" data-go="-1">Back</button>
<button type="button" data-go="1">Next</button>
</header>
<main>
{sections}
</main>
{script}
</body>
</html>
"""


def below(address: str) -> str:
    """Turn a link of a lesson into one for its present view, which is one folder below.

    >>> below("axes?norm=batch"), below("#what-a-norm-does"), below("https://example.org/")
    ('../axes?norm=batch', '#what-a-norm-does', 'https://example.org/')
    """
    there = urlsplit(address)
    return address if there.scheme or there.netloc or not there.path else f"../{address}"


def _section(number: int, screen: Screen, page: Lesson, rendering: Rendering) -> str:
    names = ["screen", *(["lead"] if number == 1 else ["full"] if screen.words > FULL else [])]
    # The heading of the page is in the bar.
    title = f'<p class="title" aria-hidden="true">{escape(page.title)}</p>\n' if number == 1 else ""
    if screen.heading and not any(part.startswith("## ") for part in screen.prose):
        title += f'<h2 class="spoken">{prose.inline(screen.heading, rendering.link)}</h2>\n'
    inside = "\n".join(rendering.html(part) for part in screen.parts)
    return (
        f'<section class="{" ".join(names)}" tabindex="-1" aria-label="Screen {number}" '
        f'data-heading="{escape(screen.heading)}"{"" if number == 1 else " hidden"}>\n'
        f"{title}{inside}\n</section>"
    )
