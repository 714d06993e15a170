"""Parser of a lesson's text: prose, and directives for figures, panels, details and exercises.

A directive is a block between `::: kind name` and `:::`. The kinds are `figure`, `table`, `list`,
`panel`, `fold`, `programs`, and those of `lnviz.lessons.exercises`. A fold is prose that opens when
its title is clicked. `::: programs layer LayerNorm` is a fold with this title that shows the
programs beside the text, such as `layer_pytorch_code.py`.

Two kinds must not be nested in others. `::: remember` contains an ordered list of three sentences.
`:::: deeper 3 depth` is an optional section, with its duration in minutes and the figure of its
thumbnail (by default, its first figure). It begins with a heading (`## `) and a paragraph with its
main finding, which are visible while it is closed. Any other content of a text may follow. Its
address is made from its heading, unless the heading ends in one: `## What if it grows? {#growth}`.
Any other heading has the address that its words make, and must not end in one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from markdown_it.tree import SyntaxTreeNode

from lnviz.lessons.exercises import PARSERS, Exercise, parse_exercise
from lnviz.lessons.markdown import line_range, parse_blocks, to_source

PANEL_NAMES = ("check", "ways", "network", "lessons")
"""The names of panels, which `lnviz.web.panels` renders."""


@dataclass(frozen=True)
class Placeholder:
    """Placeholder in a text for a figure, table or list that the lesson declares."""

    kind: Literal["figure", "table", "list"]
    name: str


@dataclass(frozen=True)
class CodePlaceholder:
    """Placeholder for a collapsible block with the programs whose file names begin with `name`."""

    name: str
    title: str


@dataclass(frozen=True)
class Panel:
    """Placeholder in a text for an interactive panel, one of `PANEL_NAMES`."""

    name: str


@dataclass(frozen=True)
class Details:
    """A collapsible block of prose, initially closed."""

    title: str
    text: str


@dataclass(frozen=True)
class Takeaways:
    """The three sentences of a lesson that readers should remember, as Markdown."""

    sentences: tuple[str, ...]

    @property
    def markdown(self) -> str:
        """The sentences as a numbered Markdown list under a heading."""
        numbered = (f"{number}. {said}" for number, said in enumerate(self.sentences, 1))
        return "## Remember\n\n" + "\n".join(numbered)


Inside = TypeVar("Inside")


@dataclass(frozen=True)
class OptionalSection(Generic[Inside]):
    """A collapsible optional section of a lesson, initially closed.

    Attributes:
        title: the heading, visible while it is closed.
        name: the HTML id of the heading, for links to it.
        finding: its main finding, as Markdown, visible while it is closed.
        minutes: the approximate reading time in minutes.
        figure: the name of the figure shown as its thumbnail; "" for none.
        parts: the content.
    """

    title: str
    name: str
    finding: str
    minutes: int
    figure: str
    parts: tuple[Inside, ...]

    @property
    def flattened(self) -> tuple[str | Inside, ...]:
        """The title and finding, then the content, for output in which nothing is collapsed."""
        return (f"## {self.title}\n\n{self.finding}", *self.parts)


TextItem = str | Placeholder | CodePlaceholder | Panel | Exercise | Details
TextBlock = TextItem | Takeaways | OptionalSection[TextItem]
"""An item, or a block that may not be nested in others."""


def parse_text(text: str) -> Iterator[TextBlock]:
    r"""Parse a lesson's text; yield prose, placeholders, exercises and other blocks in order.

    Raises:
        ValueError: A directive is of an unknown kind or malformed.

    >>> list(parse_text("Look.\n\n::: figure grid\n:::\n"))
    ['Look.', Placeholder(kind='figure', name='grid')]
    """
    lines = text.splitlines()
    done = 0
    for node in parse_blocks(text):
        if node.type != "container_directive":
            continue
        start, end = line_range(node)
        yield from _prose(lines[done:start])
        yield _parse_directive(node, lines)
        done = end
        if done < len(lines) and re.fullmatch(":{3,}", lines[done].strip()):
            done += 1
    yield from _prose(lines[done:])


def _prose(lines: list[str]) -> Iterator[str]:
    prose = "\n".join(lines).strip()
    for line in prose.splitlines():
        if re.fullmatch(r"#+ .*\{#.*\}", line):
            raise ValueError(
                f"only the heading of what is deeper can name its address, got {line!r}"
            )
    if prose:
        yield prose


def _parse_directive(node: SyntaxTreeNode, lines: list[str]) -> TextBlock:
    kind, _, name = node.info.strip().partition(" ")
    if kind in PARSERS:
        return parse_exercise(kind, name, node, lines)
    match kind:
        case "figure" | "table" | "list":
            return Placeholder(kind, name)
        case "programs":
            start, _, title = name.partition(" ")
            return CodePlaceholder(start, title)
        case "panel":
            if name not in PANEL_NAMES:
                raise ValueError(f"no panel is called {name!r}; there are {', '.join(PANEL_NAMES)}")
            return Panel(name)
        case "fold":
            return Details(name, to_source(node.children, lines))
        case "remember":
            return _parse_takeaways(node.children, lines)
        case "deeper":
            return _parse_optional_section(name, node.children, lines)
    raise ValueError(
        "a directive is a figure, a table, a list, a panel, a fold, programs, remember, deeper, or "
        f"one of {', '.join(PARSERS)}, got {node.info.strip()!r}"
    )


def _parse_takeaways(inside: list[SyntaxTreeNode], lines: list[str]) -> Takeaways:
    items = [[part.type for part in item.children] for node in inside for item in node.children]
    if [node.type for node in inside] != ["ordered_list"] or items != 3 * [["paragraph"]]:
        raise ValueError(
            "remember: holds an ordered list of three sentences and nothing else, got "
            f"{to_source(inside, lines)!r}"
        )
    return Takeaways(tuple(item.children[0].children[0].content for item in inside[0].children))


def _parse_optional_section(
    named: str, inside: list[SyntaxTreeNode], lines: list[str]
) -> OptionalSection[TextItem]:
    minutes, _, figure = named.partition(" ")
    if not minutes.isdecimal():
        raise ValueError(
            "deeper: its minutes stand behind it, and perhaps the figure that it has a picture of, "
            f"as in `deeper 3 depth`, got {named!r}"
        )
    if [(node.type, node.tag) for node in inside[:2]] != [("heading", "h2"), ("paragraph", "p")]:
        raise ValueError(
            "deeper: begins with a heading (`## `) and a paragraph that says what is found there, "
            f"got {to_source(inside[:2], lines)!r}"
        )
    title, name = _title_and_name(inside[0].children[0].content)
    if any(node.type == "link" for head in inside[:2] for node in head.walk()):
        raise ValueError(f"deeper {title!r}: is opened by its finding, which can hold no link")
    opening: list[TextItem] = []
    for part in parse_text(to_source(inside[2:], lines)):
        if isinstance(part, Takeaways | OptionalSection):
            raise ValueError(f"deeper {title!r}: holds no other part that is deeper, or remember")
        opening.append(part)
    if not opening:
        raise ValueError(f"deeper {title!r}: has nothing below its finding that could open")
    figures = [
        part.name for part in opening if isinstance(part, Placeholder) and part.kind == "figure"
    ]
    if figure and figure not in figures:
        raise ValueError(f"deeper {title!r}: has no figure {figure!r}, it has {figures}")
    shown = figure or next(iter(figures), "")
    finding = to_source(inside[1:2], lines)
    return OptionalSection(title, name, finding, int(minutes), shown, tuple(opening))


def _title_and_name(heading: str) -> tuple[str, str]:
    """Split a heading into its title and its id, which follows in braces or is the title's."""
    named = re.fullmatch(r"(.+) \{#([a-z0-9-]+)\}", heading)
    return (named[1], named[2]) if named else (heading, anchor(heading))


def anchor(heading: str) -> str:
    """Return the id that Streamlit gives a heading, for use in links to it.

    Raises:
        ValueError: The heading has non-ASCII letters, which Streamlit transliterates.

    >>> anchor("Why: the way to memory"), anchor("“LayerNorm's ε-free twin”".replace("ε", "eps"))
    ('why-the-way-to-memory', 'layer-norms-eps-free-twin')
    """
    if any(letter.isalpha() and not letter.isascii() for letter in heading):
        raise ValueError(f"a heading is written in the letters of ASCII, got {heading!r}")
    for humps in _HUMPS:
        heading = re.sub(humps, r"\1 \2", heading)
    heading = re.sub(r"(\w)['’]([ts])\b", r"\1\2", heading.lower())
    return "-".join(re.findall(r"[a-z0-9]+", heading))


# The positions at which a word in camel case is split.
_HUMPS = (
    r"([A-Z]{2,})(\d+)",
    r"([a-z\d]+)([A-Z]{2,})",
    r"([a-z\d])([A-Z])",
    r"([A-Z]+)([A-Z][a-rt-z\d]+)",
)
