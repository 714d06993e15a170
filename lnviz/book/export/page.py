"""A page of the exported book as HTML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from urllib.parse import urlsplit

from lnviz.book import (
    HERO,
    HOME,
    duration,
    learning_paths,
    network,
    panels,
    present,
    previews,
    search,
)
from lnviz.book.export.inventory import Stock
from lnviz.book.html_shell import skeleton
from lnviz.book.present.deck import deck
from lnviz.book.present.slides import Slide, of_deck
from lnviz.book.rendering import Rendering
from lnviz.book.teach import plan_slides as presented_plan
from lnviz.book.teach.plans import PLANS, Plan
from lnviz.explorable import ParameterError
from lnviz.frontend import served
from lnviz.lessons import LESSONS, Figure, Lesson, Panel, Remember, sections
from lnviz.lessons.interpolation import listed
from lnviz.lessons.lesson import EXERCISES, Part

ELSEWHERE = {"check": "compares these numbers with those of PyTorch's own LayerNorm"}
"""What the app does in a panel that is left out, by its name: the end of a sentence."""


def file(page: Lesson) -> str:
    """Return the name of a page's file; the home page is what a folder shows by itself."""
    return f"{page.address or 'index'}.html"


def html(
    page: Lesson, pages: Sequence[Lesson], refused: Mapping[str, ParameterError], site: str
) -> str:
    """Return a page as a complete HTML document.

    Args:
        page: The page.
        pages: All pages that are exported, in reading order.
        refused: Why a payload cannot be computed, by the path it would have.
        site: The address of the export on the web, with a slash at its end, or "".
    """
    body = "\n".join((*_parts(page, refused), *_screens(page), _ways(page, pages)))
    shown = _shown(_contents(pages, page), body)
    styles = ("page/page.css", "export/export.css")
    return skeleton(page.title, shown, "assets/", *styles, head=_head(page, site))


def presented(page: Lesson, refused: Mapping[str, ParameterError]) -> str:
    """Return the present view of a lesson, a folder below its page."""
    shown = deck(page.slug)
    rendering = Rendering(
        lambda address: present.below(exported(address)),
        lambda figure: _place(Stock(page.slug, figure), refused),
    )
    return present.html(
        page.title,
        of_deck(shown),
        lambda _: rendering,
        out=f"../{file(page)}",
        up="../",
        assets="../assets/",
        script='<script src="../assets/export/export.js"></script>',
    )


def plans(refused: Mapping[str, ParameterError], site: str) -> Iterator[tuple[str, str]]:
    """Return the files of the lesson plans: each one's name, and what it holds.

    Args:
        refused: Why a payload cannot be computed, by the path it would have.
        site: The address of the export on the web, with a slash at its end, or "".
    """
    for plan in PLANS:
        name = f"present/plans/{plan.name}"
        yield f"{name}.html", _plan(plan, refused)
        yield f"{name}.md", presented_plan.markdown(plan, lambda there: site + exported(there))


def _plan(plan: Plan, refused: Mapping[str, ParameterError]) -> str:
    def rendering(slide: Slide) -> Rendering:
        return Rendering(
            lambda address: present.below(exported(address), "../../"),
            lambda figure: _place(Stock(slide.lesson.slug, figure), refused),
        )

    return present.html(
        plan.title,
        presented_plan.slides(plan),
        rendering,
        out="../../teach.html#lesson-plans",
        back="To the plans",
        up="../../",
        assets="../../assets/",
        script='<script src="../../assets/export/export.js"></script>',
        plan=plan.name,
    )


def sitemap(pages: Sequence[Lesson], site: str) -> str:
    """Return `sitemap.xml`: all addresses, for search engines."""
    names = (escape(site + file(page)) for page in pages)
    addresses = "\n".join(f"<url><loc>{address}</loc></url>" for address in names)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{addresses}\n</urlset>\n'
    )


def exported(address: str) -> str:
    """Return a link of the prose as the export has it: the app's pages have no ending.

    >>> exported("results#slips"), exported(".")
    ('results.html#slips', 'index.html')
    """
    there = urlsplit(address)
    if there.scheme or there.netloc or not there.path or there.path.endswith(".md"):
        return address
    slug = there.path.strip("./")
    return there._replace(path=f"{slug or 'index'}.html").geturl()


def _parts(page: Lesson, refused: Mapping[str, ParameterError]) -> Iterator[str]:
    rendering = Rendering(exported, lambda figure: _place(Stock(page.slug, figure), refused))

    def whole(parts: Iterable[Part]) -> str:
        return "\n".join(each for part in parts for each in _part(page, part, rendering))

    def core(parts: Iterable[Part | Remember]) -> Iterator[str]:
        for part in parts:
            if isinstance(part, Remember):
                yield rendering.html(part.prose, "prose remember")
            else:
                yield whole([part])

    def beginning(parts: Iterable[Part | Remember]) -> Iterator[str]:
        yield _title(page)
        for part in parts:
            if isinstance(part, str):
                lead, _, rest = part.partition("\n\n")
                yield rendering.html(lead, "prose lead")
                if rest:
                    yield rendering.html(rest)
            else:
                yield from core([part])

    if page is HOME:
        yield "\n".join(('<div class="hero">', *beginning(page.core[:HERO]), "</div>"))
        yield from core(page.core[HERO:])
    else:
        yield from beginning(page.core[:1])
        yield from core(page.core[1:])
        if page in LESSONS:
            yield learning_paths.end(page)
    if page.deeper:
        yield rendering.html(page.opening)
        rows = [
            sections.html(
                page.slug,
                fold,
                previews.address(page, fold.figure),
                whole(fold.parts),
            )
            for fold in page.deeper
        ]
        yield "\n".join(('<div class="deeper">', *rows, "</div>"))
    if page.exercises:
        yield rendering.html(f"## {EXERCISES}")
        yield whole(page.exercises)


def _title(page: Lesson) -> str:
    title = f"<h1>{escape(page.title)}</h1>"
    if page in LESSONS:
        section, minutes = escape(page.section), escape(duration.spoken(page))
        title += f'\n{network.at(page, exported)}\n<p class="duration">{section} · {minutes}</p>'
    return title


def _part(page: Lesson, part: Part, rendering: Rendering) -> Iterator[str]:
    if not isinstance(part, Panel):
        yield rendering.html(part)
    elif part.name in panels.PANELS:
        yield panels.PANELS[part.name](exported)
    else:
        yield _elsewhere(ELSEWHERE[part.name])
    if isinstance(part, Figure) and (more := Stock(page.slug, part).more):
        yield _elsewhere(f"has {listed(more)}")


def _screens(page: Lesson) -> Iterator[str]:
    if page in LESSONS:
        link = f'<a href="present/{file(page)}">Present this lesson</a>'
        yield f'<p class="prose">{link}, one screen at a time.</p>'


def _place(stock: Stock, refused: Mapping[str, ParameterError]) -> str:
    name = escape(stock.figure.name)
    index = escape(json.dumps(stock.index(refused), separators=(",", ":")))
    return f'<div class="ln-place" data-figure="{name}" data-stock="{index}"></div>'


def _elsewhere(what: str) -> str:
    """Says what only the app can do."""
    return f'<p class="elsewhere"><a href="#app">The app</a> also {escape(what, quote=False)}.</p>'


def _head(page: Lesson, site: str) -> str:
    canonical = f'<link rel="canonical" href="{escape(site + file(page))}">\n' if site else ""
    return f"{previews.tags(page, site)}\n{canonical}"


def _shown(contents: str, body: str) -> str:
    return f"""<a class="skip" href="#main">To the text</a>
{contents}
<div class="page">
<main id="main">
<noscript><p>The figures and questions of this book need JavaScript.</p></noscript>
{body}
</main>
<footer id="app">
<p>These pages need no server. They were written by lnviz, an app which computes what is asked for:
seeds, sizes, a table or trainings of your own. Whoever has its code starts it with
<code>lnviz run</code>, or with <code>make run</code>.</p>
</footer>
</div>
<script src="assets/export/export.js"></script>"""


def _contents(pages: Sequence[Lesson], current: Lesson) -> str:
    logo = served.content("page/logo.svg").decode()
    lists = "\n".join(
        (f"<h2>{escape(section)}</h2>\n<ul>\n" if section else "<ul>\n")
        + "\n".join(f"<li>{_link(each, is_current=each is current)}</li>" for each in members)
        + "\n</ul>"
        for section, members in _sections(pages)
    )
    # Open beside the text; above it, on a phone, one asks for it.
    fold = "document.currentScript.parentNode.open = matchMedia('(min-width: 901px)').matches"
    return f"""<header>
<a class="logo" href="{file(pages[0])}" aria-label="lnviz: {escape(pages[0].title)}">{logo}</a>
<details class="contents" open>
<script>{fold}</script>
<summary>Contents</summary>
{search.HTML}<nav aria-label="Contents">
{lists}
</nav>
</details>
</header>"""


def _sections(pages: Sequence[Lesson]) -> Iterator[tuple[str, list[Lesson]]]:
    for section, members in groupby(pages, lambda page: page.section):
        yield section, list(members)


def _ways(page: Lesson, pages: Sequence[Lesson]) -> str:
    at = pages.index(page)
    before = pages[at - 1] if at else None
    after = pages[at + 1] if at + 1 < len(pages) else None
    links = "\n".join(
        f'<a rel="{kind}" href="{file(there)}"><span>{word}</span> {escape(there.title)}</a>'
        for kind, word, there in (("prev", "Previous", before), ("next", "Next", after))
        if there
    )
    return f'<nav class="ways" aria-label="Pages before and after">\n{links}\n</nav>'


def _link(page: Lesson, *, is_current: bool = False) -> str:
    mark = ' aria-current="page"' if is_current else ""
    if page in LESSONS:
        mark += f' data-lesson="{page.slug}"'
    return f'<a href="{file(page)}"{mark}>{escape(page.title)}</a>'
