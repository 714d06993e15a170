"""What pretend students may answer, where there is more than options to choose from."""

from __future__ import annotations

from decimal import Decimal
from random import Random

from lnviz.book.present.deck import deck
from lnviz.book.present.document import document
from lnviz.rooms.rehearsing import PRETENDING
from lnviz.rooms.values import Value
from lnviz.web.payloads import LIGHT

MOVED = ("slider", "choice", "stepper")
"""Kinds of controls whose positions are a setting."""


def examples(lesson: str, screen: str | int) -> list[Value]:
    """Return what students might give where there are no options.

    Numbers are right, and off by what is usual; settings are any that the figure can take, if it is
    computed in a moment.
    """
    figure = deck(lesson).screen(screen).figure
    if figure is not None:
        values = figure.parse({})
        if figure.cost(values) >= LIGHT:
            return []
        chance, controls = Random(), figure.payload(values)["controls"]
        moved = {each["slug"]: each["values"] for each in controls if each["kind"] in MOVED}
        return [
            {slug: _written(chance.choice(there)) for slug, there in moved.items()}
            for _ in range(PRETENDING)
        ]
    asks = document(lesson, screen, link=str, explorables="")["asked"]
    value = asks["value"] if asks and asks["kind"] == "number" else None
    return [value * factor for factor in (1, 1, 1, 2, 0.5, 10)] if value is not None else []


def _written(value: str | float) -> str:
    """A control's value as a browser writes it.

    >>> [_written(value) for value in ("batch", 16.0, 0.25, 1e-05, 1e-07)]
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
