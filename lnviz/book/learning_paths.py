"""Ways through the lessons, and the lists that the home page makes of them, as HTML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from itertools import groupby

from lnviz.book.duration import core_minutes
from lnviz.lessons import LESSONS, Lesson
from lnviz.lessons.sections import in_minutes

Link = Callable[[str], str]
"""Turns an address into what leads there from where the page stands."""


@dataclass(frozen=True)
class LearningPath:
    """A way through some lessons, for who has so much time.

    Attributes:
        time: How long it takes, in words.
        answers: What it answers.
        slugs: Its lessons, in the order in which they are read.
    """

    time: str
    topic: str
    slugs: tuple[str, ...]

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Its lessons, in the order in which they are read."""
        known = {lesson.slug: lesson for lesson in LESSONS}
        return tuple(known[slug] for slug in self.slugs if slug in known)

    @property
    def minutes(self) -> int:
        """Minutes that the cores of all its lessons take."""
        return sum(map(core_minutes, self.lessons))


LEARNING_PATHS = (
    LearningPath("5 minutes", "What it does", ("axes",)),
    LearningPath("15 minutes", "Why Transformers put it where they do", ("why", "placement")),
    LearningPath(
        "An hour",
        "From zero",
        (
            "why",
            "axes",
            "gain-bias",
            "batch",
            "images",
            "invariance",
            "placement",
            "rmsnorm",
            "playground",
        ),
    ),
)
AUDIENCES = (
    ("For teachers", "Plans, answers, slides", "teach"),
    ("For engineers", "Norms that misbehave", "practice"),
)
"""Ways for readers who come with a purpose: for whom, what is there, and the address."""


def starting_points(link: Link) -> str:
    """Return the one way to start, the routes, and the ways for others.

    Args:
        link: turns an address into what leads there from where the page stands.
    """
    first, *_ = LESSONS
    known = [
        {
            "slug": lesson.slug,
            "title": lesson.title,
            "href": link(lesson.slug),
            "time": _time(lesson),
        }
        for lesson in LESSONS
    ]
    rows = [
        *(_path_item(route, link) for route in LEARNING_PATHS),
        *(_audience_item(*row, link) for row in AUDIENCES),
    ]
    return f"""<div class="ln-ways" data-lessons="{escape(json.dumps(known))}">
<p class="start"><a href="{escape(link(first.slug))}">Start</a>
<span><span>{escape(first.title)}</span><br><span>{_time(first)}</span></span></p>
<ul>
{join_lines(rows)}
</ul>
</div>"""


def lesson_cards(link: Link) -> str:
    """Return all lessons by section: what each is good for, and how long it takes.

    Args:
        link: turns an address into what leads there from where the page stands.
    """
    sections = groupby(LESSONS, key=lambda lesson: lesson.section)
    lists = (_section(name, [_card(each, link) for each in lessons]) for name, lessons in sections)
    sum_read = '<p class="ln-progress"></p>'  # of which the reader's browser alone knows
    return f'<div class="ln-cards">\n{sum_read}\n{join_lines(lists)}\n</div>'


def completion_marker(lesson: Lesson) -> str:
    """Return what stands at the end of a lesson's core: who has looked at it has read the lesson.

    Args:
        lesson: the lesson.
    """
    return f'<span class="ln-end" data-lesson="{lesson.slug}"></span>'


def _section(name: str, rows: Iterable[str]) -> str:
    return f"<h3>{escape(name)}</h3>\n<ul>\n{join_lines(rows)}\n</ul>"


def _path_item(route: LearningPath, link: Link) -> str:
    head = f"<b>{escape(route.time)}</b> <span>{escape(route.topic)}</span>"
    first, *others = route.lessons
    if not others:
        return f'<li><a href="{escape(link(first.slug))}">{head}</a></li>'
    lessons = (
        f'<li><a data-lesson="{each.slug}" href="{escape(link(each.slug))}">'
        f"{escape(each.title)}</a> <small>{_time(each)}</small></li>"
        for each in route.lessons
    )
    items = join_lines(lessons)
    return f"<li><details><summary>{head}</summary>\n<ol>\n{items}\n</ol>\n</details></li>"


def _audience_item(who: str, what: str, address: str, link: Link) -> str:
    href = escape(link(address))
    return f'<li><a href="{href}"><b>{escape(who)}</b> <span>{escape(what)}</span></a></li>'


def _card(lesson: Lesson, link: Link) -> str:
    able = escape(lesson.able[0].upper() + lesson.able[1:])
    return (
        f'<li><a data-lesson="{lesson.slug}" href="{escape(link(lesson.slug))}">'
        f"{escape(lesson.title)}</a>\n<p>{able}.</p>\n<small>{_time(lesson)}</small></li>"
    )


def _time(lesson: Lesson) -> str:
    return in_minutes(core_minutes(lesson))


def join_lines(parts: Iterable[str]) -> str:
    """Write parts one below the other."""
    return "\n".join(parts)
