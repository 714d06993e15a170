"""A lesson: prose with placeholders for its figures and its questions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lnviz.explorable import Explorable, Parameter
from lnviz.explorable.parameters import ParameterError, parse

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Figure:
    """An explorable and the parameters it is built from.

    Args:
        name: Its name in addresses.
        build: Called with one keyword argument for each parameter.
        parameters: What the address may set.
    """

    name: str
    build: Callable[..., Explorable]
    parameters: tuple[Parameter, ...] = ()

    def parse(self, query: Mapping[str, str]) -> dict[str, Any]:
        """The values of the parameters that an address's query names.

        Raises:
            ParameterError: A parameter is unknown or not allowed.
        """
        return parse(self.parameters, query)

    def payload(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The figure's document for these values of its parameters.

        Raises:
            ParameterError: They do not go together, or what one names is not there. Its `nearest`
                keeps the others.
        """
        try:
            document = self.build(**values).payload()
        except ParameterError as error:
            named = {p.name: values[p.name] for p in self.parameters if values[p.name] != p.start}
            error.nearest = {name: str(value) for name, value in named.items()} | error.nearest
            raise
        document["parameters"] = [p.payload(values[p.name]) for p in self.parameters]
        return document


@dataclass(frozen=True)
class Question:
    """A question the reader answers before the lesson does."""

    name: str
    text: str
    options: tuple[str, ...]
    right: int
    why: str


@dataclass(frozen=True)
class Lesson:
    """One page: an address, a title, and the parts of `<slug>.md` in reading order."""

    slug: str
    title: str
    section: str
    figures: tuple[Figure, ...]

    @cached_property
    def parts(self) -> tuple[str | Figure | Question, ...]:
        """Prose, figures and questions, in reading order.

        Raises:
            ValueError: The text names a figure that the lesson does not have, or leaves one out.
        """
        text = (HERE / f"{self.slug.replace('-', '_')}.md").read_text(encoding="utf-8")
        return tuple(self._parts(text))

    def figure(self, name: str) -> Figure | None:
        """The figure of this name."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def _parts(self, text: str) -> Iterator[str | Figure | Question]:
        pending = {figure.name for figure in self.figures}
        for block in re.split(r"^(::: .*?^:::)$", text, flags=re.MULTILINE | re.DOTALL):
            if not block.startswith("::: "):
                if block.strip():
                    yield block.strip()
                continue
            head, _, body = block[4:-3].partition("\n")
            kind, _, name = head.strip().partition(" ")
            if kind == "question":
                yield _question(name, body)
                continue
            figure = self.figure(name)
            if kind != "figure" or figure is None:
                raise ValueError(f"lesson {self.slug!r}: no figure for the placeholder {head!r}")
            pending.discard(name)
            yield figure
        if pending:
            raise ValueError(f"lesson {self.slug!r}: the text has no place for {sorted(pending)}")


def _question(name: str, body: str) -> Question:
    """A question: its text, its options (`- [ ]`, the right one `- [x]`), then the reason."""
    options = re.findall(r"^- \[([ x])\] (.+)$", body, flags=re.MULTILINE)
    marks = [mark for mark, _ in options]
    if len(options) < 2 or marks.count("x") != 1:
        raise ValueError(f"question {name!r}: needs two options or more, exactly one marked [x]")
    first, last = body.index("- ["), body.rindex("- [")
    end = body.index("\n", last)
    return Question(
        name=name,
        text=body[:first].strip(),
        options=tuple(text for _, text in options),
        right=marks.index("x"),
        why=body[end:].strip(),
    )
