"""The text of a lesson: prose, and directives for its figures, panels and questions.

A directive is a block between `::: kind name` and `:::`. The kinds are `figure`, `panel`,
`question` and `fold`. A question holds its text, a list of options (`- [ ]`, the right one
`- [x]`), below an option what is said to whoever has chosen it, and at the end the reason. A fold
is prose that opens when its title is clicked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.container import container_plugin

PANEL_NAMES = ("check",)
"""What a page can put below a figure; `lnviz.web.panels` holds one for each name."""


@dataclass(frozen=True)
class Placed:
    """The place of a figure, by its name."""

    name: str


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


@dataclass(frozen=True)
class Fold:
    """Prose for some readers, closed until they open it."""

    title: str
    text: str


Part = str | Placed | Panel | Question | Fold

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
        if done < len(lines) and lines[done].strip() == ":::":
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
    if kind == "panel":
        if name not in PANEL_NAMES:
            raise ValueError(f"no panel is called {name!r}; there are {', '.join(PANEL_NAMES)}")
        return Panel(name)
    if kind == "question":
        return _question(name, node, lines)
    if kind == "fold":
        return Fold(name, _source(node.children, lines))
    raise ValueError(
        f"a directive is a figure, a panel, a question or a fold, got {node.info.strip()!r}"
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
