"""Ways through the lessons, and the lists that the home page makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from lnviz.book.reading import minutes
from lnviz.lessons import LESSONS, Lesson
from lnviz.lessons.text import anchor


@dataclass(frozen=True)
class Path:
    """A way through the lessons for one kind of reader.

    Args:
        title: What it is called, in the reader's words.
        why: For whom it is, and what it leads to.
        slugs: Its lessons, in order.
    """

    title: str
    why: str
    slugs: tuple[str, ...]

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Its lessons, in order."""
        known = {lesson.slug: lesson for lesson in LESSONS}
        return tuple(known[slug] for slug in self.slugs)

    @property
    def minutes(self) -> int:
        """Minutes that all of it takes."""
        return sum(map(minutes, self.lessons))


PATHS = (
    Path(
        "An hour from zero",
        "Nothing is taken for granted: what a norm does, and why.",
        ("why", "axes", "gain-bias", "batch", "invariance"),
    ),
    Path(
        "I know BatchNorm",
        "The same arithmetic along another axis, and what changes with it.",
        ("axes", "batch", "images", "recurrence", "results", "lab"),
    ),
    Path(
        "My Transformer diverges",
        "Where the norm stands, which one it is, and what it does to a step of training.",
        ("placement", "geometry", "rmsnorm", "cost", "successors", "inside"),
    ),
)


def ways() -> str:
    """The paths by name, as Markdown links to their lists."""
    links = [f"[{path.title}](#{anchor(path.title)})" for path in PATHS]
    return f"**Where to begin:** {' · '.join(links)} · [all lessons](#all-lessons)"


def listed() -> str:
    """The paths as Markdown: for each lesson how long it takes, and what it is good for."""
    return "\n\n".join(
        f"## {path.title}\n\n{path.why} {_duration(path.minutes)}.\n\n"
        + "\n".join(f"{n}. {_entry(lesson)}" for n, lesson in enumerate(path.lessons, 1))
        for path in PATHS
    )


def contents() -> str:
    """All lessons by section, as Markdown."""
    return "\n\n".join(
        f"**{section}:** " + " · ".join(f"[{each.title}]({each.slug})" for each in members)
        for section, members in groupby(LESSONS, key=lambda lesson: lesson.section)
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
