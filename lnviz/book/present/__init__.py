"""The presentation view: an HTML page that shows a lesson or a lesson plan, slide by slide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from urllib.parse import urlsplit

from lnviz.book.present.questions import find_question
from lnviz.book.present.slides import Slide, slide_html
from lnviz.book.rendering import HtmlRenderer
from lnviz.frontend.html_shell import asset_links, html_document

__all__ = ["find_question", "link_from_present", "present_html"]


def present_html(
    title: str,
    slides: Sequence[Slide],
    renderer: Callable[[Slide], HtmlRenderer],
    *,
    exit_url: str,
    exit_label: str = "To the lesson",
    up: str,
    assets: str,
    script: str,
    plan: str = "",
) -> str:
    """Return a presentation of slides as a complete HTML document.

    If several slides of a lesson show the same figure, it is mounted on the first of them, and a
    script moves it to the others. A slide with `has_own_figure` has its own copy.

    Args:
        title: The title of the lesson or plan.
        slides: The slides.
        renderer: Returns the renderer for the parts of a slide.
        exit_url: The URL of the presented page.
        exit_label: The text of the link to the presented page.
        up: The relative URL of the book's root, such as `../`.
        assets: The URL of the assets folder, ending with a slash.
        script: The `<script>` element that makes the slides interactive.
        plan: The slug of the plan; "" for a lesson.
    """
    placed: set[tuple[str, str]] = set()
    sections = []
    for number, slide in enumerate(slides, 1):
        figure = slide.screen.figure
        key = (slide.lesson.slug, figure.name if figure else "")
        borrowed = key in placed and not slide.has_own_figure
        sections.append(slide_html(number, slide, renderer(slide), borrowed=borrowed))
        placed.add(key)
    inside = "\n".join(sections)
    body = f"""<noscript><style>.screen[hidden] {{ display: block }}</style></noscript>
<main>
{inside}
</main>
<header class="navigation">
<h1>{escape(title)}</h1>
<button type="button" class="count" aria-haspopup="dialog"></button>
<p class="told" role="status"></p>
<button type="button" data-go="-1" aria-label="Back">&larr;</button>
<button type="button" data-go="1" aria-label="Next">&rarr;</button>
</header>
<dialog class="overview" aria-label="All screens">
<div class="ways">
<a href="{escape(exit_url)}">{escape(exit_label)}</a>
<button type="button" data-print>Print</button>
</div>
</dialog>
{script}"""
    about = f'data-up="{escape(up)}"' + (f' data-plan="{escape(plan)}"' if plan else "")
    links = asset_links(assets, "page/page.css", "present/present.css")
    return html_document(f"{title}, presented", body, links, about)


def link_from_present(address: str, up: str = "../") -> str:
    """Adjust a lesson's relative link to the presentation view, which is one folder deeper.

    >>> addresses = ("axes?norm=batch", "#what-a-norm-does", "https://example.org/")
    >>> tuple(map(link_from_present, addresses))
    ('../axes?norm=batch', '#what-a-norm-does', 'https://example.org/')
    """
    url = urlsplit(address)
    return address if url.scheme or url.netloc or not url.path else f"{up}{address}"
