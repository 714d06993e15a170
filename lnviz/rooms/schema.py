"""Validation of data that clients send to rooms: questions, answers and figure states."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lnviz.errors import RequestError

FigureState = dict[str, str]
"""Values of a figure's controls, by the names that the page's URL uses."""

AnswerValue = int | float | FigureState
"""An answer: the index of an option, a number, or the state of a figure ("setting")."""

Controls = Mapping[str, tuple[str, ...] | None]
"""Controls of a figure that a setting may contain: their allowed values, or None for a number."""

MAX_CONTROLS = 16
MAX_TASK_LENGTH = 140
MAX_QUESTION_LENGTH = 200  # of a presenter's own question
MAX_OPTIONS = 6
MAX_OPTION_LENGTH = 80
LETTERS = "ABCDEF"
_NUMBER = re.compile(r"-?(\d{1,12}(\.\d{1,20})?|\.\d{1,20})(e[-+]?\d{1,3})?", re.ASCII)
_TOKEN = re.compile(r"[\w.+:,/()%=*^-]{1,40}")
MAX_VALUE_LENGTH = 2_000  # of a parameter, which may be a text of the presenter's
_CONTROL_VALUE = re.compile(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]+")


@dataclass(frozen=True)
class PollQuestion:
    """A poll's question: type, option labels, right answer and figure controls.

    The text of a lesson's question is in the lesson.

    Attributes:
        kind: Type of the answers: one of several options, a number, or the state of a figure.
        labels: Letters of the options; empty if there are none.
        right: Index of the right option; None if there are no options, or none is right.
        controls: Controls that a setting may contain.
        text: Text of a presenter's own question; "" for a lesson's question.
        options: Texts of the options of a presenter's own question.
    """

    kind: Literal["choice", "number", "setting"]
    labels: tuple[str, ...] = ()
    right: int | None = None
    controls: Controls = field(default_factory=dict)
    text: str = ""
    options: tuple[str, ...] = ()

    def parse_answer(self, raw: Any) -> AnswerValue:
        """Validate a client's answer to this question, and return it.

        Raises:
            RequestError: It is not an answer of this type.

        >>> PollQuestion("number").parse_answer(0.25)
        0.25
        """
        if self.kind == "setting":
            return parse_setting(raw, self.controls)
        if self.kind == "choice":
            return parse_int(raw, len(self.labels) - 1, "An answer", minimum=0)
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            raise RequestError("An answer must be a number.", 422)
        number = float(raw) if abs(raw) < 1e300 else math.inf
        if not math.isfinite(number):
            raise RequestError("An answer must be a finite number in range.", 422)
        return number


@dataclass(frozen=True)
class QuestionText:
    """The words of a screen's question, for tables of answers.

    Attributes:
        text: The question or the task.
        options: Texts of the options.
        controls: Labels of the figure's controls, by name.
        values: Labels of the controls' values, by control and value.
    """

    text: str = ""
    options: tuple[str, ...] = ()
    controls: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[tuple[str, str], str] = field(default_factory=dict)


def parse_figure_state(raw: Any) -> FigureState:
    """Validate the structure of a figure state and the length of its values, and return it.

    This is sufficient for data from a presenter, who may share a text with all phones; see
    `parse_setting` for participants.

    Raises:
        RequestError: It is not a figure state.
    """
    if (
        not isinstance(raw, dict)
        or len(raw) > MAX_CONTROLS
        or not all(
            isinstance(text, str)
            and len(text) <= MAX_VALUE_LENGTH
            and _CONTROL_VALUE.fullmatch(text)
            for text in raw.values()
        )
        or not all(is_token(name) for name in raw)
    ):
        raise RequestError(
            f"A setting must name at most {MAX_CONTROLS} controls with their values, as in "
            '{"size": "25"}. Names have at most 40 letters, digits and signs, and values at most '
            f"{MAX_VALUE_LENGTH:,} characters.",
            422,
        )
    return dict(raw)


def parse_setting(raw: Any, controls: Controls) -> FigureState:
    """Validate a participant's settings of a figure's controls, and return the settings.

    Only values that a control can take are accepted, since the projector shows them to a class.

    Raises:
        RequestError: It is not a state of these controls.

    >>> parse_setting({"norm": "batch", "size": "25"}, {"norm": ("batch", "layer"), "size": None})
    {'norm': 'batch', 'size': '25'}
    """
    setting = parse_figure_state(raw)
    if not setting:
        raise RequestError("Choose something in the figure before you hand in a setting.", 422)
    for name, text in setting.items():
        if name not in controls:
            raise RequestError(f"This figure has no control {name!r}. Reload the page.", 422)
        allowed = controls[name]
        if allowed is None and not _NUMBER.fullmatch(text):
            raise RequestError(f"The control {name!r} must be set to a number.", 422)
        if allowed is not None and text not in allowed:
            raise RequestError(
                f"The control {name!r} must be set to one of {', '.join(allowed)}.", 422
            )
    return setting


def parse_task(raw: Any) -> str:
    """Validate a presenter's task for the class, and return it without leading or trailing spaces.

    Raises:
        RequestError: It is not one line of at most `MAX_TASK_LENGTH` printable characters.
    """
    return parse_line(raw, MAX_TASK_LENGTH, "A task")


def parse_line(raw: Any, max_length: int, name: str) -> str:
    """Validate a line of text, and return it without surrounding spaces.

    Args:
        raw: Text as received.
        max_length: Maximum number of characters.
        name: Subject of the error message, such as "A task".

    Raises:
        RequestError: It is not one line of at most `max_length` printable characters.
    """
    if not isinstance(raw, str) or len(raw) > max_length or not raw.isprintable():
        raise RequestError(f"{name} must be one line of at most {max_length} characters.", 422)
    return raw.strip()


def parse_own_question(raw: Any) -> PollQuestion:
    """Validate a presenter's own question, and return it.

    Args:
        raw: A JSON object with the `text`, and for a choice, `options`, the texts of the options,
            and optionally `right`, the index of the right one. Without options, answers are
            numbers.

    Raises:
        RequestError: It is not such a question.

    >>> parse_own_question({"text": "Which norm?", "options": ["Batch", "Layer"], "right": 1})
    ... # doctest: +NORMALIZE_WHITESPACE
    PollQuestion(kind='choice', labels=('A', 'B'), right=1, controls={}, text='Which norm?',
                 options=('Batch', 'Layer'))
    """
    if not isinstance(raw, dict):
        raise RequestError("A question has a text, and for a choice, a list of options.", 422)
    text = parse_line(raw.get("text"), MAX_QUESTION_LENGTH, "A question")
    listed = raw.get("options", [])
    if not isinstance(listed, list) or len(listed) == 1 or len(listed) > MAX_OPTIONS:
        raise RequestError(f"A choice has 2 to {MAX_OPTIONS} options.", 422)
    options = tuple(parse_line(option, MAX_OPTION_LENGTH, "An option") for option in listed)
    if not text or not all(options):
        raise RequestError("Write the question and all of its options.", 422)
    if not options:
        return PollQuestion("number", text=text)
    right = raw.get("right")
    if right is not None:
        right = parse_int(right, len(options) - 1, "The right option", minimum=0)
    return PollQuestion("choice", tuple(LETTERS[: len(options)]), right, {}, text, options)


def parse_int(raw: Any, maximum: int, name: str, minimum: int = 1) -> int:
    """Validate an integer from `minimum` to `maximum`, and return it.

    Args:
        raw: Value as received.
        maximum: Largest valid value.
        name: Subject of the error message, such as "A round".
        minimum: Smallest valid value.

    Raises:
        RequestError: It is not such an integer.
    """
    if isinstance(raw, bool) or not isinstance(raw, int) or not minimum <= raw <= maximum:
        raise RequestError(f"{name} must be a whole number from {minimum} to {maximum}.", 422)
    return raw


def is_token(text: str) -> bool:
    """Return whether text is a valid name in a URL: 1 to 40 letters, digits, some punctuation."""
    return bool(_TOKEN.fullmatch(text))
