"""Panels that are HTML, which a script brings to life: ways through the lessons, a map."""

from __future__ import annotations

from collections.abc import Callable

from lnviz.book import learning_paths, network, panels
from lnviz.book.learning_paths import Link
from lnviz.lessons import Lesson
from lnviz.web import assets
from lnviz.web.html_component import html_component


def show_panel(name: str, _: Lesson) -> None:
    """Show the panel of this name."""
    _show(f"panel-{name}", panels.PANELS[name])


def network_map(lesson: Lesson) -> None:
    """Show where on the map of a network a lesson is."""
    _show(f"here-{lesson.slug}", lambda link: network.mini_map(lesson, link))


def completion_marker(lesson: Lesson) -> None:
    """Put what tells the browser that a lesson is begun and, once it is looked at, read."""
    _show(f"end-{lesson.slug}", lambda _: learning_paths.completion_marker(lesson))


def _show(name: str, html: Callable[[Link], str]) -> None:
    html_component(
        name, lambda: html(lambda address: f"{assets.base_path()}/{address}"), "page/progress.js"
    )
