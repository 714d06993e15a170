"""The lessons, in reading order."""

from lnviz.lessons import axes, gain_bias, geometry, invariance, recurrence
from lnviz.lessons.lesson import Figure, Lesson, Question

LESSONS: tuple[Lesson, ...] = (
    axes.LESSON,
    gain_bias.LESSON,
    invariance.LESSON,
    geometry.LESSON,
    recurrence.LESSON,
)


def find(slug: str) -> Lesson | None:
    """The lesson at an address."""
    return next((lesson for lesson in LESSONS if lesson.slug == slug), None)


__all__ = ["LESSONS", "Figure", "Lesson", "Question", "find"]
