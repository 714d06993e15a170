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
from lnviz.web.assets import STREAMLIT_STATIC, base, versioned
from lnviz.web.standalone_page import standalone_page

LONGEST = 60  # letters of an address that are looked at, or shown
ALIKE = 0.5
PRESENTED = "present/"  # how the addresses of lessons begin that are shown one screen at a time
MOST = 3  # pages that are named, and parts of a path that are looked at
STREAMLITS = frozenset(
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


class Nowhere(Route):
    """What is below the app's address and neither a page nor Streamlit's.

    Left to itself Streamlit answers it with its page, as if it were there.
    """

    def __init__(self) -> None:
        super().__init__(base() + "/{path:path}", nowhere)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match as a route does, but not what Streamlit answers or leads elsewhere."""
        match, child = super().matches(scope)
        path = child["path_params"]["path"] if match is not Match.NONE else ""
        first = path.partition("/")[0]
        if not path or path.endswith("/") or not first or first in STREAMLITS:
            return Match.NONE, {}
        return match, child


async def nowhere(request: Request) -> Response:
    """Return a page in the look of the app, with status 404."""
    return HTMLResponse(_page(request.path_params["path"]), 404, {"Cache-Control": "no-cache"})


def near(path: str) -> list[Lesson]:
    """Return pages whose address or title is like a part of this path, the most alike first.

    >>> [page.slug for page in near("axis")]
    ['axes']
    """
    parts = path[:LONGEST].lower().split("/")[-MOST:]
    matchers = [SequenceMatcher(None, b=part) for part in parts]
    alike = {page.slug: max(_alike(page, matcher) for matcher in matchers) for page in PAGES}
    known = sorted(
        (page for page in PAGES if alike[page.slug] >= ALIKE), key=lambda page: -alike[page.slug]
    )
    return known[:MOST]


def _alike(page: Lesson, matcher: SequenceMatcher[str]) -> float:
    """How much a part of a path is like a page's name, from 0 to 1; at most, where that is less.

    Most have few letters in common, which is soon found, and addresses can be made up.
    """
    found = 0.0
    for name in (page.slug, page.title.lower()):
        matcher.set_seq1(name)
        at_most = min(matcher.real_quick_ratio(), matcher.quick_ratio())
        found = max(found, at_most if at_most < ALIKE else matcher.ratio())
    return found


def _page(path: str) -> str:
    content = f"""<p>Asked for was <code>/{escape(_shown(path))}</code>.</p>
{"".join(_lines(path))}
<p><a href="{base()}/">All lessons are on the home page</a></p>"""
    unlisted = '<meta name="robots" content="noindex">\n'
    return standalone_page(
        "No such page", "There is no page at this address", content, versioned(), head=unlisted
    )


def _lines(path: str) -> Iterator[str]:
    folder = PRESENTED if path.startswith(PRESENTED) else ""
    pages = [page for page in near(path.removeprefix(folder)) if not folder or page in LESSONS]
    if pages:
        yield "<p>Perhaps this is meant:</p>"
    for page in pages:
        yield f'<p><a href="{base()}/{folder}{page.address}">{escape(page.title)}</a></p>'
    if folder:
        yield f'<p><a href="{base()}/teach">Lessons one screen at a time</a></p>'


def _shown(path: str) -> str:
    """As much of a path as can be read, without signs that are none."""
    text = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in path)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
