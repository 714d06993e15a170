"""What is asked in a room, what may be answered, and how it is said that something may not."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lnviz.errors import RequestError

FigureState = dict[str, str]
"""Positions of a figure's controls, by their names in the page's address."""

AnswerValue = int | float | FigureState
"""The place of an option from 0, a number, or a setting."""

Controls = Mapping[str, tuple[str, ...] | None]
"""What a setting may give to each control of a figure: one of these, or, at None, a number."""

MAX_CONTROLS = 16
MAX_TASK_LENGTH = 140  # letters
_NUMBER = re.compile(r"-?(\d{1,12}(\.\d{1,20})?|\.\d{1,20})(e[-+]?\d{1,3})?", re.ASCII)
_TEXT = re.compile(r"[\w.+:,/()%=*^-]{1,40}")
_POSITION = re.compile(r"[\w.+:,/()%=*^ -]{1,40}")


@dataclass(frozen=True)
class PollQuestion:
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

    def parse_answer(self, raw: Any) -> AnswerValue:
        """Return an answer, if it is one to this.

        Raises:
            RequestError: it is none.

        >>> PollQuestion("number").parse_answer(0.25)
        0.25
        """
        if self.kind == "setting":
            return parse_setting(raw, self.controls)
        if self.kind == "choice":
            return parse_int(raw, len(self.labels) - 1, "An answer", minimum=0)
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            raise RequestError("An answer is a number.", 422)
        number = float(raw) if abs(raw) < 1e300 else math.inf
        if not math.isfinite(number):
            raise RequestError("An answer is a number that can be drawn.", 422)
        return number


def parse_figure_state(raw: Any) -> FigureState:
    """Return where a figure stands, if it says that: what a teacher's own page says.

    Raises:
        RequestError: it is none.
    """
    if (
        not isinstance(raw, dict)
        or len(raw) > MAX_CONTROLS
        or not all(isinstance(text, str) and _POSITION.fullmatch(text) for text in raw.values())
        or not all(is_token(name) for name in raw)
    ):
        raise RequestError(
            f"A setting gives at most {MAX_CONTROLS} controls their values, as in "
            '{"size": "25"}; both are letters, digits and signs, 40 at most.',
            422,
        )
    return dict(raw)


def parse_setting(raw: Any, controls: Controls) -> FigureState:
    """Return a setting of a figure: what a wall shows must not be anybody's words.

    Raises:
        RequestError: it is none.

    >>> parse_setting({"norm": "batch", "size": "25"}, {"norm": ("batch", "layer"), "size": None})
    {'norm': 'batch', 'size': '25'}
    """
    named = parse_figure_state(raw)
    for name, text in named.items():
        if name not in controls:
            raise RequestError(f"This figure has no control {name!r}. Load the page again.", 422)
        allowed = controls[name]
        if allowed is None and not _NUMBER.fullmatch(text):
            raise RequestError(f"The control {name!r} takes a number.", 422)
        if allowed is not None and text not in allowed:
            raise RequestError(f"The control {name!r} is set to one of {', '.join(allowed)}.", 422)
    return named


def parse_task(raw: Any) -> str:
    """Return what a teacher asks for in a sentence of their own; "" for nothing.

    Raises:
        RequestError: it is no sentence, or a long one.
    """
    if not isinstance(raw, str) or len(raw) > MAX_TASK_LENGTH or not raw.isprintable():
        raise RequestError(f"A task is one line of at most {MAX_TASK_LENGTH} letters.", 422)
    return raw.strip()


def parse_int(raw: Any, maximum: int, name: str, minimum: int = 1) -> int:
    """Return a whole number within bounds.

    Raises:
        RequestError: it is none.
    """
    if isinstance(raw, bool) or not isinstance(raw, int) or not minimum <= raw <= maximum:
        raise RequestError(f"{name} is a whole number from {minimum} to {maximum}.", 422)
    return raw


def is_token(text: str) -> bool:
    """Whether it can be a name or a value in an address: letters, digits and a few signs."""
    return bool(_TEXT.fullmatch(text))
