"""HTML pages of the exported (static) book."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from urllib.parse import urlsplit

from lnviz.book import (
    duration,
    learning_paths,
    network,
    panels,
    present,
    previews,
    search,
)
from lnviz.book.contents import contents_html
from lnviz.book.export.inventory import FigureInventory
from lnviz.book.learning_paths import LearningPath
from lnviz.book.present.deck import deck
from lnviz.book.present.slides import Slide, deck_slides
from lnviz.book.rendering import HtmlRenderer, render, render_page
from lnviz.book.teach import plan_slides
from lnviz.book.teach.plans import PLANS, Plan
from lnviz.explorable import ParameterError
from lnviz.frontend import static_files
from lnviz.frontend.html_shell import asset_links, html_document
from lnviz.lessons import LESSONS, FigureSpec, Lesson, OptionalSection, Panel, sections
from lnviz.lessons.interpolation import join_words
from lnviz.lessons.lesson import PageItem

APP_ONLY_PANELS = {"check": "compares these numbers with those of PyTorch’s own LayerNorm"}
"""Panels that only the app has, by name, as phrases that follow “the app also”."""


def file_name(page: Lesson) -> str:
    """Return the file name of a page in the exported book; the home page is `index.html`."""
    return f"{page.url_path or 'index'}.html"


def page_html(
    page: Lesson, pages: Sequence[Lesson], errors: Mapping[str, ParameterError], site: str
) -> str:
    """Return a page of the exported book as a complete HTML document.

    Args:
        page: The page.
        pages: All exported pages, in reading order.
        errors: The errors of payloads that cannot be computed, by file path.
        site: The URL of the export, ending with a slash, or "".
    """
    content = render_page(page, ExportRenderer(page, errors))
    body = "\n".join((*content, _neighbors(page, pages)))
    shown = _body(_contents(pages, page), body)
    links = asset_links("assets/", "page/page.css", "export/export.css")
    return html_document(page.title, shown, _head(page, site) + links)


def deck_html(page: Lesson, errors: Mapping[str, ParameterError]) -> str:
    """Return the HTML of a lesson's presentation view, which is in a folder below the page."""
    shown = deck(page.slug)
    renderer = HtmlRenderer(
        lambda address: present.link_from_present(exported_link(address)),
        partial(_figure_placeholder, page, errors),
    )
    return present.present_html(
        page.title,
        deck_slides(shown),
        lambda _: renderer,
        exit_url=f"../{file_name(page)}",
        up="../",
        assets="../assets/",
        script='<script src="../assets/export/export.js"></script>',
    )


def figure_file_name(page: Lesson, figure: FigureSpec) -> str:
    """Return the file name of a figure's own page, which is its address in the app."""
    return f"explorables/{page.slug}/{figure.name}.html"


def figure_html(page: Lesson, figure: FigureSpec, errors: Mapping[str, ParameterError]) -> str:
    """Return the HTML document of a figure's own page, to embed in other pages or in slides.

    Args:
        page: The page that explains the figure.
        figure: The figure.
        errors: The errors of payloads that cannot be computed, by file path.
    """
    lesson = f"../../{file_name(page)}#figure-{figure.name}"
    body = f"""<main>
<h1>{escape(page.title)}</h1>
{_figure_placeholder(page, errors, figure)}
<p><a href="{escape(lesson)}" target="_top">The lesson that explains this figure</a></p>
</main>
<noscript>This figure needs JavaScript.</noscript>
<script src="../../assets/export/export.js"></script>"""
    links = asset_links("../../assets/", "page/standalone.css", "page/page.css")
    return html_document(page.title, body, links, 'class="alone"')


def plan_files(errors: Mapping[str, ParameterError], site: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the content of each exported file of the lesson plans.

    Args:
        errors: The errors of payloads that cannot be computed, by file path.
        site: The URL of the export, ending with a slash, or "".
    """
    for plan in PLANS:
        name = f"present/plans/{plan.slug}"
        yield f"{name}.html", _plan(plan, errors)
        absolute = partial(_absolute, site)
        yield f"{name}.md", plan_slides.plan_markdown(plan, absolute)


def _absolute(site: str, address: str) -> str:
    return site + exported_link(address)


def _plan(plan: Plan, errors: Mapping[str, ParameterError]) -> str:
    def renderer(slide: Slide) -> HtmlRenderer:
        return HtmlRenderer(
            lambda address: present.link_from_present(exported_link(address), "../../"),
            partial(_figure_placeholder, slide.lesson, errors),
        )

    return present.present_html(
        plan.title,
        plan_slides.plan_slides(plan),
        renderer,
        exit_url="../../teach.html#lesson-plans",
        exit_label="To the plans",
        up="../../",
        assets="../../assets/",
        script='<script src="../../assets/export/export.js"></script>',
        plan=plan.slug,
    )


def exported_link(address: str) -> str:
    """Convert a link between pages for the exported book, where the names of pages end in `.html`.

    >>> exported_link("results#slips"), exported_link(".")
    ('results.html#slips', 'index.html')
    """
    there = urlsplit(address)
    if there.scheme or there.netloc or not there.path or there.path.endswith(".md"):
        return address
    slug = there.path.strip("./")
    return there._replace(path=f"{slug or 'index'}.html").geturl()


class ExportRenderer(HtmlRenderer):
    """Renderer of a page of the exported (static) book.

    Args:
        page: The page.
        errors: The errors of payloads that cannot be computed, by file path.
    """

    def __init__(self, page: Lesson, errors: Mapping[str, ParameterError]) -> None:
        super().__init__(exported_link, partial(_figure_placeholder, page, errors))
        self._page = page

    def title(self) -> str:
        """Return the title as HTML; for a lesson, add a small network map and the reading time."""
        page = self._page
        title = f"<h1>{escape(page.title)}</h1>"
        if page not in LESSONS:
            return title
        section, minutes = escape(page.section), escape(duration.duration_text(page))
        mini_map = network.mini_map(page, exported_link)
        return f'{title}\n{mini_map}\n<p class="duration">{section} · {minutes}</p>'

    def lead(self, text: str) -> str:
        """Return the first paragraph of the page as HTML."""
        return self.prose(text, "prose lead")

    def group(self, name: str, content: Callable[[], list[str]]) -> str:
        """Return content as HTML in an element with a CSS class."""
        return "\n".join((f'<div class="{name}">', *content(), "</div>"))

    def figure(self, figure: FigureSpec) -> str:
        """Return a figure's placeholder, with a note on features that only the app offers."""
        app_only = FigureInventory(self._page.slug, figure).app_only
        note = f"\n{_app_note(f'has {join_words(app_only)}')}" if app_only else ""
        return super().figure(figure) + note

    def panel(self, panel: Panel) -> str:
        """Return a panel as HTML, or a note if only the server app has it."""
        if panel.name in panels.PANELS:
            return panels.PANELS[panel.name](exported_link)
        return _app_note(APP_ONLY_PANELS[panel.name])

    def optional_section(self, section: OptionalSection[PageItem]) -> str:
        """Return an optional section as an HTML `<details>` element."""
        thumbnail = previews.thumbnail_url(self._page, section.figure)
        content = "\n".join(render(section.parts, self))
        return sections.section_html(self._page.slug, section, thumbnail, content)

    def completion_marker(self) -> str:
        """Return an empty element; when it is scrolled into view, the lesson counts as read."""
        return learning_paths.completion_marker(self._page)

    def present_link(self) -> str:
        """Return the link to the presentation view of the lesson."""
        link = f'<a href="present/{file_name(self._page)}">Present this lesson</a>'
        return f'<p class="prose">{link}, one screen at a time.</p>'


def _figure_placeholder(
    page: Lesson, errors: Mapping[str, ParameterError], figure: FigureSpec
) -> str:
    inventory = FigureInventory(page.slug, figure).index(errors)
    index = escape(json.dumps(inventory, separators=(",", ":")))
    own = escape(figure_file_name(page, figure))
    return (
        f'<div class="ln-place" data-figure="{escape(figure.name)}" data-page="{own}" '
        f'data-stock="{index}"></div>'
    )


def _app_note(what: str) -> str:
    """Return an HTML note on a feature that only the server app has, not the exported book."""
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
<p>These pages need no server. They were written by the app lnviz, which can also compute
other seeds and sizes, and use your own table or trainings. With its code, start it with
<code>lnviz run</code> or <code>make run</code>.</p>
</footer>
</div>
<script src="assets/export/export.js"></script>"""


def _contents(pages: Sequence[Lesson], current: Lesson) -> str:
    logo = static_files.read_file("page/logo.svg").decode()
    nav = contents_html(pages, file_name, current)
    # Open beside the text; collapsed above it on a phone.
    fold = "document.currentScript.parentNode.open = matchMedia('(min-width: 901px)').matches"
    return f"""<header>
<a class="logo" href="{file_name(pages[0])}" aria-label="lnviz: {escape(pages[0].title)}">{logo}</a>
<details class="fold-contents" open>
<script>{fold}</script>
<summary>Contents</summary>
{search.SEARCH_BOX}{nav}
</details>
</header>"""


def _neighbors(page: Lesson, pages: Sequence[Lesson]) -> str:
    """Return the links to the previous and next page, in the order of the book and of each route.

    The browser shows the links of the route in the page's URL (`page/route.js`).
    """
    paths = [path for path in learning_paths.LEARNING_PATHS if path.is_route_of(page)]
    routes = (_neighbor_links(page, path.lessons, path) for path in paths)
    return "\n".join([_neighbor_links(page, pages), *routes])


def _neighbor_links(page: Lesson, order: Sequence[Lesson], path: LearningPath | None = None) -> str:
    def link(to: Lesson) -> str:
        return exported_link(path.address(to)) if path else file_name(to)

    at = order.index(page)
    before = order[at - 1] if at else None
    after = order[at + 1] if at + 1 < len(order) else None
    links = [
        f'<a rel="{kind}" href="{escape(link(to))}"><span>{word}</span> {escape(to.title)}</a>'
        if to
        else ""
        for kind, word, to in (("prev", "Previous", before), ("next", "Next", after))
    ]
    middle = f"<span>{path.time}: {path.position(page)}</span>" if path else ""
    route = f' data-route="{path.name}" hidden' if path else ""
    inside = "\n".join(part for part in (links[0], middle, links[1]) if part)
    return f'<nav class="ways" aria-label="Pages before and after"{route}>\n{inside}\n</nav>'
