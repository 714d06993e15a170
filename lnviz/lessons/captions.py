"""Captions of figures: the Markdown file beside a figure's module, `gain.md` for `gain.py`.

The first line is a heading, the figure's title. Every paragraph is a sentence with live numbers (a
`Readout`). A plain paragraph is a note that is always shown. A block between `:::` and `:::` sets
the style of its paragraphs and the conditions under which they are shown, in this order:

- `::: finding`, `::: verdict`, `::: formula`, `::: note`, `::: usage` or `::: method`;
- `::: note when coming in=input; norm=batch|layer`: controls, and the values at which the block is
  shown;
- `::: verdict given shrunk`, `::: note lacking inside`: a tensor that must be finite, or NaN;
- `::: step`, `::: step norm=layer; weight scale=1.2 about 1, 2`: a step of the figure's story, its
  control values, and the views that it describes (see `Step`);
- `::: note for summed`: the block is repeated for each `CaptionVariant` that the module passes
  under this name, with the variant's values.

Paragraphs below a heading such as `## singular values` form a section with this name, which the
figure places separately.

`{name}` is a live number or label, as in `Readout`; `{{name}}` is filled in when the figure is
built, by `lnviz.lessons.interpolation`. A sentence has citation marks, `[=name]`, like those of a
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

from lnviz.explorable import Readout, Step, When
from lnviz.lessons.citation_marks import TASK_MARK, find_marks, strip_marks
from lnviz.lessons.interpolation import interpolate, placeholder_names
from lnviz.lessons.markdown import line_range, parse_blocks, to_source

STYLES = ("finding", "note", "usage", "verdict", "formula", "method")
_HEAD = re.compile(
    rf"(?P<look>{'|'.join(STYLES)})(?: when (?P<when>.+?))?(?: for (?P<case>.+?))?"
    r"(?: given (?P<given>.+?))?(?: lacking (?P<lacking>.+?))?"
)
STEP = "step"
_STEP = re.compile(rf"{STEP}(?: (?P<state>[^=]+=.+?))?(?: about (?P<about>\d+(?:, \d+)*))?")
_CONDITION = re.compile(r"([^=;|]+)=([^=;]+)")

Values = Mapping[str, float | str]


@dataclass(frozen=True)
class CaptionVariant:
    """One rendering of a caption block: its display conditions and its placeholder values.

    Attributes:
        when: conditions in addition to those of the block.
        values: values in addition to those of all captions.
        if_finite: as in `Readout`; ignored if the block itself names a tensor.
    """

    when: When
    values: Values = field(default_factory=dict)
    if_finite: str = ""


CaptionVariants = dict[str, tuple[CaptionVariant, ...] | bool]
"""For each name after `for`, its variants; True shows its blocks always and False never."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a figure's caption file, parsed, with its style and display conditions.

    Attributes:
        text: the Markdown, with placeholders and citation marks.
        location: the file and line, for error messages.
        section: the heading above it; "" for none.
        style: as in `Readout`, or `step`.
        when: as in `Readout`; for a step, one value for each control that it names.
        about: as in `Step`.
        variant: the name after `for`; "" for none.
        if_finite: as in `Readout`.
        if_nan: as in `Readout`.
    """

    text: str
    location: str
    section: str = ""
    style: str = "note"
    when: When = field(default_factory=dict)
    about: tuple[int, ...] = ()
    variant: str = ""
    if_finite: str = ""
    if_nan: str = ""

    def readout(self, values: Values, case: CaptionVariant) -> Readout:
        """Return this paragraph as a `Readout`, with the values of one variant filled in.

        Raises:
            ValueError: a placeholder names no value, or its value does not fit its format.
        """
        text = self._filled({**values, **case.values})
        when = self.when | case.when
        given = self.if_finite or case.if_finite
        return Readout(text, self.style, when, given, self.if_nan, location=self.location)

    def step(self, values: Values) -> Step:
        """Return this paragraph as a `Step`.

        Raises:
            ValueError: a placeholder names no value, or its value does not fit its format.
        """
        state = {control: value for control, (value,) in self.when.items()}
        is_task = TASK_MARK in find_marks(self.text)
        return Step(self._filled(values), state, self.about, self.location, is_task)

    def _filled(self, values: Values) -> str:
        try:
            filled = interpolate(strip_marks(self.text), values)
        except ValueError as error:
            raise ValueError(f"{self.location}: {error}") from error
        return filled.replace(" %", "\N{NO-BREAK SPACE}%")  # no line break before %


@dataclass(frozen=True)
class RenderedCaptions:
    """A figure's title and its readouts (sentences with live numbers), with placeholders filled in.

    Attributes:
        title: the figure's accessible name.
        sections: the readouts by section; those under no heading have the key "".
        steps: the steps of the figure's story.
    """

    title: str
    sections: Mapping[str, tuple[Readout, ...]]
    steps: tuple[Step, ...] = ()

    @property
    def readouts(self) -> tuple[Readout, ...]:
        """The readouts above the first section heading of the caption file."""
        return self.sections.get("", ())


@dataclass(frozen=True)
class Captions:
    """A parsed caption file: the title of a figure, and the paragraphs shown with it.

    Attributes:
        name: the name of the file.
        title: the figure's title, with citation marks.
        paragraphs: the paragraphs, in reading order.
    """

    name: str
    title: str
    paragraphs: tuple[Paragraph, ...]

    def render(
        self,
        values: Values | None = None,
        variants: Mapping[str, tuple[CaptionVariant, ...] | bool] | None = None,
    ) -> RenderedCaptions:
        """Fill in the placeholders; return the figure's title and readouts.

        Args:
            values: the values of `{{name}}` placeholders, numbers or texts, by name.
            variants: the variants of blocks with `for`, by the name after it.

        Raises:
            ValueError: a paragraph names a value or a variant that was not passed, or no paragraph
                names one that was passed.
        """
        values, every = values or {}, (CaptionVariant({}),)
        given = {
            name: (every if some else ()) if isinstance(some, bool) else some
            for name, some in (variants or {}).items()
        }
        unknown = [p for p in self.paragraphs if p.variant and p.variant not in given]
        if unknown:
            raise ValueError(
                f"{unknown[0].location}: no cases are called {unknown[0].variant!r}; there are "
                f"{sorted(given)}"
            )
        self._check("cases", set(given), {p.variant for p in self.paragraphs})
        written = {name for p in self.paragraphs for name in placeholder_names(p.text)}
        own = {name for some in given.values() for case in some for name in case.values}
        self._check("value", own | set(values), written | set(placeholder_names(self.title)))
        sections = {
            section: tuple(
                paragraph.readout(values, case)
                for paragraph in paragraphs
                if paragraph.style != STEP
                for case in (given[paragraph.variant] if paragraph.variant else every)
            )
            for section, paragraphs in groupby(self.paragraphs, lambda p: p.section)
        }
        steps = tuple(p.step(values) for p in self.paragraphs if p.style == STEP)
        return RenderedCaptions(interpolate(strip_marks(self.title), values), sections, steps)

    def _check(self, kind: str, given: set[str], written: set[str]) -> None:
        unused = sorted(given - written)
        if unused:
            raise ValueError(f"{self.name}: no sentence has a place for the {kind} {unused}")


def load_captions(module: str) -> Captions:
    """Parse the caption file of a figure: the Markdown file next to the figure's module.

    Args:
        module: the module's `__file__`.

    Raises:
        ValueError: the file has no title, contains something other than paragraphs, or has a block
            whose first line is malformed.
    """
    file = Path(module).with_suffix(".md")
    return parse_captions(file.read_text(encoding="utf-8"), file.name)


def parse_captions(text: str, name: str) -> Captions:
    r"""Parse the text of a caption file; its name is used in error messages.

    Raises:
        ValueError: as `load_captions`.

    >>> captions = parse_captions("# Size\n\n::: verdict given shrunk\nIt fades.\n:::", "a.md")
    >>> captions.paragraphs[0].if_finite
    'shrunk'
    """
    lines = text.splitlines()
    nodes = parse_blocks(text)
    if not nodes or nodes[0].tag != "h1":
        raise ValueError(f"{name}: begins with the figure’s title, as # and a text")
    paragraphs: list[Paragraph] = []
    sections = [""]
    for node in nodes[1:]:
        location = _location(name, node)
        if node.tag == "h2":
            sections.append(_heading(node))
        elif node.type == "container_directive":
            shown = _parse_head(node.info.strip(), location)
            paragraphs += (
                Paragraph(
                    _text(inside, lines, name), _location(name, inside), sections[-1], **shown
                )
                for inside in node.children
            )
        else:
            paragraphs.append(Paragraph(_text(node, lines, name), location, sections[-1]))
    if len(set(sections)) < len(sections):
        raise ValueError(f"{name}: sections have names of their own, got {sections[1:]}")
    return Captions(name, _heading(nodes[0]), tuple(paragraphs))


def _location(name: str, node: SyntaxTreeNode) -> str:
    return f"{name}, line {line_range(node)[0] + 1}"


def _heading(node: SyntaxTreeNode) -> str:
    return node.children[0].content


def _text(node: SyntaxTreeNode, lines: list[str], name: str) -> str:
    if node.type != "paragraph":
        raise ValueError(
            f"{_location(name, node)}: a figure says paragraphs, got a "
            f"{node.type.replace('_', ' ')}"
        )
    return " ".join(to_source([node], lines).split())


def _parse_head(head: str, location: str) -> dict[str, Any]:
    """Parse the first line of a `:::` block into the fields of `Paragraph` that it sets."""
    if step := _STEP.fullmatch(head):
        about = tuple(map(int, (step["about"] or "").split(", "))) if step["about"] else ()
        return {
            "style": STEP,
            "when": _parse_conditions(step["state"], location),
            "about": about,
        }
    parts = _HEAD.fullmatch(head)
    if not parts:
        raise ValueError(
            f"{location}: a block begins with step, {', '.join(STYLES)}, and then with when "
            f"CONTROL=VALUE, for CASES, given TENSOR, lacking TENSOR, in this order; got {head!r}"
        )
    fields = {"style": "look", "variant": "case", "if_finite": "given", "if_nan": "lacking"}
    return {name: parts[group] or "" for name, group in fields.items()} | {
        "when": _parse_conditions(parts["when"], location)
    }


def _parse_conditions(written: str | None, location: str) -> When:
    """Parse `norm=batch|layer; coming in=input` into the values allowed for each control."""
    when = {}
    for condition in written.split("; ") if written else ():
        control = _CONDITION.fullmatch(condition)
        if not control:
            raise ValueError(
                f"{location}: a condition is written as norm=batch or norm=batch|layer, got "
                f"{condition!r}"
            )
        when[control[1]] = tuple(map(_parse_value, control[2].split("|")))
    return when


def _parse_value(written: str) -> float | str:
    """Parse a control's value in a `when` condition: a number if possible, else a string."""
    try:
        return float(written)
    except ValueError:
        return written
