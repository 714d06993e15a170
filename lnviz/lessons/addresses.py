"""What the address calls the controls of figures, which are fetched only when they are shown.

A page has to know whether its address has a value for a figure that is closed, and the figures
themselves would have to be computed to say it. `python -m lnviz new addresses` writes their names
into `addresses.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from lnviz.explorable import Explorable
from lnviz.lessons.lesson import Figure, Lesson

FILE = Path(__file__).with_suffix(".json")


def names(slug: str, figure: Figure) -> list[str]:
    """Return what an address may give a closed figure of a lesson: parameters and controls."""
    known = _stored().get(slug, {}).get(figure.name, [])
    return [*(parameter.name for parameter in figure.parameters), *known]


def controls(explorable: Explorable) -> list[str]:
    """Return the names that a figure's controls have in an address."""
    return [control["slug"] for control in explorable.payload()["controls"]]


def closed(lesson: Lesson) -> list[Figure]:
    """Return the figures of a lesson that are closed as it arrives."""
    parts = (part for deeper in lesson.deeper for part in deeper.parts)
    return [part for part in parts if isinstance(part, Figure)]


def renewed(lessons: Iterable[Lesson]) -> str:
    """Return the file as it is now. It computes all figures at rest, since any may be closed."""
    found = {
        lesson.slug: {
            figure.name: controls(figure.build(**figure.parse({}))) for figure in lesson.figures
        }
        for lesson in lessons
        if lesson.figures
    }
    return json.dumps(found, indent=1) + "\n"


@cache
def _stored() -> dict[str, dict[str, list[str]]]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))
