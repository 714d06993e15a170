"""The text of a lesson: prose, and directives for its figures, panels and questions.

A directive is a block between `::: kind name` and `:::`. The kinds are `figure`, `table`, `list`,
`panel`, `question`, `fold` and `programs`. A question holds its text, a list of options (`- [ ]`,
the right one `- [x]`), below an option what is said to whoever has chosen it, and at the end the
reason. A fold is prose that opens when its title is clicked. `::: programs layer LayerNorm` is a
fold with this title that holds the programs beside the text: `layer_pytorch_code.py`, say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.container import container_plugin

PANEL_NAMES = ("check", "go-on")
"""What a page can put below a figure; `lnviz.web.panels` holds one for each name."""


@dataclass(frozen=True)
class Placed:
    """The place of a figure, by its name."""

    name: str


@dataclass(frozen=True)
class Listed:
    """The place of a list that is made from data, by its name."""

    name: str


@dataclass(frozen=True)
class Tabled:
    """The place of a table, by its name."""

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
class Answer:
    """One of a question's options, and what is said to whoever has chosen it."""

    text: str
    is_right: bool
    reply: str


@dataclass(frozen=True)
class Question:
    """A question the reader answers before the lesson does."""

    name: str
    text: str
    answers: tuple[Answer, ...]
    why: str

    def verdict(self, chosen: Answer | None) -> str:
        """What is said first to whoever has checked; it names the option they chose."""
        if chosen is None:
            return "Choose an option first."
        if chosen.is_right:
            return f"“{chosen.text}”: yes."
        right = next(answer.text for answer in self.answers if answer.is_right)
        return f"“{chosen.text}”: not quite. The answer is “{right}”."


@dataclass(frozen=True)
class Fold:
    """Prose for some readers, closed until they open it."""

    title: str
    text: str


Part = str | Placed | Listed | Tabled | Programs | Panel | Question | Fold

_MARKDOWN = MarkdownIt("commonmark").use(
    container_plugin, "directive", validate=lambda head, _: bool(head.strip())
)


def parts(text: str) -> Iterator[Part]:
    r"""Prose (as Markdown), figures, panels, questions and folds, in reading order.

    Raises:
        ValueError: A directive is of no known kind, or a question is not one.

    >>> list(parts("Look.\n\n::: figure grid\n:::\n"))
    ['Look.', Placed(name='grid')]
    """
    lines = text.splitlines()
    done = 0
    for node in SyntaxTreeNode(_MARKDOWN.parse(text)).children:
        if node.type != "container_directive":
            continue
        start, end = _lines(node)
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
    if kind == "figure":
        return Placed(name)
    if kind == "list":
        return Listed(name)
    if kind == "table":
        return Tabled(name)
    if kind == "programs":
        start, _, title = name.partition(" ")
        return Programs(start, title)
    if kind == "panel":
        if name not in PANEL_NAMES:
            raise ValueError(f"no panel is called {name!r}; there are {', '.join(PANEL_NAMES)}")
        return Panel(name)
    if kind == "question":
        return _question(name, node, lines)
    if kind == "fold":
        return Fold(name, _source(node.children, lines))
    raise ValueError(
        "a directive is a figure, a table, a list, a panel, a question, a fold or programs, got "
        f"{node.info.strip()!r}"
    )


def anchor(heading: str) -> str:
    """The id that Streamlit gives a heading, and with it every link to it.

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


def _question(name: str, node: SyntaxTreeNode, lines: list[str]) -> Question:
    blocks = node.children
    at = next((i for i, block in enumerate(blocks) if block.type == "bullet_list"), None)
    answers = (
        () if at is None else tuple(_answer(name, item, lines) for item in blocks[at].children)
    )
    if len(answers) < 2 or sum(answer.is_right for answer in answers) != 1:
        raise ValueError(f"question {name!r}: needs two options or more, exactly one marked [x]")
    assert at is not None
    return Question(name, _source(blocks[:at], lines), answers, _source(blocks[at + 1 :], lines))


def _answer(question: str, item: SyntaxTreeNode, lines: list[str]) -> Answer:
    text = item.children[0].children[0].content
    mark, text = text[:4], text[4:]
    if mark not in ("[ ] ", "[x] "):
        raise ValueError(f"question {question!r}: an option begins with [ ] or [x], got {text!r}")
    return Answer(text, mark == "[x] ", _source(item.children[1:], lines))


def _source(nodes: list[SyntaxTreeNode], lines: list[str]) -> str:
    """The Markdown that these blocks were read from."""
    if not nodes:
        return ""
    return dedent("\n".join(lines[_lines(nodes[0])[0] : _lines(nodes[-1])[1]])).strip()


def _lines(node: SyntaxTreeNode) -> tuple[int, int]:
    assert node.map is not None
    return node.map
