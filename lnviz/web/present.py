"""HTTP responses of the presentation view: slide pages, and JSON and Markdown documents."""

from __future__ import annotations

import json
from functools import lru_cache
from html import escape
from urllib.parse import urlsplit

from lnviz.book import present
from lnviz.book.present.deck import deck
from lnviz.book.present.document import screen_document
from lnviz.book.present.slides import Slide, deck_slides
from lnviz.book.rendering import HtmlRenderer
from lnviz.book.teach import plan_slides as plans
from lnviz.book.teach.plans import Plan
from lnviz.errors import RequestError
from lnviz.frontend import static_files
from lnviz.lessons import FigureSpec
from lnviz.web.assets import base_path
from lnviz.web.responses import CompressedBody


@lru_cache(256)
def lesson_page(slug: str) -> CompressedBody:
    """Return a lesson's slides as the page `/present/<slug>`; figures are loaded over HTTP."""
    slides = deck(slug)
    page = present.present_html(
        slides.lesson.title,
        deck_slides(slides),
        lambda slide: _renderer(slide, "../"),
        exit_url=f"../{slug}",
        up="../",
        assets=f"../assets/{static_files.content_hash()}/",
        script=_script_tag("../"),
    )
    return CompressedBody.compress(page.encode())


def plan_page(slug: str) -> CompressedBody:
    """Return a lesson plan's slides as the page `/present/plans/<slug>`.

    Raises:
        RequestError: There is no such plan.
    """
    return _plan_page(_find_plan(slug).slug)


@lru_cache(256)
def _plan_page(slug: str) -> CompressedBody:
    plan = _find_plan(slug)
    page = present.present_html(
        plan.title,
        plans.plan_slides(plan),
        lambda slide: _renderer(slide, "../../"),
        exit_url="../../teach#lesson-plans",
        exit_label="To the plans",
        up="../../",
        assets=f"../../assets/{static_files.content_hash()}/",
        script=_script_tag("../../"),
        plan=plan.slug,
    )
    return CompressedBody.compress(page.encode())


def plan_body(slug: str) -> CompressedBody:
    """Return a lesson plan's screens as the document `/present/plans/<slug>.json`.

    Raises:
        RequestError: There is no such plan.
    """
    document = plans.plan_document(_find_plan(slug))
    return CompressedBody.compress(json.dumps(document).encode())


def plan_markdown(slug: str, origin: str) -> CompressedBody:
    """Return a lesson plan as the Markdown file `/present/plans/<slug>.md`.

    Args:
        slug: The plan's slug.
        origin: Scheme and host of the server, for absolute URLs.

    Raises:
        RequestError: There is no such plan.
    """
    root = f"{origin}{base_path()}/"
    text = plans.plan_markdown(_find_plan(slug), lambda address: root + address)
    return CompressedBody.compress(text.encode())


def _find_plan(slug: str) -> Plan:
    plan = plans.find_plan(slug)
    if plan is None:
        raise RequestError(
            "There is no lesson plan with that name. The page for teachers lists all of them.", 404
        )
    return plan


def _renderer(slide: Slide, up: str) -> HtmlRenderer:
    def placeholder(figure: FigureSpec) -> str:
        name, names = escape(figure.name), " ".join(each.name for each in figure.parameters)
        anchor = f' data-anchor="figure-{name}-{slide.name}"' if slide.has_own_figure else ""
        return (
            f'<div class="ln-place" data-figure="{name}"{anchor} '
            f'data-source="{up}explorables/{slide.lesson.slug}/{name}.json" '
            f'data-parameters="{escape(names)}"></div>'
        )

    return HtmlRenderer(lambda address: present.link_from_present(address, up), placeholder)


def _script_tag(up: str) -> str:
    url = f"{up}assets/{static_files.content_hash()}/present/present.js"
    return f'<script type="module" src="{url}"></script>'


@lru_cache(512)
def screen_body(slug: str, screen: str) -> CompressedBody:
    """Return a screen of a lesson as the document `/present/<slug>/screens/<screen>.json`.

    Raises:
        LookupError: The lesson has no such screen.
    """
    document = screen_document(
        slug, screen, link=_link_from_root, explorables=f"{base_path()}/explorables/{slug}/"
    )
    return CompressedBody.compress(json.dumps(document).encode())


def _link_from_root(address: str) -> str:
    """Return a lesson's relative link as a path from the site's root."""
    url = urlsplit(address)
    return address if url.scheme or url.netloc or not url.path else f"{base_path()}/{address}"
