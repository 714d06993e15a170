"""The text of a lesson: prose, and directives for figures, panels, folds and what is asked.

A directive is a block between `::: kind name` and `:::`. The kinds are `figure`, `table`, `list`,
`panel`, `fold`, `programs`, and those of `lnviz.lessons.asking`. A fold is prose that opens when
its title is clicked. `::: programs layer LayerNorm` is a fold with this title that holds the
programs beside the text: `layer_pytorch_code.py`, say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from markdown_it.tree import SyntaxTreeNode

from lnviz.lessons.asking import KINDS, Asked, asked
from lnviz.lessons.markdown import blocks, source, span

PANEL_NAMES = ("check", "go-on")
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


Part = str | Place | Programs | Panel | Asked | Fold


def parts(text: str) -> Iterator[Part]:
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


def _directive(node: SyntaxTreeNode, lines: list[str]) -> Part:
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
    raise ValueError(
        "a directive is a figure, a table, a list, a panel, a fold, programs, or one of "
        f"{', '.join(KINDS)}, got {node.info.strip()!r}"
    )


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
