"""What a page puts below a figure, by the name that a lesson's text gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lnviz.lessons import Lesson
from lnviz.web.panels import check, upload


@dataclass(frozen=True)
class Panel:
    """A part of a page that runs on the server.

    Attributes:
        show: Puts it on the page.
        sets: The parameters that it sets on the figures of its lesson, once, if there are any.
    """

    show: Callable[[], None]
    sets: Callable[[Lesson], Mapping[str, str] | None] = lambda _: None


PANELS: Mapping[str, Panel] = {
    "check": Panel(check.panel),
    "upload": Panel(upload.panel, upload.pending),
}
