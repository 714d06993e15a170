"""What a figure says, in Markdown beside its module: `gain.md` for `gain.py`.

The first line is the figure's title, a heading. Every paragraph is a sentence with live numbers (a
`Readout`); one by itself is a note shown everywhere. A block between `:::` and `:::` says how it
looks, and on which conditions it is shown, all of them after each other where there are several:

- `::: finding`, `::: verdict`, `::: formula`, `::: note` or `::: method`;
- `::: note when coming in=input; norm=batch|layer`: controls, and the values at which it is shown;
- `::: verdict given shrunk`, `::: note lacking inside`: a tensor that must, or must not, have a
  value there;
- `::: note for summed`: in each `Case` that the module gives by this name, with its values.

Paragraphs below a heading such as `## singular values` belong to a section of this name, which a
figure puts in a row of its own.

`{name}` is a live number or label, as in `Readout`; `{{name}}` is filled when the figure is built,
as in `lnviz.lessons.interpolation`. A sentence carries its proof, `[=name]`, like those of a
page's text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from markdown_it.tree import SyntaxTreeNode

from lnviz.explorable import Readout, When
from lnviz.lessons.citation_marks import unmarked
from lnviz.lessons.interpolation import fill, names
from lnviz.lessons.markdown import blocks, source, span

LOOKS = ("finding", "note", "verdict", "formula", "method")
_HEAD = re.compile(
    rf"(?P<look>{'|'.join(LOOKS)})(?: when (?P<when>.+?))?(?: for (?P<case>.+?))?"
    r"(?: given (?P<given>.+?))?(?: lacking (?P<lacking>.+?))?"
)
_CONDITION = re.compile(r"([^=;|]+)=([^=;]+)")

Values = Mapping[str, float | str]


@dataclass(frozen=True)
class Case:
    """A case in which a sentence is said.

    Attributes:
        when: where it is said, besides what the sentence says itself.
        values: the values it is filled with there, besides those of all sentences.
        given: as in `Readout`, where the sentence does not say itself.
    """

    when: When
    values: Values = field(default_factory=dict)
    given: str = ""


Where = dict[str, tuple[Case, ...] | bool]
"""Where what is written `for` a name is said: in these cases, or everywhere, or nowhere."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph as it is written.

    Attributes:
        text: the text, with its placeholders and marks.
        place: its file and line, for whoever has to mend it.
        section: the heading that it stands under; "" for none.
        look: as in `Readout`.
        when: as in `Readout`.
        case: the name of the cases in which it is said; "" for always.
        given: as in `Readout`.
        lacking: as in `Readout`.
    """

    text: str
    place: str
    section: str = ""
    look: str = "note"
    when: When = field(default_factory=dict)
    case: str = ""
    given: str = ""
    lacking: str = ""

    def readout(self, values: Values, case: Case) -> Readout:
        """Return the sentence in a case.

        Raises:
            ValueError: a placeholder names no value, or it cannot be written as asked for.
        """
        try:
            filled = fill(unmarked(self.text), {**values, **case.values})
        except ValueError as error:
            raise ValueError(f"{self.place}: {error}") from error
        when = self.when | case.when
        given = self.given or case.given
        text = filled.replace(" %", "\N{NO-BREAK SPACE}%")  # a number keeps its unit beside it
        return Readout(text, self.look, when, given, self.lacking, location=self.place)


@dataclass(frozen=True)
class Said:
    """What a figure says, filled.

    Attributes:
        title: the figure's accessible name.
        sections: its sentences by section; those under no heading have the name "".
    """

    title: str
    sections: Mapping[str, tuple[Readout, ...]]

    @property
    def readouts(self) -> tuple[Readout, ...]:
        """The sentences under no heading."""
        return self.sections.get("", ())


@dataclass(frozen=True)
class Words:
    """The Markdown beside a figure, read.

    Attributes:
        name: the name of the file.
        title: the figure's title, with its mark.
        paragraphs: the paragraphs, in reading order.
    """

    name: str
    title: str
    paragraphs: tuple[Paragraph, ...]

    def said(
        self,
        values: Values | None = None,
        cases: Mapping[str, tuple[Case, ...] | bool] | None = None,
    ) -> Said:
        """Return the sentences with their values.

        Args:
            values: what `{{name}}` stands for, a number or a text, by name.
            cases: the cases of what is said `for` a name, as in `Where`.

        Raises:
            ValueError: a sentence names a value or a case that is not given, or one that is given
                is in no sentence.
        """
        values, every = values or {}, (Case({}),)
        given = {
            name: (every if some else ()) if isinstance(some, bool) else some
            for name, some in (cases or {}).items()
        }
        unknown = [p for p in self.paragraphs if p.case and p.case not in given]
        if unknown:
            raise ValueError(
                f"{unknown[0].place}: no cases are called {unknown[0].case!r}; there are "
                f"{sorted(given)}"
            )
        self._check("cases", set(given), {p.case for p in self.paragraphs})
        written = {name for p in self.paragraphs for name in names(p.text)}
        own = {name for some in given.values() for case in some for name in case.values}
        self._check("value", own | set(values), written | set(names(self.title)))
        sections = {
            section: tuple(
                paragraph.readout(values, case)
                for paragraph in paragraphs
                for case in (given[paragraph.case] if paragraph.case else every)
            )
            for section, paragraphs in groupby(self.paragraphs, lambda p: p.section)
        }
        return Said(fill(unmarked(self.title), values), sections)

    def _check(self, kind: str, given: set[str], written: set[str]) -> None:
        unused = sorted(given - written)
        if unused:
            raise ValueError(f"{self.name}: no sentence has a place for the {kind} {unused}")


def words(module: str) -> Words:
    """Read the words that stand beside a figure's module.

    Args:
        module: the module's `__file__`.

    Raises:
        ValueError: the file has no title, something that is no paragraph, or a block that begins
            in another way than those above.
    """
    file = Path(module).with_suffix(".md")
    return read(file.read_text(encoding="utf-8"), file.name)


def read(text: str, name: str) -> Words:
    r"""Read the words of a figure from the text of a file of this name.

    Raises:
        ValueError: as `words`.

    >>> read("# Sizes\n\n::: verdict given shrunk\nIt fades.\n:::", "a.md").paragraphs[0].given
    'shrunk'
    """
    lines = text.splitlines()
    nodes = blocks(text)
    if not nodes or nodes[0].tag != "h1":
        raise ValueError(f"{name}: begins with the figure's title, as # and a text")
    paragraphs: list[Paragraph] = []
    sections = [""]
    for node in nodes[1:]:
        place = _place(name, node)
        if node.tag == "h2":
            sections.append(_heading(node))
        elif node.type == "container_directive":
            shown = _conditions(node.info.strip(), place)
            paragraphs += (
                Paragraph(_text(inside, lines, name), _place(name, inside), sections[-1], **shown)
                for inside in node.children
            )
        else:
            paragraphs.append(Paragraph(_text(node, lines, name), place, sections[-1]))
    if len(set(sections)) < len(sections):
        raise ValueError(f"{name}: sections have names of their own, got {sections[1:]}")
    return Words(name, _heading(nodes[0]), tuple(paragraphs))


def _place(name: str, node: SyntaxTreeNode) -> str:
    return f"{name}, line {span(node)[0] + 1}"


def _heading(node: SyntaxTreeNode) -> str:
    return node.children[0].content


def _text(node: SyntaxTreeNode, lines: list[str], name: str) -> str:
    if node.type != "paragraph":
        raise ValueError(
            f"{_place(name, node)}: a figure says paragraphs, got a {node.type.replace('_', ' ')}"
        )
    return " ".join(source([node], lines).split())


def _conditions(head: str, place: str) -> dict[str, Any]:
    """How a block looks and where it is shown, from its first line."""
    parts = _HEAD.fullmatch(head)
    if not parts:
        raise ValueError(
            f"{place}: a block begins with {', '.join(LOOKS)}, and then with when CONTROL=VALUE, "
            f"for CASES, given TENSOR, lacking TENSOR, in this order; got {head!r}"
        )
    when = {}
    for condition in (parts["when"] or "").split("; ") if parts["when"] else ():
        control = _CONDITION.fullmatch(condition)
        if not control:
            raise ValueError(
                f"{place}: a condition is written as norm=batch or norm=batch|layer, got "
                f"{condition!r}"
            )
        when[control[1]] = tuple(map(_value, control[2].split("|")))
    rest = {key: parts[key] or "" for key in ("look", "case", "given", "lacking")}
    return rest | {"when": when}


def _value(written: str) -> float | str:
    """A slider's value is a number, an option's is a text."""
    try:
        return float(written)
    except ValueError:
        return written
