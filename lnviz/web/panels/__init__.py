"""What a page puts below a figure, by the name that a lesson's text gives it."""

from collections.abc import Callable, Mapping

from lnviz.lessons import Lesson
from lnviz.web.panels import check, written

PANELS: Mapping[str, Callable[[Lesson], None]] = {
    "check": check.panel,
    "ways": lambda _: written.panel("ways"),
    "lessons": lambda _: written.panel("lessons"),
}
