"""Index of the names and values that URLs may use for the controls of figures.

With the index, figures need not be computed to find whether a URL sets a control of a figure in a
closed section, or whether a setting that a participant submits in a room is valid. `python -m lnviz
new addresses` writes the index to `url_state.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from lnviz.explorable import Explorable
from lnviz.explorable.parameters import EnumParameter, IntParameter
from lnviz.lessons.lesson import FigureSpec, Lesson

FILE = Path(__file__).with_suffix(".json")

Values = tuple[str, ...] | None
"""The values that a URL may give a control; None allows any number."""


def url_names(slug: str, figure: FigureSpec) -> list[str]:
    """Return the names that URLs may set for a figure: its parameters and controls."""
    known = _load().get(slug, {}).get(figure.name, {})
    return [*(parameter.name for parameter in figure.parameters), *known]


def allowed_settings(slug: str, figure: FigureSpec) -> dict[str, Values]:
    """Return the allowed values of each control and parameter of a figure, by name.

    Free text and users' own data are excluded.
    """
    known = _load().get(slug, {}).get(figure.name, {})
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


def url_controls(explorable: Explorable) -> dict[str, list[str] | None]:
    """Return the URL names of a figure's controls, with the allowed values of choices."""
    return {
        control["slug"]: None if control["kind"] in ("slider", "pointer") else control["values"]
        for control in explorable.payload()["controls"]
    }


def value_text(value: str | float) -> str:
    """Return a control's value as text, formatted as JavaScript does, for URLs.

    >>> [value_text(value) for value in ("batch", 16.0, 0.25, 1e-05, 1e-07)]
    ['batch', '16', '0.25', '0.00001', '1e-7']
    """
    if isinstance(value, str):
        return value
    if value == int(value):
        return str(int(value))
    digits = repr(value)
    if abs(value) < 1e-6:
        return digits.replace("e-0", "e-")
    return format(Decimal(digits), "f")


def regenerate(pages: Iterable[Lesson], anew: Iterable[Lesson]) -> str:
    """Return the index of URL names and values as JSON, with some lessons recomputed.

    Args:
        pages: All pages; entries of other pages are removed.
        anew: The lessons whose figures are recomputed.
    """
    known = _load() | {
        lesson.slug: {figure.name: _all_url_controls(figure) for figure in lesson.figures}
        for lesson in anew
        if lesson.figures
    }
    kept = {page.slug: known[page.slug] for page in pages if page.slug in known}
    return json.dumps(kept, indent=1) + "\n"


def _all_url_controls(figure: FigureSpec) -> dict[str, list[str] | None]:
    """Return a figure's controls, with all options that they have for any value of a parameter."""
    found: dict[str, list[str] | None] = {}
    for query in _queries(figure):
        for name, values in url_controls(figure.build(**figure.parse(query))).items():
            known = found.setdefault(name, values)
            if known is not None and values is not None:
                known += [value for value in values if value not in known]
    return found


def _queries(figure: FigureSpec) -> Iterator[Mapping[str, str]]:
    """Yield the empty URL query, and one for each other built-in option of each parameter."""
    yield {}
    for parameter in figure.parameters:
        if isinstance(parameter, EnumParameter):
            others = (o.value for o in parameter.options if o.value != parameter.start)
            yield from (
                {parameter.name: value} for value in others if value not in parameter.server_only
            )


@cache
def _load() -> dict[str, dict[str, dict[str, Any]]]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))
