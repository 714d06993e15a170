"""What is asked in a room, what may be answered, and how it is said that something may not."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lnviz.errors import RequestError

Pose = dict[str, str]
"""Positions of a figure's controls, by their names in the page's address."""

Value = int | float | Pose
"""The place of an option from 0, a number, or a setting."""

Controls = Mapping[str, tuple[str, ...] | None]
"""What a setting may give to each control of a figure: one of these, or, at None, a number."""

CONTROLS = 16
TASK = 140  # letters
_NUMBER = re.compile(r"-?(\d{1,12}(\.\d{1,20})?|\.\d{1,20})(e[-+]?\d{1,3})?", re.ASCII)
_TEXT = re.compile(r"[\w.+:,/()%=*^-]{1,40}")
_POSITION = re.compile(r"[\w.+:,/()%=*^ -]{1,40}")


@dataclass(frozen=True)
class Asking:
    """What a screen asks.

    Attributes:
        kind: one of several options, a number, or the setting of a figure.
        labels: the letters of the options; empty where there are none.
        right: the place of the right option; None where there are no options.
        controls: what a setting may give to the controls of the figure.
    """

    kind: Literal["choice", "number", "setting"]
    labels: tuple[str, ...] = ()
    right: int | None = None
    controls: Controls = field(default_factory=dict)

    def value(self, given: Any) -> Value:
        """Return an answer, if it is one to this.

        Raises:
            RequestError: it is none.

        >>> Asking("choice", ("A", "B")).value(1), Asking("number").value(0.25)
        (1, 0.25)
        """
        if self.kind == "setting":
            return setting(given, self.controls)
        if self.kind == "choice":
            return count(given, len(self.labels) - 1, "An answer", least=0)
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise RequestError("An answer is a number.", 422)
        number = float(given) if abs(given) < 1e300 else math.inf
        if not math.isfinite(number):
            raise RequestError("An answer is a number that can be drawn.", 422)
        return number


def pose(given: Any) -> Pose:
    """Return where a figure stands, if it says that: what a teacher's own page says.

    Raises:
        RequestError: it is none.
    """
    if (
        not isinstance(given, dict)
        or len(given) > CONTROLS
        or not all(isinstance(text, str) and _POSITION.fullmatch(text) for text in given.values())
        or not all(is_text(name) for name in given)
    ):
        raise RequestError(
            f"A setting gives at most {CONTROLS} controls their values, as in "
            '{"size": "25"}; both are letters, digits and signs, 40 at most.',
            422,
        )
    return dict(given)


def setting(given: Any, controls: Controls) -> Pose:
    """Return a setting of a figure: what a wall shows must not be anybody's words.

    Raises:
        RequestError: it is none.

    >>> setting({"norm": "batch", "size": "25"}, {"norm": ("batch", "layer"), "size": None})
    {'norm': 'batch', 'size': '25'}
    """
    named = pose(given)
    for name, text in named.items():
        if name not in controls:
            raise RequestError(f"This figure has no control {name!r}. Load the page again.", 422)
        allowed = controls[name]
        if allowed is None and not _NUMBER.fullmatch(text):
            raise RequestError(f"The control {name!r} takes a number.", 422)
        if allowed is not None and text not in allowed:
            raise RequestError(f"The control {name!r} is set to one of {', '.join(allowed)}.", 422)
    return named


def task(given: Any) -> str:
    """Return what a teacher asks for in a sentence of their own; "" for nothing.

    Raises:
        RequestError: it is no sentence, or a long one.
    """
    if not isinstance(given, str) or len(given) > TASK or not given.isprintable():
        raise RequestError(f"A task is one line of at most {TASK} letters.", 422)
    return given.strip()


def count(given: Any, most: int, what: str, least: int = 1) -> int:
    """Return a whole number within bounds.

    Raises:
        RequestError: it is none.
    """
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise RequestError(f"{what} is a whole number from {least} to {most}.", 422)
    return given


def is_text(text: str) -> bool:
    """Whether it can be a name or a value in an address: letters, digits and a few signs."""
    return bool(_TEXT.fullmatch(text))
