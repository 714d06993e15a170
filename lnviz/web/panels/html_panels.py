"""HTML panels in Streamlit, made interactive by a script: learning paths, lesson cards, map."""

from __future__ import annotations

from collections.abc import Callable

from lnviz.book import learning_paths, network, panels
from lnviz.book.learning_paths import Link
from lnviz.lessons import Lesson
from lnviz.web import assets
from lnviz.web.html_component import html_component


def show_panel(name: str, _: Lesson) -> None:
    """Show the HTML panel with this name."""
    _show(f"panel-{name}", panels.PANELS[name])


def network_map(lesson: Lesson) -> None:
    """Show a lesson's location on the map of a network."""
    _show(f"here-{lesson.slug}", lambda link: network.mini_map(lesson, link))


def completion_marker(lesson: Lesson) -> None:
    """Add an empty element from which the browser records that a lesson was begun and read."""
    _show(f"end-{lesson.slug}", lambda _: learning_paths.completion_marker(lesson))


def _show(name: str, html: Callable[[Link], str]) -> None:
    html_component(
        name, lambda: html(lambda address: f"{assets.base_path()}/{address}"), "page/progress.js"
    )
