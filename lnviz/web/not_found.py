"""The 404 page, which suggests similar pages."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope

from lnviz.book import PAGES
from lnviz.lessons import LESSONS, Lesson
from lnviz.web.assets import STREAMLIT_STATIC, assets_url, base_path
from lnviz.web.standalone_page import standalone_page

MAX_LENGTH = 60  # characters of a path that are compared or shown
MIN_SIMILARITY = 0.5
PRESENT_PREFIX = "present/"  # path prefix of presentations
MAX_SUGGESTIONS = 3  # also the number of path segments that are compared
STREAMLIT_PATHS = frozenset(
    (
        "_stcore",
        "app",
        "component",
        "media",
        "static",
        *(f.name for f in STREAMLIT_STATIC.iterdir()),
    )
)
"""First path segments of Streamlit's own URLs."""


class NotFoundRoute(Route):
    """Route with the 404 page for all paths that are neither pages nor Streamlit's own.

    Without it, Streamlit would return its page with status 200.
    """

    def __init__(self) -> None:
        super().__init__(base_path() + "/{path:path}", not_found)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match any path except those that Streamlit serves or redirects."""
        match, child = super().matches(scope)
        path = child["path_params"]["path"] if match is not Match.NONE else ""
        first = path.partition("/")[0]
        if not path or path.endswith("/") or not first or first in STREAMLIT_PATHS:
            return Match.NONE, {}
        return match, child


async def not_found(request: Request) -> Response:
    """Return the 404 page for the requested path."""
    return HTMLResponse(_page_html(request.path_params["path"]), 404, {"Cache-Control": "no-cache"})


def similar_pages(path: str) -> list[Lesson]:
    """Return the pages whose slug or title resembles a segment of the path, best match first.

    >>> [page.slug for page in similar_pages("axis")]
    ['axes']
    """
    segments = path[:MAX_LENGTH].lower().split("/")[-MAX_SUGGESTIONS:]
    matchers = [SequenceMatcher(None, b=segment) for segment in segments]
    similarity = {
        page.slug: max(_similarity(page, matcher) for matcher in matchers) for page in PAGES
    }
    similar = sorted(
        (page for page in PAGES if similarity[page.slug] >= MIN_SIMILARITY),
        key=lambda page: -similarity[page.slug],
    )
    return similar[:MAX_SUGGESTIONS]


def _similarity(page: Lesson, matcher: SequenceMatcher[str]) -> float:
    """Return the similarity of a path segment to a page's slug or title, from 0 to 1.

    Below `MIN_SIMILARITY`, a fast upper bound is returned instead.
    """
    best = 0.0
    for name in (page.slug, page.title.lower()):
        matcher.set_seq1(name)
        upper_bound = min(matcher.real_quick_ratio(), matcher.quick_ratio())
        best = max(best, upper_bound if upper_bound < MIN_SIMILARITY else matcher.ratio())
    return best


def _page_html(path: str) -> str:
    content = f"""<p>You asked for <code>/{escape(_printable(path))}</code>.</p>
{"".join(_suggestions(path))}
<p><a href="{base_path()}/">All lessons are on the home page</a></p>"""
    unlisted = '<meta name="robots" content="noindex">\n'
    return standalone_page(
        "No such page", "There is no page at this address", content, assets_url(), head=unlisted
    )


def _suggestions(path: str) -> Iterator[str]:
    folder = PRESENT_PREFIX if path.startswith(PRESENT_PREFIX) else ""
    pages = [
        page for page in similar_pages(path.removeprefix(folder)) if not folder or page in LESSONS
    ]
    if pages:
        yield "<p>Did you mean:</p>"
    for page in pages:
        yield f'<p><a href="{base_path()}/{folder}{page.url_path}">{escape(page.title)}</a></p>'
    if folder:
        yield f'<p><a href="{base_path()}/teach">Lessons one screen at a time</a></p>'


def _printable(path: str) -> str:
    """Return a path for display: shortened, with unprintable characters replaced."""
    text = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in path
    )
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}..."
