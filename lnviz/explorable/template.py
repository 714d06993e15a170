"""Text templates with live numbers, and the conversion of templates and conditions to JSON."""

from __future__ import annotations

from string import Formatter
from typing import Any


def conditions_json(when: dict[str, tuple[Any, ...]]) -> dict[str, list[Any]]:
    """Return a view's display conditions as JSON data: the allowed values by control name."""
    return {control: list(values) for control, values in when.items()}


def parse_template(template: str) -> list[Any]:
    """Parse a text template into a list of plain strings and `{name, format, style}` fields.

    >>> parse_template("mean {mean:2 stat}")
    ['mean ', {'name': 'mean', 'format': '2', 'style': 'stat'}]
    """
    out: list[Any] = []
    for text, name, spec, _ in Formatter().parse(template):
        if text:
            out.append(text)
        if name is not None:
            number, _, style = (spec or "").partition(" ")
            out.append({"name": name, "format": number, "style": style})
    return out


def referenced_names(template: str) -> list[str]:
    """Return the names of the controls and tensors that a text template refers to.

    >>> referenced_names("({x:2} - {mean:2 stat})")
    ['x', 'mean']
    """
    return [name for _, name, _, _ in Formatter().parse(template) if name is not None]
