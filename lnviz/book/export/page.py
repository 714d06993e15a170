"""A page of the exported book as HTML."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from urllib.parse import urlsplit

from lnviz.book import (
    HERO_PARTS,
    HOME,
    duration,
    learning_paths,
    network,
    panels,
    present,
    previews,
    search,
)
from lnviz.book.export.inventory import FigureInventory
from lnviz.book.html_shell import html_document
from lnviz.book.present.deck import deck
from lnviz.book.present.slides import Slide, deck_slides
from lnviz.book.rendering import Rendering
from lnviz.book.teach import plan_slides as presented_plan
from lnviz.book.teach.plans import PLANS, Plan
from lnviz.explorable import ParameterError
from lnviz.frontend import served
from lnviz.lessons import LESSONS, Figure, Lesson, Panel, Remember, sections
from lnviz.lessons.interpolation import listed
from lnviz.lessons.lesson import EXERCISES, Part

APP_ONLY_PANELS = {"check": "compares these numbers with those of PyTorch's own LayerNorm"}
"""What the app does in a panel that is left out, by its name: the end of a sentence."""


def file_name(page: Lesson) -> str:
    """Return the name of a page's file; the home page is what a folder shows by itself."""
    return f"{page.address or 'index'}.html"


def page_html(
    page: Lesson, pages: Sequence[Lesson], errors: Mapping[str, ParameterError], site: str
) -> str:
    """Return a page as a complete HTML document.

    Args:
        page: The page.
        pages: All pages that are exported, in reading order.
        errors: The errors of payloads that cannot be computed, by file path.
        site: The address of the export on the web, with a slash at its end, or "".
    """
    body = "\n".join((*_parts(page, errors), *_present_link(page), _neighbors(page, pages)))
    shown = _body(_contents(pages, page), body)
    styles = ("page/page.css", "export/export.css")
    return html_document(page.title, shown, "assets/", *styles, head=_head(page, site))


def deck_html(page: Lesson, errors: Mapping[str, ParameterError]) -> str:
    """Return the present view of a lesson, a folder below its page."""
    shown = deck(page.slug)
    rendering = Rendering(
        lambda address: present.link_from_present(exported_link(address)),
        lambda figure: _placeholder(FigureInventory(page.slug, figure), errors),
    )
    return present.present_html(
        page.title,
        deck_slides(shown),
        lambda _: rendering,
        exit_url=f"../{file_name(page)}",
        up="../",
        assets="../assets/",
        script='<script src="../assets/export/export.js"></script>',
    )


def plan_files(errors: Mapping[str, ParameterError], site: str) -> Iterator[tuple[str, str]]:
    """Return the files of the lesson plans: each one's name, and what it holds.

    Args:
        errors: The errors of payloads that cannot be computed, by file path.
        site: The address of the export on the web, with a slash at its end, or "".
    """
    for plan in PLANS:
        name = f"present/plans/{plan.slug}"
        yield f"{name}.html", _plan(plan, errors)
        yield (
            f"{name}.md",
            presented_plan.plan_markdown(plan, lambda there: site + exported_link(there)),
        )


def _plan(plan: Plan, refused: Mapping[str, ParameterError]) -> str:
    def rendering(slide: Slide) -> Rendering:
        return Rendering(
            lambda address: present.link_from_present(exported_link(address), "../../"),
            lambda figure: _placeholder(FigureInventory(slide.lesson.slug, figure), refused),
        )

    return present.present_html(
        plan.title,
        presented_plan.plan_slides(plan),
        rendering,
        exit_url="../../teach.html#lesson-plans",
        exit_label="To the plans",
        up="../../",
        assets="../../assets/",
        script='<script src="../../assets/export/export.js"></script>',
        plan=plan.slug,
    )


def sitemap(pages: Sequence[Lesson], site: str) -> str:
    """Return `sitemap.xml`: all addresses, for search engines."""
    names = (escape(site + file_name(page)) for page in pages)
    addresses = "\n".join(f"<url><loc>{address}</loc></url>" for address in names)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{addresses}\n</urlset>\n'
    )


def exported_link(address: str) -> str:
    """Return a link of the prose as the export has it: the app's pages have no ending.

    >>> exported_link("results#slips"), exported_link(".")
    ('results.html#slips', 'index.html')
    """
    there = urlsplit(address)
    if there.scheme or there.netloc or not there.path or there.path.endswith(".md"):
        return address
    slug = there.path.strip("./")
    return there._replace(path=f"{slug or 'index'}.html").geturl()


def _parts(page: Lesson, refused: Mapping[str, ParameterError]) -> Iterator[str]:
    rendering = Rendering(
        exported_link, lambda figure: _placeholder(FigureInventory(page.slug, figure), refused)
    )

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
        yield "\n".join(('<div class="hero">', *beginning(page.core[:HERO_PARTS]), "</div>"))
        yield from core(page.core[HERO_PARTS:])
    else:
        yield from beginning(page.core[:1])
        yield from core(page.core[1:])
        if page in LESSONS:
            yield learning_paths.completion_marker(page)
    if page.deeper:
        yield rendering.html(page.opening)
        rows = [
            sections.html(
                page.slug,
                fold,
                previews.thumbnail_url(page, fold.figure),
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
        section, minutes = escape(page.section), escape(duration.duration_text(page))
        mini_map = network.mini_map(page, exported_link)
        title += f'\n{mini_map}\n<p class="duration">{section} · {minutes}</p>'
    return title


def _part(page: Lesson, part: Part, rendering: Rendering) -> Iterator[str]:
    if not isinstance(part, Panel):
        yield rendering.html(part)
    elif part.name in panels.PANELS:
        yield panels.PANELS[part.name](exported_link)
    else:
        yield _app_note(APP_ONLY_PANELS[part.name])
    if isinstance(part, Figure) and (more := FigureInventory(page.slug, part).app_only):
        yield _app_note(f"has {listed(more)}")


def _present_link(page: Lesson) -> Iterator[str]:
    if page in LESSONS:
        link = f'<a href="present/{file_name(page)}">Present this lesson</a>'
        yield f'<p class="prose">{link}, one screen at a time.</p>'


def _placeholder(stock: FigureInventory, refused: Mapping[str, ParameterError]) -> str:
    name = escape(stock.figure.name)
    index = escape(json.dumps(stock.index(refused), separators=(",", ":")))
    return f'<div class="ln-place" data-figure="{name}" data-stock="{index}"></div>'


def _app_note(what: str) -> str:
    """Says what only the app can do."""
    return f'<p class="elsewhere"><a href="#app">The app</a> also {escape(what, quote=False)}.</p>'


def _head(page: Lesson, site: str) -> str:
    canonical = f'<link rel="canonical" href="{escape(site + file_name(page))}">\n' if site else ""
    return f"{previews.meta_tags(page, site)}\n{canonical}"


def _body(contents: str, body: str) -> str:
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
<a class="logo" href="{file_name(pages[0])}" aria-label="lnviz: {escape(pages[0].title)}">{logo}</a>
<details class="contents" open>
<script>{fold}</script>
<summary>Contents</summary>
{search.SEARCH_BOX}<nav aria-label="Contents">
{lists}
</nav>
</details>
</header>"""


def _sections(pages: Sequence[Lesson]) -> Iterator[tuple[str, list[Lesson]]]:
    for section, members in groupby(pages, lambda page: page.section):
        yield section, list(members)


def _neighbors(page: Lesson, pages: Sequence[Lesson]) -> str:
    at = pages.index(page)
    before = pages[at - 1] if at else None
    after = pages[at + 1] if at + 1 < len(pages) else None
    links = "\n".join(
        f'<a rel="{kind}" href="{file_name(there)}"><span>{word}</span> {escape(there.title)}</a>'
        for kind, word, there in (("prev", "Previous", before), ("next", "Next", after))
        if there
    )
    return f'<nav class="ways" aria-label="Pages before and after">\n{links}\n</nav>'


def _link(page: Lesson, *, is_current: bool = False) -> str:
    mark = ' aria-current="page"' if is_current else ""
    if page in LESSONS:
        mark += f' data-lesson="{page.slug}"'
    return f'<a href="{file_name(page)}"{mark}>{escape(page.title)}</a>'
