"""Lessons and other pages: their texts, and the figures and tables in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lnviz.explorable import Explorable, Parameter
from lnviz.explorable.parameters import ParameterError, applicable, parse_query
from lnviz.lessons import text
from lnviz.lessons.citation_marks import strip_marks
from lnviz.lessons.exercises import Exercise, FigureGoal
from lnviz.lessons.interpolation import interpolate, placeholder_names
from lnviz.lessons.program_output import ProgramOutput
from lnviz.lessons.tables import ComparisonTable
from lnviz.lessons.text import Details, OptionalSection, Panel, Takeaways

LESSONS_DIR = Path(__file__).parent
HOME = "home"
MIN_CONTENTS_HEADINGS = 4  # headings of a page with a table of contents
GO_DEEPER = "## Go deeper\n\nEach part stands on its own. Open what you need."
"""The Markdown above the optional sections of a lesson."""
EXERCISES = "Exercises"
"""The heading above the exercises at the end."""

LIBRARIES = {"pytorch": "PyTorch", "numpy": "NumPy", "jax": "JAX"}
"""The names of libraries that programs use, by the part of the file name."""


@dataclass(frozen=True)
class FigureSpec:
    """Declaration of a figure: its name, its build function, and the parameters that URLs may set.

    Args:
        name: The name in URLs; the module has the same name with underscores.
        build: Builds the figure; called with one keyword argument for each parameter.
        parameters: The parameters that the URL may set.
        cpu_seconds: The approximate CPU seconds that building takes, or a function of the
            parameters that returns them. On a busy server, expensive figures are queued.
        program_output: How the output of the figure's program corresponds to its tensors; None if
            it does not.
    """

    name: str
    build: Callable[..., Explorable]
    parameters: tuple[Parameter, ...] = ()
    cpu_seconds: float | Callable[..., float] = 0.2
    program_output: ProgramOutput | None = None

    def parse(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return the value of each parameter of the figure, from a URL query or by default.

        Raises:
            ParameterError: A parameter is unknown, or its value is not allowed.
        """
        return parse_query(self.parameters, query)

    def cost(self, values: Mapping[str, Any]) -> float:
        """Estimate the CPU seconds it takes to build the figure with these parameter values."""
        return self.cpu_seconds(**values) if callable(self.cpu_seconds) else self.cpu_seconds

    def payload(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Build the figure with these parameter values and return it as JSON data for browsers.

        Raises:
            ParameterError: The values are incompatible, or one of them names data that does not
                exist. Its `nearest` keeps the other values.
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
class ServerCheck:
    """A panel that runs a computation on the server with the current settings of a figure.

    Args:
        title: The title of the panel.
        explanation: A description of the computation, as Markdown.
        button: The label of the button that starts it.
        answer: Returns the result as Markdown, for the query of the page's URL.
    """

    title: str
    explanation: str
    button: str
    answer: Callable[[Mapping[str, str]], str]


PageItem = str | FigureSpec | ComparisonTable | Panel | Exercise | Details
"""An item of a page; a `str` is prose, as Markdown."""

PageBlock = PageItem | Takeaways | OptionalSection[PageItem]
"""An item, or a block that may not be nested in others."""


@dataclass(frozen=True)
class Lesson:
    """A lesson or other page: its metadata and figures, and the content of its `text.md`.

    The exercises of an `exercises.md` beside it come at the end, under their own heading. The text
    is parsed when its parts are first used.

    Args:
        slug: The URL path; the folder has the same name with underscores.
        title: The title of the page.
        section: The section of the table of contents that lists it.
        summary: The controls and topics of its figures, for lists of lessons.
        figures: Its figures.
        parent_dir: The directory that contains its folder.
        learning_outcome: The end of a sentence that begins with "Afterwards, you can"; "" for
            pages that are not lessons.
        lists: Returns generated Markdown (prose and details) for the `list` placeholders of the
            text, by name.
        tables: Its comparison tables.
        text_values: Returns the values of the placeholders in its texts, by name; see
            `lnviz.lessons.interpolation`.
        check: The computation of its `check` panel.
        optional_heading: The Markdown above its optional sections.
    """

    slug: str
    title: str
    section: str
    summary: str
    figures: tuple[FigureSpec, ...]
    parent_dir: Path = LESSONS_DIR
    learning_outcome: str = ""
    lists: Callable[[], Mapping[str, str]] = dict
    tables: tuple[ComparisonTable, ...] = ()
    text_values: Callable[[], Mapping[str, float]] = dict
    check: ServerCheck | None = None
    optional_heading: str = GO_DEEPER

    @property
    def url_path(self) -> str:
        """The path of the page's URL; "" for the home page."""
        return "" if self.slug == HOME else self.slug

    @property
    def module(self) -> str:
        """The name of the page's folder and Python module: the slug, with underscores."""
        return self.slug.replace("-", "_")

    @cached_property
    def parts(self) -> tuple[PageItem, ...]:
        """The content of the page in reading order, with optional sections expanded.

        Raises:
            ValueError: The text names a figure, table, list, value, program or panel that does not
                exist, or omits one that exists; other content follows an optional section; two
                exercises have the same name; or `exercises.md` has content other than exercises.
        """
        parts: list[PageItem] = []
        for part in self._blocks:
            if isinstance(part, OptionalSection):
                parts += part.flattened
            else:
                parts.append(part.markdown if isinstance(part, Takeaways) else part)
        if self.exercises:
            parts += [f"## {EXERCISES}", *self.exercises]
        self._check_exercises([part for part in parts if isinstance(part, Exercise)])
        return tuple(parts)

    @cached_property
    def core(self) -> tuple[PageItem | Takeaways, ...]:
        """The content of the page before its optional sections."""
        return tuple(part for part in self._blocks if not isinstance(part, OptionalSection))

    @cached_property
    def optional_sections(self) -> tuple[OptionalSection[PageItem], ...]:
        """The optional sections of the page, which follow its core."""
        return tuple(part for part in self._blocks if isinstance(part, OptionalSection))

    @cached_property
    def _blocks(self) -> tuple[PageBlock, ...]:
        """The blocks of `text.md`, with placeholders replaced by figures, tables and lists."""
        parts = tuple(text.parse_text(self._sources["text.md"]))
        deeper = [isinstance(part, OptionalSection) for part in parts]
        if deeper != sorted(deeper):
            raise ValueError(f"lesson {self.slug!r}: what is deeper comes last, behind the core")
        if not any(deeper):
            parts = _with_table_of_contents(parts, [EXERCISES] if self.exercises else [])
        return tuple(self._resolve_placeholders(parts))

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """The numbered exercises of `exercises.md`, which come at the end of the page."""
        parts = text.parse_text(self._sources.get("exercises.md", ""))
        return tuple(self._numbered_exercise(part, number) for number, part in enumerate(parts, 1))

    @cached_property
    def _sources(self) -> Mapping[str, str]:
        """The Markdown of the page by file name, with computed values filled in."""
        files = (self.folder / name for name in ("text.md", "exercises.md"))
        written = {
            file.name: strip_marks(file.read_text(encoding="utf-8"))
            for file in files
            if file.exists()
        }
        values = self.text_values()
        unused = set(values).difference(*map(placeholder_names, written.values()))
        if unused:
            raise ValueError(f"lesson {self.slug!r}: no text has a place for {sorted(unused)}")
        try:
            return {name: interpolate(each, values) for name, each in written.items()}
        except ValueError as error:
            raise ValueError(f"lesson {self.slug!r}: {error}") from error

    @property
    def folder(self) -> Path:
        """The directory that contains the page's texts, figures and preview image."""
        return self.parent_dir / self.module

    def figure(self, name: str) -> FigureSpec | None:
        """Return the figure with this name, or None if the page has none."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def _numbered_exercise(self, part: text.TextBlock, number: int) -> Exercise:
        if not isinstance(part, Exercise):
            raise ValueError(
                f"lesson {self.slug!r}: exercises.md holds exercises alone, got {part!r}"
            )
        return replace(part, number=number)

    def _check_exercises(self, asked: Sequence[Exercise]) -> None:
        names = [thing.name for thing in asked]
        if len(set(names)) < len(names):
            raise ValueError(
                f"lesson {self.slug!r}: what is asked has names of its own, got {names}"
            )
        for thing in asked:
            if isinstance(thing, FigureGoal) and not self.figure(thing.figure):
                raise ValueError(
                    f"lesson {self.slug!r} has no figure {thing.figure!r} for goal {thing.name!r}"
                )

    def _resolve_placeholders(self, parts: Iterable[text.TextBlock]) -> Iterator[PageBlock]:
        pending: dict[str, dict[str, Sequence[PageItem]]] = {
            "figure": {figure.name: [figure] for figure in self.figures},
            "table": {table.name: [table] for table in self.tables},
            "list": {name: self._parse_list(written) for name, written in self.lists().items()},
        }
        every = [name for named in pending.values() for name in named]

        def placed(part: text.TextItem) -> Iterator[PageItem]:
            if isinstance(part, text.CodePlaceholder):
                yield Details(part.title, self._code_markdown(part.name))
            elif isinstance(part, Details):
                yield self._prose_only(part)
            elif not isinstance(part, text.Placeholder):
                yield part
            elif part.name in pending[part.kind]:
                yield from pending[part.kind].pop(part.name)
            else:
                raise ValueError(
                    f"lesson {self.slug!r} has no figure, table or list, or no second place, for "
                    f"{part.name!r}; it has {every}"
                )

        for part in parts:
            if isinstance(part, OptionalSection):
                inside = tuple(each for within in part.parts for each in placed(within))
                yield OptionalSection(
                    part.title, part.name, part.finding, part.minutes, part.figure, inside
                )
            elif isinstance(part, Takeaways):
                yield part
            else:
                yield from placed(part)
        left = [name for named in pending.values() for name in named]
        if left:
            raise ValueError(f"lesson {self.slug!r}: the text has no place for {left}")

    def _parse_list(self, written: str) -> list[str | Details]:
        """Parse generated Markdown (of a `list` placeholder) into prose and collapsible blocks."""
        parts = list(text.parse_text(written))
        if not all(isinstance(part, str | Details) for part in parts):
            raise ValueError(f"lesson {self.slug!r}: a list is prose and folds, got {written!r}")
        return [part for part in parts if isinstance(part, str | Details)]

    def _prose_only(self, fold: Details) -> Details:
        """Return a collapsible block, after checking that it contains only prose.

        Raises:
            ValueError: It contains something else.
        """
        others = [part for part in text.parse_text(fold.text) if not isinstance(part, str)]
        if others:
            raise ValueError(f"fold {fold.title!r}: holds prose alone, got {others[0]}")
        return fold

    def _code_markdown(self, start: str) -> str:
        """Return the example programs with this name as Markdown, one for each library."""
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


def _with_table_of_contents(
    parts: tuple[text.TextBlock, ...], more: Sequence[str]
) -> tuple[text.TextBlock, ...]:
    """Insert a table of contents below a page's introduction, if the page has many headings."""
    prose = "\n".join(part for part in parts if isinstance(part, str))
    heads = [line[3:] for line in prose.splitlines() if line.startswith("## ")] + [*more]
    if len(heads) < MIN_CONTENTS_HEADINGS or not isinstance(parts[0], str):
        return parts
    links = " · ".join(f"[{head}](#{text.anchor(head)})" for head in heads)
    lead, _, rest = parts[0].partition("\n\n")
    return f"{lead}\n\nOn this page: {links}\n\n{rest}".strip(), *parts[1:]
