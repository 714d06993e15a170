"""Views: what is drawn from the slices of swept tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from lnviz.explorable.chart import Chart
from lnviz.explorable.controls import Control
from lnviz.explorable.cube import Cube
from lnviz.explorable.diagram import Diagram
from lnviz.explorable.photos import PhotoGallery
from lnviz.explorable.plane import ScatterPlane
from lnviz.explorable.scene import Scene
from lnviz.explorable.schema import FieldType, Name, NameOrNone, Serializable, Template, When
from lnviz.explorable.swept import SweptTensor
from lnviz.explorable.template import parse_template, referenced_names
from lnviz.explorable.units import UnitMaps
from lnviz.explorable.view_base import BaseView
from lnviz.frontend.theme import LEVELS


@dataclass(frozen=True)
class Readout(BaseView, kind="readout"):
    """A sentence or formula with live numbers.

    Args:
        text: A template. `{name}` is the label of a control's position, `{tensor}` a number, or the
            word it stands for where the tensor has words. A number's format follows a colon:
            decimal places (`{mean:4}`), significant digits (`{change:g2}`), these with the zeros at
            the end (`{printed:p3}`) or significant digits of the number whose base-10 logarithm the
            tensor holds (`{place:d2}`), an n for parentheses around negative numbers (`{mean:4n}`),
            a plus for the sum of a slice's numbers, written out (`{terms:2+}`; NaN is no term), and
            a style (`{mean:4 stat}`): `stat` in the norm's color, `value` in bold.
        style: `formula` (large), `note` (prose), `verdict` (prose that stands out), `finding` (what
            the figure shows, as its heading) or `method` (how its numbers came about, folded away).
        when: Where it is shown; everywhere without it.
        if_finite: Shown only where this tensor has a value.
        if_nan: Shown only where this tensor has none (NaN).
        location: The file and line of its text, which errors name.
    """

    text: Template = field(metadata={"key": "pieces"})
    style: str = "note"
    when: When = field(default_factory=dict)
    if_finite: NameOrNone = ""
    if_nan: NameOrNone = ""
    location: str = field(default="", metadata={"key": ""})

    def source_location(self) -> str:
        """Return the file and line of the text, for error messages."""
        return self.location


Side = Literal["row", "column"]


@dataclass(frozen=True)
class Margin(Serializable):
    """Statistics beside a grid.

    Args:
        side: `row` for one number a row, beside it; `column` for one a column, below it.
        label: The heading of the numbers.
        values: The tensor of the numbers.
        when: Where they are shown.
        marks: A tensor of the same length: where it is 1, the number stands out.
        format: Decimal places or significant digits, as in `Readout`.
    """

    side: Side
    label: str
    values: Name
    when: When = field(default_factory=dict)
    marks: NameOrNone = ""
    format: str = "2"


Labeled = Annotated[
    tuple[str, str],
    FieldType(
        "{ label: Pieces; values: Name }",
        lambda row: {"label": parse_template(row[0]), "values": row[1]},
        lambda row: (*referenced_names(row[0]), row[1]),
    ),
]
"""A label, a template, and a tensor."""

ScaleEnd = Annotated[
    float | str,
    FieldType("number | Name", references=lambda reach: [reach] if isinstance(reach, str) else []),
]
"""A number, or the tensor that holds it."""


UNCOLORED = 1e12
"""The reach of a grid without colors: its numbers are of several kinds."""


@dataclass(frozen=True)
class Grid(BaseView, kind="grid"):
    """A table of numbers, colored by value; the group of the pointed cell is outlined.

    Args:
        title: A template, as in `Readout`.
        values: The tensor drawn, one cell for each position of the pointer; NaN is a blank cell.
        pointer: The `CellPicker` that names rows and columns.
        reach: The value at which the color scale ends, on either side of 0; or its tensor, where it
            follows the state.
        groups: The tensor of group ids, if cells share statistics; a negative id is a cell outside
            the batch.
        margins: Statistics beside the rows and below the columns.
        layout: The `Toggle` that turns rows into columns.
        color: The token of the outline, or `current`: the color of the figure.
        format: Decimal places or significant digits, as in `Readout`.
        pictures: A tensor of pictures, `(rows, height, width)` pixels from 0 (the page) to 1 (ink),
            drawn at the labels of the first rows.
        words: A short text above each cell's number, of a line or two, in the order of the pointer;
            empty where there is none.
        above: In place of `words`, for each of `rows` a tensor of words: they follow the state.
        heads: Labels of the rows, templates, in place of the pointer's.
        rows: In place of `values`: a label (a template) and a tensor for each row. The pointer then
            names columns only, and a column is pointed at as a whole.
        shade: Where its numbers count what failed: that of `failure`, the more the stronger, or
            that of `success`, the fewer the stronger. Where the tensor has words, they stand in
            place of the numbers.
        also: Controls that go to these values, one each, with a cell that is pointed at.
        axes: What the columns are, and what the rows are, templates; empty where their labels say.
        when: Where it is shown.
        levels: Steps of the color scale on either side of 0.
    """

    title: Template
    pointer: Name
    reach: ScaleEnd
    values: NameOrNone = ""
    heads: tuple[Template, ...] = ()
    rows: tuple[Labeled, ...] = ()
    groups: Name | None = None
    margins: tuple[Margin, ...] = ()
    layout: Name | None = None
    color: str = "accent"
    format: str = "2"
    pictures: NameOrNone = ""
    words: tuple[str, ...] = ()
    above: tuple[Name, ...] = ()
    shade: Literal["", "failure", "success"] = ""
    also: When = field(default_factory=dict)
    axes: tuple[Template, ...] = ()
    when: When = field(default_factory=dict)
    levels: int = field(default=LEVELS, init=False)


@dataclass(frozen=True)
class Pictures(BaseView, kind="pictures"):
    """Small pictures in rows, one color a pixel, on a scale that holds for all of them.

    Args:
        title: A template, as in `Readout`.
        values: The tensor drawn, `(rows, columns, height, width)`; NaN is no pixel.
        labels: Texts below each column, templates.
        alt: The pictures in words, a template that follows the state.
        reach: The value at which the color scale ends, on either side of 0; what lies beyond has
            the color of the end.
        heads: Texts beside each row, templates; a single row may do without.
        ink: The scale runs from 0 (the page) to `reach` (ink) in place of both sides of 0.
        when: Where they are shown.
    """

    title: Template
    values: Name
    labels: tuple[Template, ...]
    alt: Template
    reach: float
    heads: tuple[Template, ...] = ("",)
    ink: bool = False
    when: When = field(default_factory=dict)

    def check(self, tensors: Mapping[str, SweptTensor], controls: Mapping[str, Control]) -> None:
        """Check that there is one picture for each head and label."""
        shape = tensors[self.values].slice_shape
        expected = (len(self.heads), len(self.labels))
        if len(shape) != 4 or shape[:2] != expected:
            raise ValueError(
                f"tensor {self.values!r}: pictures are (rows, columns, height, width), here "
                f"{expected} by the view's heads and labels, received {shape}"
            )


View = (
    Grid
    | Cube
    | Diagram
    | Scene
    | Chart
    | PhotoGallery
    | Pictures
    | ScatterPlane
    | UnitMaps
    | Readout
)
