"""The text of a lesson: prose, and directives for figures, panels, folds and what is asked.

A directive is a block between `::: kind name` and `:::`. The kinds are `figure`, `table`, `list`,
`panel`, `fold`, `programs`, and those of `lnviz.lessons.exercises`. A fold is prose that opens when
its title is clicked. `::: programs layer LayerNorm` is a fold with this title that holds the
programs beside the text: `layer_pytorch_code.py`, say.

Two kinds stand in the text itself and in nothing else. `::: remember` holds an ordered list of
three sentences. `:::: deeper 3 depth` is a part for some readers: its minutes, and the figure that
it has a small picture of (its first, if none is named). It begins with a heading (`## `) and a
paragraph that says what is found there, which show while it is closed; what opens below them is
anything else that a text can hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from markdown_it.tree import SyntaxTreeNode

from lnviz.lessons.exercises import KINDS, Asked, asked
from lnviz.lessons.markdown import blocks, source, span

PANEL_NAMES = ("check", "ways", "network", "lessons")
"""The panels that a page can put below a figure; `lnviz.web.panels` holds one for each name."""


@dataclass(frozen=True)
class Place:
    """The place of something that its page has, by its kind and its name."""

    kind: Literal["figure", "table", "list"]
    name: str


@dataclass(frozen=True)
class Programs:
    """The place of a fold with programs, by how their files' names begin."""

    name: str
    title: str


@dataclass(frozen=True)
class Panel:
    """The place of a panel, by its name: one of `PANEL_NAMES`."""

    name: str


@dataclass(frozen=True)
class Fold:
    """Prose for some readers, closed until they open it."""

    title: str
    text: str


@dataclass(frozen=True)
class Remember:
    """What everybody should take away: three sentences, as Markdown."""

    sentences: tuple[str, ...]

    @property
    def prose(self) -> str:
        """The same as a list under its heading."""
        numbered = (f"{number}. {said}" for number, said in enumerate(self.sentences, 1))
        return "## Remember\n\n" + "\n".join(numbered)


Inside = TypeVar("Inside")


@dataclass(frozen=True)
class Deeper(Generic[Inside]):
    """A part for some readers, closed until it is opened.

    Attributes:
        title: of it, which shows while it is closed.
        finding: what is found there, as Markdown, which shows while it is closed.
        minutes: that it takes, about.
        figure: the name of the figure that it has a small picture of; "" for none.
        parts: what opens.
    """

    title: str
    finding: str
    minutes: int
    figure: str
    parts: tuple[Inside, ...]

    @property
    def flat(self) -> tuple[str | Inside, ...]:
        """All of it, as where nothing is closed."""
        return (f"## {self.title}\n\n{self.finding}", *self.parts)


Part = str | Place | Programs | Panel | Asked | Fold
Outer = Part | Remember | Deeper[Part]
"""A part, or what only the text itself can hold."""


def parts(text: str) -> Iterator[Outer]:
    r"""Return prose (as Markdown), places, panels, what is asked and folds, in reading order.

    Raises:
        ValueError: A directive is of no known kind, or not written as it must be.

    >>> list(parts("Look.\n\n::: figure grid\n:::\n"))
    ['Look.', Place(kind='figure', name='grid')]
    """
    lines = text.splitlines()
    done = 0
    for node in blocks(text):
        if node.type != "container_directive":
            continue
        start, end = span(node)
        yield from _prose(lines[done:start])
        yield _directive(node, lines)
        done = end
        if done < len(lines) and re.fullmatch(":{3,}", lines[done].strip()):
            done += 1
    yield from _prose(lines[done:])


def _prose(lines: list[str]) -> Iterator[str]:
    prose = "\n".join(lines).strip()
    if prose:
        yield prose


def _directive(node: SyntaxTreeNode, lines: list[str]) -> Outer:
    kind, _, name = node.info.strip().partition(" ")
    if kind in KINDS:
        return asked(kind, name, node, lines)
    match kind:
        case "figure" | "table" | "list":
            return Place(kind, name)
        case "programs":
            start, _, title = name.partition(" ")
            return Programs(start, title)
        case "panel":
            if name not in PANEL_NAMES:
                raise ValueError(f"no panel is called {name!r}; there are {', '.join(PANEL_NAMES)}")
            return Panel(name)
        case "fold":
            return Fold(name, source(node.children, lines))
        case "remember":
            return _remember(node.children, lines)
        case "deeper":
            return _deeper(name, node.children, lines)
    raise ValueError(
        "a directive is a figure, a table, a list, a panel, a fold, programs, remember, deeper, or "
        f"one of {', '.join(KINDS)}, got {node.info.strip()!r}"
    )


def _remember(inside: list[SyntaxTreeNode], lines: list[str]) -> Remember:
    items = [[part.type for part in item.children] for node in inside for item in node.children]
    if [node.type for node in inside] != ["ordered_list"] or items != 3 * [["paragraph"]]:
        raise ValueError(
            "remember: holds an ordered list of three sentences and nothing else, got "
            f"{source(inside, lines)!r}"
        )
    return Remember(tuple(item.children[0].children[0].content for item in inside[0].children))


def _deeper(named: str, inside: list[SyntaxTreeNode], lines: list[str]) -> Deeper[Part]:
    minutes, _, figure = named.partition(" ")
    if not minutes.isdecimal():
        raise ValueError(
            "deeper: its minutes stand behind it, and perhaps the figure that it has a picture of, "
            f"as in `deeper 3 depth`, got {named!r}"
        )
    if [(node.type, node.tag) for node in inside[:2]] != [("heading", "h2"), ("paragraph", "p")]:
        raise ValueError(
            "deeper: begins with a heading (`## `) and a paragraph that says what is found there, "
            f"got {source(inside[:2], lines)!r}"
        )
    title = inside[0].children[0].content
    if any(node.type == "link" for head in inside[:2] for node in head.walk()):
        raise ValueError(f"deeper {title!r}: is opened by its finding, which can hold no link")
    opening: list[Part] = []
    for part in parts(source(inside[2:], lines)):
        if isinstance(part, Remember | Deeper):
            raise ValueError(f"deeper {title!r}: holds no other part that is deeper, or remember")
        opening.append(part)
    if not opening:
        raise ValueError(f"deeper {title!r}: has nothing below its finding that could open")
    figures = [part.name for part in opening if isinstance(part, Place) and part.kind == "figure"]
    if figure and figure not in figures:
        raise ValueError(f"deeper {title!r}: has no figure {figure!r}, it has {figures}")
    shown = figure or next(iter(figures), "")
    return Deeper(title, source(inside[1:2], lines), int(minutes), shown, tuple(opening))


def anchor(heading: str) -> str:
    """Return the id that Streamlit gives a heading, and with it every link to it.

    Raises:
        ValueError: The heading has letters beyond ASCII, for which Streamlit looks for others.

    >>> anchor("Why: the way to memory"), anchor("“LayerNorm's ε-free twin”".replace("ε", "eps"))
    ('why-the-way-to-memory', 'layer-norms-eps-free-twin')
    """
    if any(letter.isalpha() and not letter.isascii() for letter in heading):
        raise ValueError(f"a heading is written in the letters of ASCII, got {heading!r}")
    for humps in _HUMPS:
        heading = re.sub(humps, r"\1 \2", heading)
    heading = re.sub(r"(\w)['’]([ts])\b", r"\1\2", heading.lower())
    return "-".join(re.findall(r"[a-z0-9]+", heading))


# Where a word with capitals inside is taken apart.
_HUMPS = (
    r"([A-Z]{2,})(\d+)",
    r"([a-z\d]+)([A-Z]{2,})",
    r"([a-z\d])([A-Z])",
    r"([A-Z]+)([A-Z][a-rt-z\d]+)",
)
