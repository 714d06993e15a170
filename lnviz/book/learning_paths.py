"""HTML lists of lessons for the home page: learning paths and lesson cards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from itertools import groupby

from lnviz.book.duration import core_minutes
from lnviz.lessons import LESSONS, Lesson
from lnviz.lessons.sections import format_minutes

Link = Callable[[str], str]
"""A function that returns the `href` for a relative URL of the book, from the current page."""


@dataclass(frozen=True)
class LearningPath:
    """A sequence of lessons for readers with limited time.

    Attributes:
        name: Its name in URLs, as in `?route=hour`.
        time: Its duration in words.
        topic: The question or topic that it covers.
        slugs: Slugs of its lessons, in reading order.
    """

    name: str
    time: str
    topic: str
    slugs: tuple[str, ...]

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """The lessons in reading order."""
        by_slug = {lesson.slug: lesson for lesson in LESSONS}
        return tuple(by_slug[slug] for slug in self.slugs if slug in by_slug)

    @property
    def minutes(self) -> int:
        """The total duration of the lessons' cores, in minutes."""
        return sum(map(core_minutes, self.lessons))

    def is_route_of(self, lesson: Lesson) -> bool:
        """Return whether the path contains this lesson and at least one other."""
        return len(self.slugs) > 1 and lesson in self.lessons

    def address(self, lesson: Lesson) -> str:
        """Return a lesson's URL, with the path as a query parameter if the lesson is on it."""
        return f"{lesson.slug}?{QUERY}={self.name}" if self.is_route_of(lesson) else lesson.slug

    def position(self, lesson: Lesson) -> str:
        """Return a lesson's position on the path in words, such as "3 of 7"."""
        return f"{self.lessons.index(lesson) + 1} of {len(self.lessons)}"


QUERY = "route"
LEARNING_PATHS = (
    LearningPath("glance", "5 minutes", "What a norm does", ("axes",)),
    LearningPath(
        "placement", "20 minutes", "Why Transformers put norms where they do", ("why", "placement")
    ),
    LearningPath(
        "hour",
        "One hour",
        "From scratch",
        (
            "why",
            "axes",
            "gain-bias",
            "batch",
            "invariance",
            "placement",
            "rmsnorm",
            "playground",
        ),
    ),
)


def find_path(name: str, lesson: Lesson) -> LearningPath | None:
    """Return the learning path with this name if it contains the lesson, else None."""
    named = (path for path in LEARNING_PATHS if path.name == name)
    return next((path for path in named if path.is_route_of(lesson)), None)


AUDIENCES = (
    ("For teachers", "Plans, answers, slides", "teach"),
    ("For engineers", "Norms that misbehave", "practice"),
)
"""Pages for particular readers: the audience, the content, and the URL."""


def starting_points(link: Link) -> str:
    """Return HTML with the start button, the learning paths, and links for teachers and engineers.

    Args:
        link: Returns the `href` for a relative URL of the book.
    """
    first, *_ = LESSONS
    lessons = [
        {
            "slug": lesson.slug,
            "title": lesson.title,
            "href": link(lesson.slug),
            "time": _time(lesson),
        }
        for lesson in LESSONS
    ]
    rows = [
        *(_path_item(path, link) for path in LEARNING_PATHS),
        *(_audience_item(*row, link) for row in AUDIENCES),
    ]
    return f"""<div class="ln-ways" data-lessons="{escape(json.dumps(lessons))}">
<p class="start"><a href="{escape(link(first.slug))}">Start</a>
<span><span>{escape(first.title)}</span><br><span>{_time(first)}</span></span></p>
<ul>
{join_lines(rows)}
</ul>
</div>"""


def lesson_cards(link: Link) -> str:
    """Return HTML cards of all lessons by section, with learning outcome and reading time.

    Args:
        link: Returns the `href` for a relative URL of the book.
    """
    sections = groupby(LESSONS, key=lambda lesson: lesson.section)
    lists = (_section(name, [_card(each, link) for each in lessons]) for name, lessons in sections)
    progress = '<p class="ln-progress"></p>'  # filled by the browser, which alone knows it
    return f'<div class="ln-cards">\n{progress}\n{join_lines(lists)}\n</div>'


def completion_marker(lesson: Lesson) -> str:
    """Return an empty HTML element; when it is scrolled into view, the lesson counts as read.

    Args:
        lesson: The lesson.
    """
    return f'<span class="ln-end" data-lesson="{lesson.slug}"></span>'


def _section(name: str, rows: Iterable[str]) -> str:
    return f"<h3>{escape(name)}</h3>\n<ul>\n{join_lines(rows)}\n</ul>"


def _path_item(path: LearningPath, link: Link) -> str:
    head = f"<b>{escape(path.time)}</b> <span>{escape(path.topic)}</span>"
    first, *others = path.lessons
    if not others:
        return f'<li><a href="{escape(link(path.address(first)))}">{head}</a></li>'
    lessons = (
        f'<li><a data-lesson="{each.slug}" href="{escape(link(path.address(each)))}">'
        f"{escape(each.title)}</a> <small>{_time(each)}</small></li>"
        for each in path.lessons
    )
    items = join_lines(lessons)
    return f"<li><details><summary>{head}</summary>\n<ol>\n{items}\n</ol>\n</details></li>"


def _audience_item(audience: str, content: str, address: str, link: Link) -> str:
    href = escape(link(address))
    return f'<li><a href="{href}"><b>{escape(audience)}</b> <span>{escape(content)}</span></a></li>'


def _card(lesson: Lesson, link: Link) -> str:
    able = escape(lesson.learning_outcome[0].upper() + lesson.learning_outcome[1:])
    return (
        f'<li><a data-lesson="{lesson.slug}" href="{escape(link(lesson.slug))}">'
        f"{escape(lesson.title)}</a>\n<p>{able}.</p>\n<small>{_time(lesson)}</small></li>"
    )


def _time(lesson: Lesson) -> str:
    return format_minutes(core_minutes(lesson))


def join_lines(parts: Iterable[str]) -> str:
    """Join strings with line breaks."""
    return "\n".join(parts)
