"""A lesson: its figures, and a text with places for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lnviz.explorable import Explorable, Parameter
from lnviz.explorable.parameters import ParameterError, applying, parse
from lnviz.lessons import text
from lnviz.lessons.text import Fold, Panel, Question

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Figure:
    """An explorable and the parameters it is built from.

    Args:
        name: Its name in addresses; its module is named so, with underscores for dashes.
        build: Called with one keyword argument for each parameter.
        parameters: What the address may set.
        seconds: CPU seconds that building it takes, about, or a function of the parameters that
            says so. What takes longer than a moment waits its turn on a busy server.
    """

    name: str
    build: Callable[..., Explorable]
    parameters: tuple[Parameter, ...] = ()
    seconds: float | Callable[..., float] = 0.2

    def parse(self, query: Mapping[str, str]) -> dict[str, Any]:
        """The values of the parameters that an address's query names.

        Raises:
            ParameterError: A parameter is unknown or not allowed.
        """
        return parse(self.parameters, query)

    def cost(self, values: Mapping[str, Any]) -> float:
        """CPU seconds that building it takes for these values of its parameters, about."""
        return self.seconds(**values) if callable(self.seconds) else self.seconds

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
        shown = applying(self.parameters, values)
        document["parameters"] = [p.payload(values[p.name]) for p in shown]
        return document


@dataclass(frozen=True)
class Lesson:
    """One page: an address, and the parts of its `text.md` in reading order.

    Args:
        slug: Its address; its folder is named so, with underscores for dashes.
        title: What the page is called.
        section: Under which head of the contents it stands.
        moves: What the reader moves there, for lists of lessons.
        figures: Its figures.

    Raises:
        ValueError: The text names a figure or a panel that does not exist, or leaves a figure out.
    """

    slug: str
    title: str
    section: str
    moves: str
    figures: tuple[Figure, ...]

    def __post_init__(self) -> None:
        _ = self.parts  # what is wrong with the text shall be said at import

    @property
    def module(self) -> str:
        """The name of its folder here, and of its page."""
        return self.slug.replace("-", "_")

    @cached_property
    def parts(self) -> tuple[str | Figure | Panel | Question | Fold, ...]:
        """Prose (Markdown), figures, panels, questions and folds, in reading order."""
        return tuple(self._parts((HERE / self.module / "text.md").read_text(encoding="utf-8")))

    def figure(self, name: str) -> Figure | None:
        """The figure of this name."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def _parts(self, written: str) -> Iterator[str | Figure | Panel | Question | Fold]:
        pending = [figure.name for figure in self.figures]
        for part in text.parts(written):
            if not isinstance(part, text.Placed):
                yield part
                continue
            figure = self.figure(part.name)
            if figure is None or part.name not in pending:
                raise ValueError(
                    f"lesson {self.slug!r} has no figure, or no second place, for "
                    f"{part.name!r}; its figures are {[f.name for f in self.figures]}"
                )
            pending.remove(part.name)
            yield figure
        if pending:
            raise ValueError(f"lesson {self.slug!r}: the text has no place for {pending}")
