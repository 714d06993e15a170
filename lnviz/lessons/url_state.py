"""What the address calls the controls of figures and their positions, without the figures.

A page has to know whether its address has a value for a figure that is closed, and a room whether
a setting is one: the figures themselves would have to be computed to say it.
`python -m lnviz new addresses` writes it into `url_state.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lnviz.explorable import Explorable
from lnviz.explorable.parameters import EnumParameter, IntParameter
from lnviz.lessons.lesson import Figure, Lesson

FILE = Path(__file__).with_suffix(".json")

Values = tuple[str, ...] | None
"""What an address may give a control: one of these, or, where it is None, a number."""


def names(slug: str, figure: Figure) -> list[str]:
    """Return what an address may give a closed figure of a lesson: parameters and controls."""
    known = _stored().get(slug, {}).get(figure.name, {})
    return [*(parameter.name for parameter in figure.parameters), *known]


def settings(slug: str, figure: Figure) -> dict[str, Values]:
    """Return what a setting of a figure may give to each of its controls and parameters.

    What a visitor has written or brought is none of it.
    """
    known = _stored().get(slug, {}).get(figure.name, {})
    found: dict[str, Values] = {
        name: None if values is None else tuple(values) for name, values in known.items()
    }
    for parameter in figure.parameters:
        match parameter:
            case EnumParameter():
                found[parameter.name] = tuple(option.value for option in parameter.options)
            case IntParameter():
                found[parameter.name] = None
    return found


def controls(explorable: Explorable) -> dict[str, list[str] | None]:
    """Return the names that a figure's controls have in an address, and the values of choices."""
    return {
        control["slug"]: None if control["kind"] in ("slider", "pointer") else control["values"]
        for control in explorable.payload()["controls"]
    }


def renewed(pages: Iterable[Lesson], anew: Iterable[Lesson]) -> str:
    """Return the file as it is now.

    Args:
        pages: All there are; of others nothing is kept.
        anew: Those of which all figures are computed, since any may be closed.
    """
    known = _stored() | {
        lesson.slug: {figure.name: _all(figure) for figure in lesson.figures}
        for lesson in anew
        if lesson.figures
    }
    kept = {page.slug: known[page.slug] for page in pages if page.slug in known}
    return json.dumps(kept, indent=1) + "\n"


def _all(figure: Figure) -> dict[str, list[str] | None]:
    """The controls of a figure, with the options that there are at any option of a parameter."""
    found: dict[str, list[str] | None] = {}
    for query in _queries(figure):
        for name, values in controls(figure.build(**figure.parse(query))).items():
            known = found.setdefault(name, values)
            if known is not None and values is not None:
                known += [value for value in values if value not in known]
    return found


def _queries(figure: Figure) -> Iterator[Mapping[str, str]]:
    """The figure at rest, and at each other option of what the server itself has."""
    yield {}
    for parameter in figure.parameters:
        if isinstance(parameter, EnumParameter):
            others = (o.value for o in parameter.options if o.value != parameter.start)
            yield from (
                {parameter.name: value} for value in others if value not in parameter.server_only
            )


@cache
def _stored() -> dict[str, dict[str, dict[str, Any]]]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))
