"""The present view of a lesson in the app."""

from __future__ import annotations

from functools import cache
from html import escape

from lnviz import book
from lnviz.book import present
from lnviz.book.rendering import Rendering
from lnviz.front import served
from lnviz.lessons import Figure
from lnviz.web.answers import Body


@cache
def presented(slug: str) -> Body:
    """Return the page at `/present/<slug>`, whose figures come over HTTP."""
    lesson = book.find(slug)
    assert lesson is not None
    assets = f"../assets/{served.version()}/"

    def place(figure: Figure) -> str:
        name, names = escape(figure.name), " ".join(each.name for each in figure.parameters)
        return (
            f'<div class="ln-place" data-figure="{name}" '
            f'data-source="../explorables/{slug}/{name}.json" '
            f'data-parameters="{escape(names)}"></div>'
        )

    page = present.html(
        lesson,
        Rendering(present.below, place),
        lesson=f"../{slug}",
        assets=assets,
        script=f'<script type="module" src="{assets}present/present.js"></script>',
    )
    return Body.of(page.encode())
