"""What is asked in a room, what may be answered, and how it is said that something may not."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Literal

Pose = dict[str, str]
"""Positions of a figure's controls, by their names in the page's address."""

Value = int | float | Pose
"""The place of an option from 0, a number, or a setting."""

CONTROLS = 16
_TEXT = re.compile(r"[\w.+:,/()%=*^-]{1,40}")


class Refused(Exception):
    """What cannot be done; the message says why and what to do.

    Attributes:
        status: what it is in HTTP: 409 where the room has moved on.
        seconds: after which to try again; 0 where that is no use.
        more: what else whoever asks should know, such as the room as it stands.
    """

    def __init__(self, message: str, status: int = 409, seconds: int = 0, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.seconds = seconds
        self.more = more


@dataclass(frozen=True)
class Asking:
    """What a screen asks.

    Attributes:
        kind: one of several options, a number, or the setting of a figure.
        labels: the letters of the options; empty where there are none.
        right: the place of the right option; None where there are no options.
    """

    kind: Literal["choice", "number", "setting"]
    labels: tuple[str, ...] = ()
    right: int | None = None

    def value(self, given: Any) -> Value:
        """Return an answer, if it is one to this.

        Raises:
            Refused: it is none.

        >>> Asking("choice", ("A", "B")).value(1), Asking("number").value(0.25)
        (1, 0.25)
        """
        if self.kind == "setting":
            return pose(given)
        if self.kind == "choice":
            return count(given, len(self.labels) - 1, "An answer", least=0)
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise Refused("An answer is a number.", 422)
        number = float(given) if abs(given) < 1e300 else math.inf
        if not math.isfinite(number):
            raise Refused("An answer is a number that can be drawn.", 422)
        return number


def pose(given: Any) -> Pose:
    """Return a setting, if it is one: there is no room for a sentence in it.

    Raises:
        Refused: it is none.
    """
    if (
        not isinstance(given, dict)
        or len(given) > CONTROLS
        or not all(isinstance(text, str) and is_text(text) for text in given.values())
        or not all(is_text(name) for name in given)
    ):
        raise Refused(
            f"A setting gives at most {CONTROLS} controls their values, as in "
            '{"size": "25"}; both are letters, digits and signs, 40 at most.',
            422,
        )
    return dict(given)


def count(given: Any, most: int, what: str, least: int = 1) -> int:
    """Return a whole number within bounds.

    Raises:
        Refused: it is none.
    """
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise Refused(f"{what} is a whole number from {least} to {most}.", 422)
    return given


def is_text(text: str) -> bool:
    """Whether it can be a name or a value in an address: letters, digits and a few signs."""
    return bool(_TEXT.fullmatch(text))
