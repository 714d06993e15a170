"""The present view of a lesson in the app."""

from __future__ import annotations

import json
from functools import cache, lru_cache
from html import escape
from urllib.parse import urlsplit

from lnviz.book import present
from lnviz.book.present.deck import deck
from lnviz.book.present.document import screen_document
from lnviz.book.present.slides import Slide, deck_slides
from lnviz.book.rendering import HtmlRenderer
from lnviz.book.teach import plan_slides as plans
from lnviz.frontend import static_files
from lnviz.lessons import FigureSpec
from lnviz.web.assets import base_path
from lnviz.web.responses import CompressedBody


@cache
def lesson_page(slug: str) -> CompressedBody:
    """Return the page at `/present/<slug>`, whose figures come over HTTP."""
    shown = deck(slug)
    page = present.present_html(
        shown.lesson.title,
        deck_slides(shown),
        lambda slide: _renderer(slide, "../"),
        exit_url=f"../{slug}",
        up="../",
        assets=f"../assets/{static_files.content_hash()}/",
        script=_script_tag("../"),
    )
    return CompressedBody.compress(page.encode())


@cache
def plan_page(name: str) -> CompressedBody | None:
    """Return the page at `/present/plans/<name>`; None where there is no such plan."""
    plan = plans.find_plan(name)
    if plan is None:
        return None
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


def plan_json(name: str) -> CompressedBody | None:
    """Return the document at `/present/plans/<name>.json`; None where there is no such plan."""
    plan = plans.find_plan(name)
    return CompressedBody.compress(json.dumps(plans.plan_document(plan)).encode()) if plan else None


def plan_markdown(name: str, origin: str) -> CompressedBody | None:
    """Return the file at `/present/plans/<name>.md`; None where there is no such plan.

    Args:
        name: the plan's name.
        origin: scheme and host under which the server is found.
    """
    plan = plans.find_plan(name)
    whole = f"{origin}{base_path()}/"
    return (
        CompressedBody.compress(plans.plan_markdown(plan, lambda there: whole + there).encode())
        if plan
        else None
    )


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
    there = f"{up}assets/{static_files.content_hash()}/present/present.js"
    return f'<script type="module" src="{there}"></script>'


@lru_cache(512)
def screen_json(slug: str, screen: str) -> CompressedBody:
    """Return the document at `/present/<slug>/screens/<named>.json`.

    Raises:
        LookupError: the lesson has no such screen.
    """
    written = screen_document(
        slug, screen, link=_absolute, explorables=f"{base_path()}/explorables/{slug}/"
    )
    return CompressedBody.compress(json.dumps(written).encode())


def _absolute(address: str) -> str:
    """A link of a lesson as it is written on any other page."""
    there = urlsplit(address)
    return address if there.scheme or there.netloc or not there.path else f"{base_path()}/{address}"
