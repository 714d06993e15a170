"""Ways through the lessons, and the lists that the home page makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from lnviz.book.duration import minutes
from lnviz.lessons import LESSONS, Lesson
from lnviz.lessons.text import anchor


@dataclass(frozen=True)
class Path:
    """A way through the lessons for one kind of reader.

    Which lessons are on it, each of them says itself, by the path's key in `Lesson.paths`.

    Args:
        key: What a lesson calls it.
        title: What it is called, in the reader's words.
        why: For whom it is, and what it leads to.
        begins: The address of the lesson that it begins with, where that is not the first of its
            lessons in reading order.
    """

    key: str
    title: str
    why: str
    begins: str = ""

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """The path's lessons: the one that it begins with, then the others in reading order."""
        members = (lesson for lesson in LESSONS if self.key in lesson.paths)
        return tuple(sorted(members, key=lambda lesson: lesson.slug != self.begins))

    @property
    def minutes(self) -> int:
        """Minutes that all of it takes."""
        return sum(map(minutes, self.lessons))


PATHS = (
    Path("zero", "An hour from zero", "Nothing is taken for granted: what a norm does, and why."),
    Path(
        "batch-norm",
        "I know BatchNorm",
        "The same arithmetic along another axis, and what changes with it.",
    ),
    Path(
        "transformer",
        "My Transformer diverges",
        "Where the norm stands, which one it is, and what it does to a step of training.",
        begins="placement",
    ),
)


def ways() -> str:
    """Write the paths by name, as Markdown links to their lists."""
    links = [f"[{path.title}](#{anchor(path.title)})" for path in PATHS]
    return f"**Where to begin:** {' · '.join(links)} · [all lessons](#all-lessons)"


def listed() -> str:
    """Write the paths as Markdown: how long each lesson takes, and what it is good for."""
    return "\n\n".join(
        f"## {path.title}\n\n{path.why} {_duration(path.minutes)}.\n\n"
        + "\n".join(f"{n}. {_entry(lesson)}" for n, lesson in enumerate(path.lessons, 1))
        for path in PATHS
    )


def contents() -> str:
    """Write all lessons by section, as Markdown."""
    return "\n\n".join(
        f"**{section}:** " + " · ".join(f"[{lesson.title}]({lesson.slug})" for lesson in lessons)
        for section, lessons in groupby(LESSONS, key=lambda lesson: lesson.section)
    )


def _entry(lesson: Lesson) -> str:
    able = lesson.able[0].upper() + lesson.able[1:]
    return f"[{lesson.title}]({lesson.slug}) · {minutes(lesson)} minutes  \n   {able}."


def _duration(total: int) -> str:
    """How long, in words, to five minutes.

    >>> _duration(62), _duration(118), _duration(48)
    ('About an hour', 'About 2 hours', 'About 50 minutes')
    """
    rounded = 5 * round(total / 5)
    hours, rest = divmod(rounded, 60)
    if not hours:
        return f"About {rest} minutes"
    whole = "an hour" if hours == 1 else f"{hours} hours"
    return f"About {whole}" + (f" and {rest} minutes" if rest else "")
