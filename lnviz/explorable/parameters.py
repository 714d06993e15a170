"""URL parameters of a figure: inputs of its computation on the server."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lnviz.explorable.controls import Option

MAX_LISTED_NAMES = 3  # unknown names in an error message
MAX_NAME_LENGTH = 24  # characters of each
JOB_ID = re.compile("[0-9a-f]{16}")


class ParameterError(ValueError):
    """Error: a figure's URL has unknown parameters or values that are not allowed.

    The message has a line for each problem.

    Attributes:
        nearest: The closest allowed parameters, as values of a URL query by name.
    """

    def __init__(self, message: str, nearest: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.nearest = dict(nearest or {})


CUSTOM_LABELS = {"table": "your own numbers", "run": "your own run", "points": "your own points"}
"""The label of data that a visitor supplies, by kind: an uploaded table, a saved run of `watch`, or
points drawn in the figure."""

CUSTOM = "own"
"""In `when`, matches every value that names a user's own data."""


class ExpiredDataError(ParameterError):
    """Error: a URL parameter names a user's data that the server has deleted."""


@dataclass(frozen=True)
class EnumParameter:
    """A URL parameter with a few named values.

    Args:
        name: The name in the URL.
        label: The label on the page.
        options: The values to choose from.
        start: The value if the URL gives none.
        custom_prefixes: Prefixes of further values, which name a user's own data.
        accepts: The kind of data that a user may supply, a key of `CUSTOM_LABELS`; "" for none.
        when: The values of other parameters at which this one applies and is shown, by name;
            `CUSTOM` matches users' own data.
        server_only: Values that are measured on request, so that only a server offers them.
        full_value: If not "", `start` is a fast preview, and the page then requests this value on
            its own, without offering readers a choice.
    """

    name: str
    label: str
    options: tuple[Option, ...]
    start: str
    custom_prefixes: tuple[str, ...] = ()
    accepts: str = ""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    server_only: tuple[str, ...] = ()
    full_value: str = ""

    def parse(self, text: str) -> str:
        """Return `text` if it is an allowed value, otherwise raise a `ParameterError`."""
        allowed = [option.value for option in self.options]
        if text in allowed or text.startswith(self.custom_prefixes):
            return text
        raise ParameterError(
            f"{self.name} must be one of these values: {', '.join(allowed)}.",
            {self.name: self.start},
        )

    def payload(self, value: str) -> dict[str, Any]:
        """Return this parameter as JSON data: the type `EnumParameter` in `payload.d.ts`."""
        options = [{"value": option.value, "label": option.label} for option in self.options]
        if value.startswith(self.custom_prefixes):
            options.append({"value": value, "label": CUSTOM_LABELS[self.accepts]})
        more = {"options": options, "own": self.accepts, "then": self.full_value}
        return _base_payload(self, "pick", value) | more


@dataclass(frozen=True)
class IntParameter:
    """An integer URL parameter.

    Args:
        name: The name in the URL.
        label: The label on the page.
        low: The smallest allowed value.
        high: The largest allowed value.
        start: The value if the URL gives none.
        reroll_label: The label of a button that picks another value at random; "" for no button.
        when: The values of other parameters at which this one applies and is shown, by name.
    """

    name: str
    label: str
    low: int
    high: int
    start: int
    reroll_label: str = ""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def parse(self, text: str) -> int:
        """Return `text` as an integer in the allowed range, otherwise raise a `ParameterError`."""
        # int() would accept digits of other scripts, spaces, underscores and huge numbers.
        digits = text.removeprefix("-")
        readable = digits.isascii() and digits.isdecimal()
        size = int(digits.lstrip("0")[:19] or "0") if readable else 0
        value = (-size if text.startswith("-") else size) if readable else self.start
        if readable and self.low <= value <= self.high:
            return value
        nearest = min(max(value, self.low), self.high)
        raise ParameterError(
            f"{self.name} must be a whole number from {self.low} to {self.high}.",
            {self.name: str(nearest)},
        )

    def payload(self, value: int) -> dict[str, Any]:
        """Return this parameter as JSON data: the type `IntParameter` in `payload.d.ts`."""
        bounds = {"low": self.low, "high": self.high, "fresh": self.reroll_label}
        return _base_payload(self, "whole", value) | bounds


@dataclass(frozen=True)
class RunParameter:
    """A URL parameter that names training runs: stored runs, or a user's own training job.

    Args:
        name: The name in the URL.
        label: The label on the page.
        options: The stored runs.
        start: The value if the URL gives none.
        form: The training form's fields and limits, as JSON.
        custom_prefixes: Prefixes of a user's job, followed by 16 hexadecimal digits.
        when: The values of other parameters at which this one applies and is shown, by name.
    """

    name: str
    label: str
    options: tuple[Option, ...]
    start: str
    form: Mapping[str, Any]
    custom_prefixes: tuple[str, ...] = ("job.",)
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def parse(self, text: str) -> str:
        """Return `text` if it names allowed training runs, otherwise raise a `ParameterError`."""
        allowed = [option.value for option in self.options]
        own = next((own for own in self.custom_prefixes if text.startswith(own)), "")
        if text in allowed or (own and JOB_ID.fullmatch(text.removeprefix(own))):
            return text
        raise ParameterError(
            f"{self.name} must be {own} and 16 hexadecimal digits, as in the link to the runs. "
            "Open that link again."
            if own
            else f"{self.name} must be one of these values: {', '.join(allowed)}.",
            {self.name: self.start},
        )

    def payload(self, value: str) -> dict[str, Any]:
        """Return this parameter as JSON data: the type `RunParameter` in `payload.d.ts`."""
        options = [{"value": option.value, "label": option.label} for option in self.options]
        if value.startswith(self.custom_prefixes):
            options.append({"value": value, "label": "your runs"})
        return _base_payload(self, "job", value) | {"options": options, "form": dict(self.form)}


@dataclass(frozen=True)
class TextParameter:
    """A URL parameter with free text.

    Args:
        name: The name in the URL.
        label: The label on the page.
        start: The text if the URL gives none.
        check: Raises a `ValueError` whose message tells the reader why a text is not allowed.
        when: The values of other parameters at which this one applies and is shown, by name.
    """

    name: str
    label: str
    start: str
    check: Callable[[str], None]
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def parse(self, text: str) -> str:
        """Return the text if it passes `check`, otherwise raise a `ParameterError`."""
        try:
            self.check(text)
        except ValueError as error:
            raise ParameterError(str(error), {self.name: self.start}) from error
        return text

    def payload(self, value: str) -> dict[str, Any]:
        """Return this parameter as JSON data: the type `TextParameter` in `payload.d.ts`."""
        return _base_payload(self, "written", value)


Parameter = EnumParameter | IntParameter | RunParameter | TextParameter


def parse_query(parameters: tuple[Parameter, ...], query: Mapping[str, str]) -> dict[str, Any]:
    """Parse a URL's query: return the values of all parameters of a figure.

    Parameters that are missing, or that do not apply at the values of the others, get their start
    value, so that each payload has exactly one set of values.

    Raises:
        ParameterError: A name is unknown, or a value is not allowed. Its `nearest` contains the
            allowed parameters of the query, and replacements for invalid values.

    >>> parse_query((IntParameter("seed", "Seed", 0, 9, 3),), {})
    {'seed': 3}
    """
    messages, nearest, values = [], {}, {}
    known = {parameter.name: parameter for parameter in parameters}
    unknown = [_printable(name) for name in query if name not in known]
    if unknown:
        listed = ", ".join(unknown[:MAX_LISTED_NAMES]) + (
            " and others" if len(unknown) > MAX_LISTED_NAMES else ""
        )
        allowed = ", ".join(known) or "none"
        messages.append(f"This figure has no parameter {listed}; it has: {allowed}. Leave it out.")
    for name, parameter in known.items():
        if name not in query:
            values[name] = parameter.start
            continue
        try:
            values[name] = parameter.parse(query[name])
            nearest[name] = query[name]
        except ParameterError as error:
            messages.append(str(error))
            nearest |= error.nearest
    if messages:
        raise ParameterError("\n".join(messages), nearest)
    applied = applicable(parameters, values)
    return {p.name: values[p.name] if p in applied else p.start for p in parameters}


def applicable(
    parameters: tuple[Parameter, ...], values: Mapping[str, Any]
) -> tuple[Parameter, ...]:
    """Return the parameters whose `when` conditions are met by the given values."""
    known = {parameter.name: parameter for parameter in parameters}
    return tuple(
        parameter
        for parameter in parameters
        if all(_condition_value(known[of], values[of]) in at for of, at in parameter.when.items())
    )


def _condition_value(parameter: Parameter, value: str | int) -> str:
    """Return a parameter value as the string to compare with a `when` condition."""
    is_own = isinstance(parameter, EnumParameter | RunParameter) and str(value).startswith(
        parameter.custom_prefixes
    )
    return CUSTOM if is_own else str(value)


def _printable(name: str) -> str:
    """Return a name from a URL for an error message: short, quoted, without control characters."""
    plain = re.sub(r"[^\w.-]", "?", name, flags=re.ASCII)
    return f'"{plain[:MAX_NAME_LENGTH]}…"' if len(plain) > MAX_NAME_LENGTH else f'"{plain}"'


def _base_payload(parameter: Parameter, kind: str, value: str | int) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": parameter.name,
        "label": parameter.label,
        "value": value,
        "start": parameter.start,
    }
