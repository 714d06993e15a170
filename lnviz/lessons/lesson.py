"""A lesson: its figures, and a text with places for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lnviz.explorable import Explorable, Parameter
from lnviz.explorable.parameters import ParameterError, applicable, parse_query
from lnviz.lessons import text
from lnviz.lessons.citation_marks import unmarked
from lnviz.lessons.exercises import Asked, Goal
from lnviz.lessons.interpolation import fill, names
from lnviz.lessons.program_output import Prints
from lnviz.lessons.tables import Table
from lnviz.lessons.text import Deeper, Fold, Panel, Remember

HERE = Path(__file__).parent
HOME = "home"
LONG = 4  # headings from which on a page begins with a list of them
GO_DEEPER = "## Go deeper\n\nEach part stands by itself. Open what you need."
"""What stands above a lesson's parts that are deeper, as Markdown."""
EXERCISES = "Exercises"
"""The heading above what is asked at the end."""

LIBRARIES = {"pytorch": "PyTorch", "numpy": "NumPy", "jax": "JAX"}
"""What programs are written for, by how their files are named."""


@dataclass(frozen=True)
class Figure:
    """An explorable and the parameters it is built from.

    Args:
        name: Its name in addresses; its module is named so, with underscores for dashes.
        build: Called with one keyword argument for each parameter.
        parameters: The parameters that the address may set.
        seconds: CPU seconds that building it takes, about, or a function of the parameters that
            says so. What takes longer than a moment waits its turn on a busy server.
        prints: The numbers that its program prints and it shows, if the program computes the same.
    """

    name: str
    build: Callable[..., Explorable]
    parameters: tuple[Parameter, ...] = ()
    seconds: float | Callable[..., float] = 0.2
    prints: Prints | None = None

    def parse(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of the parameters that an address's query names.

        Raises:
            ParameterError: A parameter is unknown or not allowed.
        """
        return parse_query(self.parameters, query)

    def cost(self, values: Mapping[str, Any]) -> float:
        """Return about how many CPU seconds building it takes for these values of parameters."""
        return self.seconds(**values) if callable(self.seconds) else self.seconds

    def payload(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the figure's document for these values of its parameters.

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
        shown = applicable(self.parameters, values)
        document["parameters"] = [p.payload(values[p.name]) for p in shown]
        return document


@dataclass(frozen=True)
class Check:
    """What a page computes on the server, of a figure's present state, when the reader asks.

    Args:
        title: The title of its panel.
        explanation: What is computed, as Markdown.
        button: What the reader presses.
        answer: Gives what came out, as Markdown, from the query of the page's address.
    """

    title: str
    explanation: str
    button: str
    answer: Callable[[Mapping[str, str]], str]


Part = str | Figure | Table | Panel | Asked | Fold
"""What a page is made of; a `str` is prose, as Markdown."""

Outer = Part | Remember | Deeper[Part]
"""A part, or what only a page itself can hold."""


@dataclass(frozen=True)
class Lesson:
    """One page: an address, and the parts of its `text.md` in reading order.

    What is asked in an `exercises.md` beside it comes at the end, under a heading of its own.

    Args:
        slug: Its address; its folder is named so, with underscores for dashes.
        title: What the page is called.
        section: The head of the contents that it stands under.
        moves: What the reader moves there, for lists of lessons.
        figures: Its figures.
        room: The folder that its own folder lies in.
        able: What the reader can do after it, to follow "you can"; pages around the lessons have
            none.
        lists: Gives Markdown that is made from data, by the names that the text gives their places:
            prose and folds.
        tables: Its tables.
        values: Gives the numbers that its texts are filled with, by name; see
            `lnviz.lessons.interpolation`.
        check: What its panel `check` computes.
        opening: What stands above its parts that are deeper, as Markdown.

    Its text is read when its parts are first asked for, so that who needs no text does not wait.
    """

    slug: str
    title: str
    section: str
    moves: str
    figures: tuple[Figure, ...]
    room: Path = HERE
    able: str = ""
    lists: Callable[[], Mapping[str, str]] = dict
    tables: tuple[Table, ...] = ()
    values: Callable[[], Mapping[str, float]] = dict
    check: Check | None = None
    opening: str = GO_DEEPER

    @property
    def address(self) -> str:
        """Where it is below the app's own address; the home page is there itself."""
        return "" if self.slug == HOME else self.slug

    @property
    def module(self) -> str:
        """The name of its folder here, and of its page."""
        return self.slug.replace("-", "_")

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All of the page in reading order, as where nothing is closed.

        Prose, figures, tables, panels, what is asked and folds: the core, what is deeper, and the
        exercises.

        Raises:
            ValueError: The text names a figure, a table, a list, a value, programs or a panel that
                do not exist, or leaves a figure, a table, a list or a value out; something stands
                behind what is deeper; two things that are asked have one name; or there is more
                than exercises in `exercises.md`.
        """
        parts: list[Part] = []
        for part in self._placed:
            if isinstance(part, Deeper):
                parts += part.flat
            else:
                parts.append(part.prose if isinstance(part, Remember) else part)
        if self.exercises:
            parts += [f"## {EXERCISES}", *self.exercises]
        self._check([part for part in parts if isinstance(part, Asked)])
        return tuple(parts)

    @cached_property
    def core(self) -> tuple[Part | Remember, ...]:
        """What is for everybody."""
        return tuple(part for part in self._placed if not isinstance(part, Deeper))

    @cached_property
    def deeper(self) -> tuple[Deeper[Part], ...]:
        """What is for some readers, behind the core."""
        return tuple(part for part in self._placed if isinstance(part, Deeper))

    @cached_property
    def _placed(self) -> tuple[Outer, ...]:
        """What `text.md` holds, with everything in its place."""
        parts = tuple(text.parts(self._texts["text.md"]))
        deeper = [isinstance(part, Deeper) for part in parts]
        if deeper != sorted(deeper):
            raise ValueError(f"lesson {self.slug!r}: what is deeper comes last, behind the core")
        if not any(deeper):
            parts = _with_contents(parts, [EXERCISES] if self.exercises else [])
        return tuple(self._parts(parts))

    @cached_property
    def exercises(self) -> tuple[Asked, ...]:
        """What is asked at the end, numbered."""
        parts = text.parts(self._texts.get("exercises.md", ""))
        return tuple(self._exercise(part, number) for number, part in enumerate(parts, 1))

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """What is written in its folder, by the names of the files, with its numbers in place."""
        files = (self.folder / name for name in ("text.md", "exercises.md"))
        written = {
            file.name: unmarked(file.read_text(encoding="utf-8")) for file in files if file.exists()
        }
        values = self.values()
        unused = set(values).difference(*map(names, written.values()))
        if unused:
            raise ValueError(f"lesson {self.slug!r}: no text has a place for {sorted(unused)}")
        try:
            return {name: fill(each, values) for name, each in written.items()}
        except ValueError as error:
            raise ValueError(f"lesson {self.slug!r}: {error}") from error

    @property
    def folder(self) -> Path:
        """Where its files are: texts, figures, and the picture that `lnviz.book.previews` shows."""
        return self.room / self.module

    def figure(self, name: str) -> Figure | None:
        """Return the figure of this name."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def _exercise(self, part: text.Outer, number: int) -> Asked:
        if not isinstance(part, Asked):
            raise ValueError(
                f"lesson {self.slug!r}: exercises.md holds exercises alone, got {part!r}"
            )
        return replace(part, number=number)

    def _check(self, asked: Sequence[Asked]) -> None:
        names = [thing.name for thing in asked]
        if len(set(names)) < len(names):
            raise ValueError(
                f"lesson {self.slug!r}: what is asked has names of its own, got {names}"
            )
        for thing in asked:
            if isinstance(thing, Goal) and not self.figure(thing.figure):
                raise ValueError(
                    f"lesson {self.slug!r} has no figure {thing.figure!r} for goal {thing.name!r}"
                )

    def _parts(self, parts: Iterable[text.Outer]) -> Iterator[Outer]:
        pending: dict[str, dict[str, Sequence[Part]]] = {
            "figure": {figure.name: [figure] for figure in self.figures},
            "table": {table.name: [table] for table in self.tables},
            "list": {name: self._listed(written) for name, written in self.lists().items()},
        }
        every = [name for named in pending.values() for name in named]

        def placed(part: text.Part) -> Iterator[Part]:
            if isinstance(part, text.Programs):
                yield Fold(part.title, self._programs(part.name))
            elif isinstance(part, Fold):
                yield self._prose_only(part)
            elif not isinstance(part, text.Place):
                yield part
            elif part.name in pending[part.kind]:
                yield from pending[part.kind].pop(part.name)
            else:
                raise ValueError(
                    f"lesson {self.slug!r} has no figure, table or list, or no second place, for "
                    f"{part.name!r}; it has {every}"
                )

        for part in parts:
            if isinstance(part, Deeper):
                inside = tuple(each for within in part.parts for each in placed(within))
                yield Deeper(part.title, part.finding, part.minutes, part.figure, inside)
            elif isinstance(part, Remember):
                yield part
            else:
                yield from placed(part)
        left = [name for named in pending.values() for name in named]
        if left:
            raise ValueError(f"lesson {self.slug!r}: the text has no place for {left}")

    def _listed(self, written: str) -> list[str | Fold]:
        """The parts that a list is made of."""
        parts = list(text.parts(written))
        if not all(isinstance(part, str | Fold) for part in parts):
            raise ValueError(f"lesson {self.slug!r}: a list is prose and folds, got {written!r}")
        return [part for part in parts if isinstance(part, str | Fold)]

    def _prose_only(self, fold: Fold) -> Fold:
        """Return the fold, which must hold nothing but prose.

        Raises:
            ValueError: It holds something else.
        """
        others = [part for part in text.parts(fold.text) if not isinstance(part, str)]
        if others:
            raise ValueError(f"fold {fold.title!r}: holds prose alone, got {others[0]}")
        return fold

    def _programs(self, start: str) -> str:
        """The programs beside the text whose names begin so, as Markdown."""
        files = {
            name: self.folder / f"{start}_{library}_code.py" for library, name in LIBRARIES.items()
        }
        there = {name: file for name, file in files.items() if file.exists()}
        if not there:
            raise ValueError(
                f"lesson {self.slug!r} has no programs {start!r}; a program is a file such as "
                f"{start}_{next(iter(LIBRARIES))}_code.py"
            )
        return "\n\n".join(
            f"{name}\n\n```python\n{file.read_text(encoding='utf-8').strip()}\n```"
            for name, file in there.items()
        )


def _with_contents(parts: tuple[text.Outer, ...], more: Sequence[str]) -> tuple[text.Outer, ...]:
    """The parts of a long page, with links to its headings, and to more, below the lead."""
    prose = "\n".join(part for part in parts if isinstance(part, str))
    heads = [line[3:] for line in prose.splitlines() if line.startswith("## ")] + [*more]
    if len(heads) < LONG or not isinstance(parts[0], str):
        return parts
    links = " · ".join(f"[{head}](#{text.anchor(head)})" for head in heads)
    lead, _, rest = parts[0].partition("\n\n")
    return f"{lead}\n\nOn this page: {links}\n\n{rest}".strip(), *parts[1:]
