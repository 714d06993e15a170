"""Rendering of the book's pages in Streamlit."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from lnviz import book
from lnviz.book import duration, previews
from lnviz.book.rendering import render, render_page
from lnviz.lessons import (
    LESSONS,
    ComparisonTable,
    Details,
    Exercise,
    FigureSpec,
    Lesson,
    OptionalSection,
    Panel,
    Takeaways,
    exercise_html,
    sections,
    tables,
)
from lnviz.lessons.lesson import PageItem
from lnviz.web.component import show_figure
from lnviz.web.html_component import html_component
from lnviz.web.panels import PANELS, html_panels


def show_page(slug: str) -> None:
    """Show the page of the book with this slug.

    Raises:
        ValueError: There is no such page.
    """
    page = book.find_page(slug)
    if page is None:
        raise ValueError(f"no lesson is called {slug!r}")
    render_page(page, StreamlitRenderer(page))


class StreamlitRenderer:
    """Renderer of a page in Streamlit: each method adds elements to the running script.

    The keys of containers are CSS classes in the page's style sheet.

    Args:
        page: The page.
    """

    def __init__(self, page: Lesson) -> None:
        self._page = page

    def title(self) -> None:
        """Show the title, and for a lesson a small network map and the reading time."""
        page = self._page
        st.title(page.title, anchor=False)
        if page in LESSONS:
            html_panels.network_map(page)
            minutes = duration.duration_text(page)
            st.container(key="duration").markdown(f"{page.section} · {minutes}")

    def lead(self, text: str) -> None:
        """Show the first paragraph of the page."""
        st.container(key="lead").markdown(text)

    def group(self, name: str, content: Callable[[], list[None]]) -> None:
        """Show content in a named container, for the style sheet."""
        with st.container(key=name, gap=None if name == "deeper" else "small"):
            content()

    def prose(self, text: str) -> None:
        """Show Markdown text."""
        st.markdown(text)

    def figure(self, figure: FigureSpec) -> None:
        """Show an interactive figure."""
        show_figure(self._page, figure)

    def table(self, table: ComparisonTable) -> None:
        """Show a comparison table."""
        self._component("table", table.name, lambda: tables.table_html(table), "book/tables.js")

    def exercise(self, exercise: Exercise) -> None:
        """Show a question or an exercise."""
        self._component(
            "ask",
            exercise.name,
            lambda: exercise_html.exercise_html(exercise),
            "questions/exercises.js",
        )

    def panel(self, panel: Panel) -> None:
        """Show a panel, such as the map of the network."""
        PANELS[panel.name](self._page)

    def details(self, details: Details) -> None:
        """Show prose that is collapsed until the reader opens it."""
        st.expander(details.title).markdown(details.text)

    def takeaways(self, takeaways: Takeaways) -> None:
        """Show a lesson's takeaways: the sentences to remember."""
        st.container(key="remember").markdown(takeaways.markdown)

    def optional_section(self, section: OptionalSection[PageItem]) -> None:
        """Show an optional section's heading, and its content, which CSS hides until opened."""
        page, name = self._page, section.name

        def html() -> str:
            thumbnail = previews.thumbnail_url(page, section.figure)
            return sections.section_html(page.slug, section, thumbnail)

        with st.container(key=f"fold-{name}", gap=None):
            self._component("row", name, html, "page/folds.js")
            with st.container(key=f"inside-{name}"):
                render(section.parts, self)

    def completion_marker(self) -> None:
        """Add an empty element; the lesson counts as read once it is scrolled into view."""
        html_panels.completion_marker(self._page)

    def present_link(self) -> None:
        """Show the link “Present this lesson”, which opens the lesson as slides."""
        present = f"[Present this lesson](present/{self._page.slug}), one screen at a time."
        st.container(key="elsewhere").markdown(present)

    def _component(self, kind: str, name: str, html: Callable[[], str], module: str) -> None:
        html_component(f"{kind}-{self._page.slug}-{name}", html, module)
