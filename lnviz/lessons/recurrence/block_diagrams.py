"""Block diagrams of one step of a recurrent cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lnviz.explorable import When
from lnviz.explorable import diagram as drawn

HEIGHT = 0.72  # of a block, in rows
ROW, COLUMN = 46, 112  # CSS pixels
LEFT, RIGHT = -0.5, 2.55  # of the picture, in columns
WIDE = 1.8  # columns: what gates and output take


@dataclass(frozen=True)
class GateBlock:
    """A box in the diagram of a recurrent cell, such as a linear layer, a norm or a gate.

    Args:
        column: the column of its center.
        row: its row, counted from the top.
        label: the lines of its text.
        stage: the stage that shows its values; "" for inputs and outputs.
        norm: whether it is a norm.
        width: its width in columns.
    """

    column: float
    row: int
    label: str
    stage: str = ""
    norm: bool = False
    width: float = 0.9

    @property
    def sides(self) -> tuple[float, float]:
        """The left and the right edge of the box, in units of columns."""
        return self.column - self.width / 2, self.column + self.width / 2

    @property
    def heights(self) -> tuple[float, float]:
        """The lower and the upper edge of the box, in units of rows, upward."""
        return -self.row - HEIGHT / 2, -self.row + HEIGHT / 2


@dataclass(frozen=True)
class GateArrow:
    """A horizontal or vertical arrow between two boxes in the diagram of a recurrent cell.

    Args:
        start: the name of a block.
        end: the name of another block.
        lane: if given, the arrow leaves its block sideways and goes down in this column.
    """

    start: str
    end: str
    lane: float | None = None


@dataclass(frozen=True)
class GateDiagram:
    """The diagram of a recurrent cell: boxes by name, and the arrows between them."""

    blocks: Mapping[str, GateBlock]
    arrows: tuple[GateArrow, ...]

    @property
    def rows(self) -> int:
        """The number of rows of boxes."""
        return 1 + max(block.row for block in self.blocks.values())

    def arrow_corners(self, arrow: GateArrow) -> list[tuple[float, float]]:
        """Return the corners of an arrow's line, from the edge of one box to another box's edge."""
        start, end = self.blocks[arrow.start], self.blocks[arrow.end]
        if arrow.lane is not None:
            level = float(-start.row)
            return [(start.sides[1], level), (arrow.lane, level), (arrow.lane, end.heights[1])]
        if start.row == end.row:
            tail, head = (1, 0) if end.column > start.column else (0, 1)
            return [(start.sides[tail], -start.row), (end.sides[head], -end.row)]
        narrow = min(start, end, key=lambda block: block.width)
        left, right = (pick(start.sides[at], end.sides[at]) for at, pick in ((0, max), (1, min)))
        x = min(max(narrow.column, left), right)
        return [(x, start.heights[0]), (x, end.heights[1])]


def draw_diagram(
    diagram: GateDiagram, stages: tuple[str, ...], *, title: str, control: str, alt: str, when: When
) -> drawn.Diagram:
    """Draw a recurrent cell's diagram, highlighting the boxes that the control has selected."""

    def place(x: float, y: float) -> tuple[float, float]:
        return round((x - LEFT) * COLUMN, 1), round((0.5 - y) * ROW, 1)

    boxes = tuple(
        drawn.DiagramBox(
            place(block.column, -block.row),
            (block.width * COLUMN, HEIGHT * ROW),
            block.label,
            (stages.index(block.stage),) if block.stage else (),
            token="layer" if block.norm else "",
            dotted=not block.stage,
        )
        for block in diagram.blocks.values()
    )
    ways = [
        tuple(place(*corner) for corner in diagram.arrow_corners(arrow)) for arrow in diagram.arrows
    ]
    size = ((RIGHT - LEFT) * COLUMN, float(diagram.rows * ROW))
    arrows = tuple(drawn.DiagramArrow(way) for way in ways)
    return drawn.Diagram(title, control, boxes, arrows, size, alt, when=when)


def lstm_diagram(separate: bool) -> GateDiagram:
    """Return the diagram of an LSTM step with LayerNorm: equations 20 to 22 of Ba et al. (2016)."""
    return GateDiagram(
        _projections(separate, "sum + b", "LayerNorm, + b")
        | {
            "c": GateBlock(2, 0, "cell cₜ₋₁"),
            "gates": GateBlock(0.5, 4, "gates i, f, o, candidate g", "gates", width=WIDE),
            "cell": GateBlock(2, 4, "f ⊙ cₜ₋₁ + i ⊙ g", "cell"),
            "norm_cell": GateBlock(1.85, 5, "LayerNorm", "cell", norm=True, width=0.6),
            "out": GateBlock(0.5, 5, "o ⊙ tanh(normalized cₜ)", "output", width=WIDE),
            "next h": GateBlock(0.5, 6, "state hₜ"),
            "next c": GateBlock(2.3, 6, "cell cₜ", width=0.4),
        },
        (
            *_joining(separate),
            GateArrow("sum", "gates"),
            GateArrow("gates", "cell"),
            GateArrow("c", "cell"),
            GateArrow("cell", "norm_cell"),
            GateArrow("norm_cell", "out"),
            GateArrow("gates", "out"),
            GateArrow("out", "next h"),
            GateArrow("cell", "next c"),
        ),
    )


def gru_diagram(separate: bool) -> GateDiagram:
    """Return the diagram of a GRU step with LayerNorm: equations 26 to 28 of Ba et al. (2016)."""
    two = "LayerNorm r, z\nLayerNorm ĥ"
    return GateDiagram(
        _projections(separate, "r, z: sum\nĥ: sum, state’s part × r", two, two)
        | {
            "gates": GateBlock(0.5, 4, "gates r, z, candidate ĥ", "gates", width=WIDE),
            "out": GateBlock(1, 5, "(1 − z) ⊙ hₜ₋₁ + z ⊙ ĥ", "output", width=2 + WIDE / 2),
            "next h": GateBlock(1, 6, "state hₜ"),
        },
        (
            *_joining(separate),
            GateArrow("sum", "gates"),
            GateArrow("gates", "out"),
            GateArrow("h", "out", lane=2),
            GateArrow("out", "next h"),
        ),
    )


def _projections(
    separate: bool, total: str, norm: str, apart: str = "LayerNorm"
) -> dict[str, GateBlock]:
    """Return the boxes from input and state, through their linear layers, to the sum."""
    blocks = {
        "x": GateBlock(0, 0, "input xₜ"),
        "h": GateBlock(1, 0, "state hₜ₋₁"),
        "from_input": GateBlock(0, 1, "Wₓ xₜ", "input"),
        "from_state": GateBlock(1, 1, "Wₕ hₜ₋₁", "state"),
    }
    if separate:
        return blocks | {
            "norm_ih": GateBlock(0, 2, apart, "input", norm=True),
            "norm_hh": GateBlock(1, 2, apart, "state", norm=True),
            "sum": GateBlock(0.5, 3, total, "sum", width=WIDE),
        }
    return blocks | {
        "raw": GateBlock(0.5, 2, total.replace(" + b", ""), "sum", width=WIDE),
        "sum": GateBlock(0.5, 3, norm, "sum", norm=True, width=WIDE),
    }


def _joining(separate: bool) -> tuple[GateArrow, ...]:
    pairs = [("x", "from_input"), ("h", "from_state")]
    if separate:
        pairs += [("from_input", "norm_ih"), ("from_state", "norm_hh")]
        pairs += [("norm_ih", "sum"), ("norm_hh", "sum")]
    else:
        pairs += [("from_input", "raw"), ("from_state", "raw"), ("raw", "sum")]
    return tuple(GateArrow(start, end) for start, end in pairs)
