"""Rendering of a page's content (prose, figures, exercises, ...) by a renderer for each medium.

`render_page` and `render` determine the content and its order. A renderer determines the look of
each type of content in one medium: the app (`lnviz.web.page`), the exported book
(`lnviz.book.export.page`), or the screens of a lecture (`lnviz.book.present.deck`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar, assert_never

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
    prose,
    tables,
)
from lnviz.lessons.lesson import EXERCISES, HOME, PageBlock, PageItem

HERO_PARTS = 3
"""Number of parts of the home page that are visible without scrolling, side by side."""

Output = TypeVar("Output")
Output_co = TypeVar("Output_co", covariant=True)


class Renderer(Protocol[Output_co]):
    """Interface of renderers: one method for each type of page content (prose, figure, table, ...).

    Each method returns the rendered content, or displays it and returns None.
    """

    def prose(self, text: str) -> Output_co:
        """Render a Markdown text."""

    def figure(self, figure: FigureSpec) -> Output_co:
        """Render a figure's placeholder, which a script fills with the figure."""

    def table(self, table: ComparisonTable) -> Output_co:
        """Render a table."""

    def exercise(self, exercise: Exercise) -> Output_co:
        """Render a question or an exercise."""

    def panel(self, panel: Panel) -> Output_co:
        """Render a panel, such as the map of the network."""

    def details(self, details: Details) -> Output_co:
        """Render a prose block that is collapsed until the reader opens it."""

    def takeaways(self, takeaways: Takeaways) -> Output_co:
        """Render a lesson's takeaways: the sentences to remember."""

    def optional_section(self, section: OptionalSection[PageItem]) -> Output_co:
        """Render an optional section, collapsed until the reader opens it, with its content."""


class PageRenderer(Renderer[Output], Protocol[Output]):
    """Interface of renderers of whole pages, including title, lead, containers and links."""

    def title(self) -> Output:
        """Render the page's title; for a lesson, add a small network map and the reading time."""

    def lead(self, text: str) -> Output:
        """Render the first paragraph of the page."""

    def group(self, name: str, content: Callable[[], list[Output]]) -> Output:
        """Render a named container around the output of `content`, for the style sheet."""

    def completion_marker(self) -> Output:
        """Render an empty element; when it is scrolled into view, the lesson counts as read."""

    def present_link(self) -> Output:
        """Render the link to the presentation view of the lesson."""


def render(parts: Iterable[PageBlock], renderer: Renderer[Output]) -> list[Output]:
    """Render blocks of page content (prose, figures, exercises, ...) in order."""
    return [_render(part, renderer) for part in parts]


def render_page(page: Lesson, renderer: PageRenderer[Output]) -> list[Output]:
    """Render a whole page: title, core, optional sections and exercises.

    Args:
        page: The page.
        renderer: A renderer for this page.
    """
    is_home, is_lesson = page.slug == HOME, page in LESSONS
    count = HERO_PARTS if is_home else 1

    def opening() -> list[Output]:
        return [renderer.title(), *_opening(page.core[:count], renderer)]

    output = [renderer.group("hero", opening)] if is_home else opening()
    output += render(page.core[count:], renderer)
    if is_lesson:
        output.append(renderer.completion_marker())
    if page.optional_sections:
        output.append(renderer.prose(page.optional_heading))
        output.append(renderer.group("deeper", lambda: render(page.optional_sections, renderer)))
    if page.exercises:
        output += [renderer.prose(f"## {EXERCISES}"), *render(page.exercises, renderer)]
    if is_lesson:
        output.append(renderer.present_link())
    return output


def _opening(parts: Iterable[PageBlock], renderer: PageRenderer[Output]) -> list[Output]:
    output = []
    for part in parts:
        if isinstance(part, str):
            lead, _, rest = part.partition("\n\n")
            output.append(renderer.lead(lead))
            output += [renderer.prose(rest)] if rest else []
        else:
            output.append(_render(part, renderer))
    return output


def _render(part: PageBlock, renderer: Renderer[Output]) -> Output:
    match part:
        case str():
            return renderer.prose(part)
        case FigureSpec():
            return renderer.figure(part)
        case ComparisonTable():
            return renderer.table(part)
        case Exercise():
            return renderer.exercise(part)
        case Panel():
            return renderer.panel(part)
        case Details():
            return renderer.details(part)
        case Takeaways():
            return renderer.takeaways(part)
        case OptionalSection():
            return renderer.optional_section(part)
    assert_never(part)


class HtmlRenderer:
    """Renderer of page content as static HTML, which scripts make interactive.

    Args:
        link: Returns the `href` for a link in the text.
        placeholder: Returns the HTML of a figure's placeholder, which a script fills.
    """

    def __init__(
        self, link: Callable[[str], str], placeholder: Callable[[FigureSpec], str]
    ) -> None:
        self.link = link
        self._placeholder = placeholder

    def prose(self, text: str, style: str = "prose") -> str:
        """Return Markdown as HTML, in an element with a CSS class."""
        return f'<div class="{style}">\n{prose.markdown_to_html(text, self.link)}</div>'

    def figure(self, figure: FigureSpec) -> str:
        """Return a figure's placeholder, which a script fills with the figure."""
        return self._placeholder(figure)

    def table(self, table: ComparisonTable) -> str:
        """Return a comparison table as HTML."""
        return tables.table_html(table, self.link)

    def exercise(self, exercise: Exercise) -> str:
        """Return a question or an exercise as HTML."""
        return exercise_html.exercise_html(exercise, self.link)

    def details(self, details: Details) -> str:
        """Return collapsed prose as an HTML `<details>` element."""
        title, text = (
            prose.inline(details.title, self.link),
            prose.markdown_to_html(details.text, self.link),
        )
        return f'<details class="prose fold"><summary>{title}</summary>{text}</details>'

    def takeaways(self, takeaways: Takeaways) -> str:
        """Return a lesson's takeaways (the sentences to remember) as HTML."""
        return self.prose(takeaways.markdown, "prose remember")
