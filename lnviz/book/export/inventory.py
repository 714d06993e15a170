"""Inventory of the figure payloads that an exported book contains."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from lnviz import book
from lnviz.explorable import (
    EnumParameter,
    IntParameter,
    Parameter,
    ParameterError,
    RunParameter,
    TextParameter,
)
from lnviz.explorable.parameters import applicable
from lnviz.lessons import FigureSpec

MAX_EXPORTED_VALUES = 16
"""Integer parameters with fewer values than this are exported at every value."""


UPLOADS = {
    "table": "your own numbers (in a file, or typed into a cell)",
    "points": "points that you paint",
    "run": "a run of your own model (a file from `watched.save`)",
}
"""Uploads that only the app accepts, by kind, as phrases that follow “also has”."""


@dataclass(frozen=True)
class ExportedPayload:
    """A figure's payload at certain parameter values, which the export stores as a file.

    Args:
        slug: The slug of the figure's page.
        figure: The name of the figure.
        values: The values of the figure's parameters.
        path: The path of the file in the export's folder.
        cost: The estimated CPU seconds to compute the payload.
    """

    slug: str
    figure: str
    values: Mapping[str, Any]
    path: str
    cost: float

    def content(self) -> str | ParameterError:
        """Compute the payload; return it as a script, or the error for an invalid combination."""
        figure = book.find_figure(self.slug, self.figure)
        assert figure is not None
        try:
            document = figure.payload(self.values)
        except ParameterError as error:
            return error
        few = {p.name: p for p in figure.parameters if len(_values(p)) > 1}
        document["parameters"] = [
            _exported_parameter(each, few[each["name"]])
            for each in document["parameters"]
            if each["name"] in few
        ]
        document["edits"] = None  # an edited table would need another payload
        return data_script(self.path, document)


@dataclass(frozen=True)
class FigureInventory:
    """All payloads of one figure that the export stores, one for each combination of parameters.

    Args:
        slug: The slug of the figure's page.
        figure: The figure.
    """

    slug: str
    figure: FigureSpec

    @cached_property
    def payloads(self) -> tuple[ExportedPayload, ...]:
        """The payloads of the figure, one for each exported file."""
        by_path = {payload.path: payload for _, payload in self._combinations()}
        return tuple(by_path.values())

    def index(self, errors: Mapping[str, ParameterError]) -> dict[str, Any]:
        """Return an index of the figure's payload files as JSON data, which `stored.js` reads.

        Args:
            errors: The errors of payloads that cannot be computed, by file path.
        """
        parameters = [
            {
                "name": parameter.name,
                "label": parameter.label,
                "start": str(parameter.start),
                "values": _values(parameter),
            }
            for parameter in self.figure.parameters
        ]
        files: dict[str, Any] = {}
        for key, payload in self._combinations():
            error = errors.get(payload.path)
            files[key] = {"detail": str(error), "nearest": error.nearest} if error else payload.path
        return {"parameters": parameters, "files": files}

    @property
    def app_only(self) -> tuple[str, ...]:
        """Parameter values that only the server app offers, as phrases for a note."""
        shown = {
            parameter.label: parameter
            for payload in self.payloads
            for parameter in applicable(self.figure.parameters, payload.values)
        }
        many = [label for label, parameter in shown.items() if _has_many_values(parameter)]
        phrases = [f"other values of “{'” and “'.join(many)}”"] if many else []
        for parameter in shown.values():
            if isinstance(parameter, RunParameter):
                phrases.append("your own runs")
            if isinstance(parameter, TextParameter):
                phrases.append("your own texts")
            if isinstance(parameter, EnumParameter) and parameter.accepts:
                phrases.append(UPLOADS[parameter.accepts])
            if isinstance(parameter, EnumParameter):
                phrases += [
                    f"“{option.label}”"
                    for option in parameter.options
                    if option.value in parameter.server_only
                ]
        return tuple(phrases)

    def _combinations(self) -> Iterator[tuple[str, ExportedPayload]]:
        """Yield each combination of exported parameter values: its index key and its payload."""
        parameters = self.figure.parameters
        for texts in product(*map(_values, parameters)):
            named = {p.name: text for p, text in zip(parameters, texts, strict=True)}
            values = self.figure.parse(named)
            moved = [f"{p.name}-{values[p.name]}" for p in parameters if values[p.name] != p.start]
            name = re.sub(r"[^\w.-]", "_", ".".join((self.figure.name, *moved)))
            path = f"figures/{self.slug}/{name}.js"
            cost = self.figure.cost(values)
            yield " ".join(texts), ExportedPayload(self.slug, self.figure.name, values, path, cost)


def data_script(path: str, content: object) -> str:
    """Return a JavaScript file that passes JSON data to `stored.js` in the exported page."""
    text = json.dumps(content, separators=(",", ":"))
    return f"lnvizBrings({json.dumps(path)}, {text});\n"


def _values(parameter: Parameter) -> list[str]:
    """Return the values of a parameter that are exported, as written in URLs."""
    if isinstance(parameter, RunParameter):
        return [option.value for option in parameter.options]
    if isinstance(parameter, EnumParameter):
        return [o.value for o in parameter.options if o.value not in parameter.server_only]
    if isinstance(parameter, TextParameter) or _has_many_values(parameter):
        return [str(parameter.start)]
    return [str(value) for value in range(parameter.low, parameter.high + 1)]


def _exported_parameter(document: dict[str, Any], parameter: Parameter) -> dict[str, Any]:
    """Return a parameter's JSON data with only the options that are exported."""
    if not isinstance(parameter, EnumParameter):
        return document
    options = [each for each in document["options"] if each["value"] not in parameter.server_only]
    return document | {"own": "", "options": options}


def _has_many_values(parameter: Parameter) -> bool:
    return (
        isinstance(parameter, IntParameter)
        and parameter.high - parameter.low >= MAX_EXPORTED_VALUES
    )
