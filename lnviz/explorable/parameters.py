"""Parameters: what changes the computation, named in a payload's address."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lnviz.explorable.controls import Option

LISTED = 3  # unknown names that a refusal repeats
LONGEST = 24  # letters of each
JOB_ID = re.compile("[0-9a-f]{16}")


class ParameterError(ValueError):
    """A parameter that cannot be used.

    The message has a line for each problem.

    Attributes:
        nearest: The parameters, as they stand in an address, that come closest and are allowed.
    """

    def __init__(self, message: str, nearest: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.nearest = dict(nearest or {})


BROUGHT = {"table": "your own numbers", "run": "your own run", "points": "your own points"}
"""What visitors may bring: a table of numbers, what `watched.save` has written, or points that they
set in a picture."""

OWN = "own"
"""Stands for whatever a visitor has brought where a `when` names values."""


class Gone(ParameterError):
    """A parameter that names what the server no longer keeps."""


@dataclass(frozen=True)
class Pick:
    """One of a few named values.

    Args:
        name: The name in the address.
        label: The name on the page.
        options: What can be picked.
        start: The value without a word in the address.
        own: Values that begin so are allowed besides: they name what a visitor has brought.
        takes: What a visitor may bring, a key of `BROUGHT`, or "".
        when: For other parameters, the values at which this one applies and is shown; `OWN` for
            those of visitors.
        now: Options that stand for what is measured when they are asked for: only a server has
            them.
        then: The value to which a figure goes on by itself once it shows another one: its start is
            a first part. The reader is not offered such a pick; "" for all others.
    """

    name: str
    label: str
    options: tuple[Option, ...]
    start: str
    own: tuple[str, ...] = ()
    takes: str = ""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    now: tuple[str, ...] = ()
    then: str = ""

    def parse(self, text: str) -> str:
        """Return the value that `text` names, or raise a `ParameterError`."""
        allowed = [option.value for option in self.options]
        if text in allowed or text.startswith(self.own):
            return text
        raise ParameterError(
            f"{self.name} must be one of {', '.join(allowed)}. Choose one of them.",
            {self.name: self.start},
        )

    def payload(self, value: str) -> dict[str, Any]:
        """Return `Pick` of `payload.d.ts`."""
        options = [{"value": option.value, "label": option.label} for option in self.options]
        if value.startswith(self.own):
            options.append({"value": value, "label": BROUGHT[self.takes]})
        more = {"options": options, "own": self.takes, "then": self.then}
        return _document(self, "pick", value) | more


@dataclass(frozen=True)
class Whole:
    """A whole number.

    Args:
        name: The name in the address.
        label: The name on the page.
        low: The smallest that is allowed.
        high: The largest that is allowed.
        start: The value without a word in the address.
        fresh: The label of a button that draws another one at random, if there is one.
        when: For other parameters, the values at which this one applies and is shown.
    """

    name: str
    label: str
    low: int
    high: int
    start: int
    fresh: str = ""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def parse(self, text: str) -> int:
        """Return the number that `text` names, or raise a `ParameterError`."""
        # int() would take other scripts' digits, blanks and underscores, and pages of digits.
        digits = text.removeprefix("-")
        readable = digits.isascii() and digits.isdecimal()
        size = int(digits.lstrip("0")[:19] or "0") if readable else 0
        value = (-size if text.startswith("-") else size) if readable else self.start
        if readable and self.low <= value <= self.high:
            return value
        nearest = min(max(value, self.low), self.high)
        raise ParameterError(
            f"{self.name} must be a whole number from {self.low} to {self.high}. "
            "Choose one of them.",
            {self.name: str(nearest)},
        )

    def payload(self, value: int) -> dict[str, Any]:
        """Return `Whole` of `payload.d.ts`."""
        bounds = {"low": self.low, "high": self.high, "fresh": self.fresh}
        return _document(self, "whole", value) | bounds


@dataclass(frozen=True)
class Job:
    """Stored runs, or those of a visitor, which may still go on.

    Args:
        name: The name in the address.
        label: The name on the page.
        options: Stored runs.
        start: The value without a word in the address.
        form: What a visitor may ask to be run, as JSON.
        own: How the value of a visitor's job begins; 16 hexadecimal digits follow.
        when: For other parameters, the values at which this one applies and is shown.
    """

    name: str
    label: str
    options: tuple[Option, ...]
    start: str
    form: Mapping[str, Any]
    own: tuple[str, ...] = ("job.",)
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def parse(self, text: str) -> str:
        """Return the value that `text` names, or raise a `ParameterError`."""
        allowed = [option.value for option in self.options]
        own = next((own for own in self.own if text.startswith(own)), "")
        if text in allowed or (own and JOB_ID.fullmatch(text.removeprefix(own))):
            return text
        raise ParameterError(
            f"{self.name} must be {own} and 16 hexadecimal digits, as in the link to the runs. "
            "Open that link again."
            if own
            else f"{self.name} must be one of {', '.join(allowed)}. Choose one of them.",
            {self.name: self.start},
        )

    def payload(self, value: str) -> dict[str, Any]:
        """Return `Job` of `payload.d.ts`."""
        options = [{"value": option.value, "label": option.label} for option in self.options]
        if value.startswith(self.own):
            options.append({"value": value, "label": "your runs"})
        return _document(self, "job", value) | {"options": options, "form": dict(self.form)}


@dataclass(frozen=True)
class Written:
    """A text that the reader writes.

    Args:
        name: The name in the address.
        label: The name on the page.
        start: The text without a word in the address.
        check: Finds whether a text can be used, and raises a `ValueError` with a sentence where it
            cannot.
        when: For other parameters, the values at which this one applies and is shown.
    """

    name: str
    label: str
    start: str
    check: Callable[[str], None]
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def parse(self, text: str) -> str:
        """Return the text itself, or raise a `ParameterError`."""
        try:
            self.check(text)
        except ValueError as error:
            raise ParameterError(str(error), {self.name: self.start}) from error
        return text

    def payload(self, value: str) -> dict[str, Any]:
        """Return `Written` of `payload.d.ts`."""
        return _document(self, "written", value)


Parameter = Pick | Whole | Job | Written


def parse(parameters: tuple[Parameter, ...], query: Mapping[str, str]) -> dict[str, Any]:
    """Return every parameter's value, from an address's query.

    Those not named, and those that do not apply at the values of the others, take their start: so
    one payload has one set of values.

    Raises:
        ParameterError: A name is unknown, or a value is not allowed. Its `nearest` holds all
            parameters with the offending ones corrected.

    >>> parse((Whole("seed", "seed", 0, 9, 3),), {})
    {'seed': 3}
    """
    messages, nearest, values = [], {}, {}
    known = {parameter.name: parameter for parameter in parameters}
    unknown = [_readable(name) for name in query if name not in known]
    if unknown:
        listed = ", ".join(unknown[:LISTED]) + (" and others" if len(unknown) > LISTED else "")
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
    applied = applying(parameters, values)
    return {p.name: values[p.name] if p in applied else p.start for p in parameters}


def applying(parameters: tuple[Parameter, ...], values: Mapping[str, Any]) -> tuple[Parameter, ...]:
    """Return the parameters that apply, and are shown, at the values of the others."""
    known = {parameter.name: parameter for parameter in parameters}
    return tuple(
        parameter
        for parameter in parameters
        if all(_kind(known[of], values[of]) in at for of, at in parameter.when.items())
    )


def _kind(parameter: Parameter, value: str | int) -> str:
    """What stands for a value in `when`."""
    is_own = isinstance(parameter, Pick | Job) and str(value).startswith(parameter.own)
    return OWN if is_own else str(value)


def _readable(name: str) -> str:
    """A name from an address, shortened, without what a page or a terminal could act on."""
    plain = re.sub(r"[^\w.-]", "?", name, flags=re.ASCII)
    return f'"{plain[:LONGEST]}…"' if len(plain) > LONGEST else f'"{plain}"'


def _document(parameter: Parameter, kind: str, value: str | int) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": parameter.name,
        "label": parameter.label,
        "value": value,
        "start": parameter.start,
    }
