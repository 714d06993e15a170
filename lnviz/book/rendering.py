"""The parts of a page as HTML: for the export, and for the present view of a lesson."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lnviz.lessons import Asked, Figure, Fold, Table, exercise_html, prose, tables

Part = str | Figure | Table | Asked | Fold


@dataclass(frozen=True)
class Rendering:
    """How parts become HTML where a page stands.

    Attributes:
        link: turns the address of a link into the one that is written.
        place: gives the HTML of a figure's place, which a script fills.
    """

    link: Callable[[str], str]
    place: Callable[[Figure], str]

    def html(self, part: Part, name: str = "prose") -> str:
        """Return a part of a page as HTML.

        Args:
            part: prose (Markdown), a figure, a table, what is asked, or a fold.
            name: the HTML class that prose gets.
        """
        if isinstance(part, Figure):
            return self.place(part)
        if isinstance(part, Table):
            return tables.html(part, self.link)
        if isinstance(part, Asked):
            return exercise_html.html(part, self.link)
        if isinstance(part, Fold):
            text, title = prose.html(part.text, self.link), prose.inline(part.title, self.link)
            return f'<details class="prose fold"><summary>{title}</summary>{text}</details>'
        return f'<div class="{name}">\n{prose.html(part, self.link)}</div>'
