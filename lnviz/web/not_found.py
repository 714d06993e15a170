"""The answer to an address that is no page: it says so, and names pages that may be meant."""

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

MAX_LENGTH = 60  # letters of an address that are looked at, or shown
MIN_SIMILARITY = 0.5
PRESENT_PREFIX = (
    "present/"  # how the addresses of lessons begin that are shown one screen at a time
)
MAX_SUGGESTIONS = 3  # pages that are named, and parts of a path that are looked at
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
"""Where Streamlit's own addresses begin."""


class NotFoundRoute(Route):
    """What is below the app's address and neither a page nor Streamlit's.

    Left to itself Streamlit answers it with its page, as if it were there.
    """

    def __init__(self) -> None:
        super().__init__(base_path() + "/{path:path}", not_found)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match as a route does, but not what Streamlit answers or leads elsewhere."""
        match, child = super().matches(scope)
        path = child["path_params"]["path"] if match is not Match.NONE else ""
        first = path.partition("/")[0]
        if not path or path.endswith("/") or not first or first in STREAMLIT_PATHS:
            return Match.NONE, {}
        return match, child


async def not_found(request: Request) -> Response:
    """Return a page in the look of the app, with status 404."""
    return HTMLResponse(_page_html(request.path_params["path"]), 404, {"Cache-Control": "no-cache"})


def similar_pages(path: str) -> list[Lesson]:
    """Return pages whose address or title is like a part of this path, the most alike first.

    >>> [page.slug for page in similar_pages("axis")]
    ['axes']
    """
    parts = path[:MAX_LENGTH].lower().split("/")[-MAX_SUGGESTIONS:]
    matchers = [SequenceMatcher(None, b=part) for part in parts]
    alike = {page.slug: max(_similarity(page, matcher) for matcher in matchers) for page in PAGES}
    known = sorted(
        (page for page in PAGES if alike[page.slug] >= MIN_SIMILARITY),
        key=lambda page: -alike[page.slug],
    )
    return known[:MAX_SUGGESTIONS]


def _similarity(page: Lesson, matcher: SequenceMatcher[str]) -> float:
    """How much a part of a path is like a page's name, from 0 to 1; at most, where that is less.

    Most have few letters in common, which is soon found, and addresses can be made up.
    """
    found = 0.0
    for name in (page.slug, page.title.lower()):
        matcher.set_seq1(name)
        at_most = min(matcher.real_quick_ratio(), matcher.quick_ratio())
        found = max(found, at_most if at_most < MIN_SIMILARITY else matcher.ratio())
    return found


def _page_html(path: str) -> str:
    content = f"""<p>Asked for was <code>/{escape(_printable(path))}</code>.</p>
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
        yield "<p>Perhaps this is meant:</p>"
    for page in pages:
        yield f'<p><a href="{base_path()}/{folder}{page.url_path}">{escape(page.title)}</a></p>'
    if folder:
        yield f'<p><a href="{base_path()}/teach">Lessons one screen at a time</a></p>'


def _printable(path: str) -> str:
    """As much of a path as can be read, without signs that are none."""
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in path)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}..."
