"""Views of a figure: what it shows as text, number grids and small images.

The numbers come from swept tensors: values computed in advance for every position of the controls.
"""

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
    """A sentence or formula with live numbers, which follow the controls.

    Args:
        text: A template. `{name}` is the label of a control's position, `{tensor}` a value, or a
            word if the tensor has words. A colon and the number format may follow: decimal places
            (`{mean:4}`); significant digits (`{change:g2}`, or `{printed:p3}` with trailing zeros,
            or `{place:d2}` if the tensor holds base-10 logarithms of the values); a c or an f
            after these to round up or down (`{most:1c}`, `{least:g2f}`); an n for parentheses
            around negative numbers (`{mean:4n}`); a plus for the written-out sum of a slice
            (`{terms:2+}`, where NaN is skipped). A style may come last (`{mean:4 stat}`):
            `stat` is the norm's color, `value` is bold.
        style: `formula` (large), `note` (prose), `usage` (prose on how to use the figure, not on a
            projector), `verdict` (emphasized), `finding` (a heading that says what the figure
            shows) or `method` (how its numbers were computed, collapsed).
        when: The control values at which it is shown; by default, always.
        if_finite: Shown only while this tensor is finite.
        if_nan: Shown only while this tensor is NaN.
        location: The file and line of its text, for error messages.
    """

    text: Template = field(metadata={"key": "pieces"})
    style: str = "note"
    when: When = field(default_factory=dict)
    if_finite: NameOrNone = ""
    if_nan: NameOrNone = ""
    location: str = field(default="", metadata={"key": ""})

    def source_location(self) -> str:
        """Return the file and line of the readout's text, for error messages."""
        return self.location


Side = Literal["row", "column"]


@dataclass(frozen=True)
class Margin(Serializable):
    """Statistics beside a grid's rows or below its columns, such as their means.

    Args:
        side: `row` for a value to the right of each row, `column` for a value below each column.
        label: The heading of the values.
        values: The tensor of the values.
        when: The control values at which they are shown.
        marks: A tensor of the same length; values are highlighted where it is 1.
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
"""A label (a template) and the name of a tensor."""

ScaleEnd = Annotated[
    float | str,
    FieldType("number | Name", references=lambda limit: [limit] if isinstance(limit, str) else []),
]
"""A number, or the name of the tensor that holds it."""


UNCOLORED = 1e12
"""The scale end of a grid without colors, whose numbers are of several kinds."""


@dataclass(frozen=True)
class Grid(BaseView, kind="grid"):
    """A table of values, colored by value; the normalization group of the picked cell is outlined.

    Args:
        title: A template, as in `Readout`.
        values: The tensor of the cells' values, one for each position of the cell picker; NaN is a
            blank cell.
        pointer: The `CellPicker` that names rows and columns.
        color_limit: The absolute value at which the color scale ends, or the name of its tensor.
        groups: The tensor of group ids, if cells share statistics; cells outside the batch have a
            negative id.
        margins: Statistics beside the rows and below the columns.
        layout: The `Toggle` that transposes the grid.
        color: The theme token of the outline, or `current` for the color of the figure.
        format: Decimal places or significant digits, as in `Readout`.
        pictures: A tensor of images, `(rows, height, width)` pixels from 0 (page) to 1 (ink), shown
            at the labels of the first rows.
        words: A short text above each cell's value, in the order of the cell picker; "" for none.
        row_words: Instead of `words`, a tensor of words for each of `rows`, which depends on the
            state.
        row_labels: Row labels, templates, instead of the cell picker's labels.
        rows: Instead of `values`, a label (a template) and a tensor for each row. The cell picker
            then picks whole columns.
        shade: For counts: `failure` shades larger values more strongly, `success` smaller values.
            Cells show words if the tensor has words.
        also: The values to which picking a cell sets other controls, by control.
        axes: The names of the columns and the rows, templates; empty if the labels are enough.
        when: The control values at which it is shown.
        levels: Steps of the color scale on either side of 0.
    """

    title: Template
    pointer: Name
    color_limit: ScaleEnd
    values: NameOrNone = ""
    row_labels: tuple[Template, ...] = ()
    rows: tuple[Labeled, ...] = ()
    groups: Name | None = None
    margins: tuple[Margin, ...] = ()
    layout: Name | None = None
    color: str = "accent"
    format: str = "2"
    pictures: NameOrNone = ""
    words: tuple[str, ...] = ()
    row_words: tuple[Name, ...] = ()
    shade: Literal["", "failure", "success"] = ""
    also: When = field(default_factory=dict)
    axes: tuple[Template, ...] = ()
    when: When = field(default_factory=dict)
    levels: int = field(default=LEVELS, init=False)


@dataclass(frozen=True)
class Pictures(BaseView, kind="pictures"):
    """Small images in a grid of rows and columns, one color per pixel, on a common color scale.

    Args:
        title: A template, as in `Readout`.
        values: The tensor of the images, `(rows, columns, height, width)`; NaN is a blank pixel.
        labels: The texts below the columns, templates.
        alt: The alternative text, a template.
        color_limit: The absolute value at which the color scale ends; larger values are clipped.
        row_labels: The texts beside the rows, templates; "" for none.
        ink: Whether the scale runs from 0 (page) to `color_limit` (ink), or is symmetric about 0.
        when: The control values at which they are shown.
    """

    title: Template
    values: Name
    labels: tuple[Template, ...]
    alt: Template
    color_limit: float
    row_labels: tuple[Template, ...] = ("",)
    ink: bool = False
    when: When = field(default_factory=dict)

    def check(self, tensors: Mapping[str, SweptTensor], controls: Mapping[str, Control]) -> None:
        """Check that there is one image for each row heading and column label."""
        shape = tensors[self.values].slice_shape
        expected = (len(self.row_labels), len(self.labels))
        if len(shape) != 4 or shape[:2] != expected:
            raise ValueError(
                f"tensor {self.values!r}: pictures are (rows, columns, height, width), here "
                f"{expected} by the view's row and column labels, received {shape}"
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
