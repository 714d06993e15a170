"""Block diagrams of one step of a recurrent cell."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

HEIGHT = 0.72  # of a block, in rows
ROW = 46  # CSS pixels
WIDE = 1.8  # columns: what gates and output take


@dataclass(frozen=True)
class Block:
    """A box of the diagram.

    Args:
        column: of its middle.
        row: counted from the top.
        label: `<br>` breaks the line.
        stage: of the walk, which shows its numbers; empty for what comes in and what leaves.
        norm: whether it is a norm.
        width: in columns.
    """

    column: float
    row: int
    label: str
    stage: str = ""
    norm: bool = False
    width: float = 0.9

    @property
    def sides(self) -> tuple[float, float]:
        """Its left and its right end, in columns."""
        return self.column - self.width / 2, self.column + self.width / 2

    @property
    def heights(self) -> tuple[float, float]:
        """Its lower and its upper end, in rows, upwards."""
        return -self.row - HEIGHT / 2, -self.row + HEIGHT / 2


@dataclass(frozen=True)
class Arrow:
    """A way from one block to another, level or straight down.

    Args:
        start: name of a block.
        end: name of another.
        lane: a column: the arrow leaves its block sideways and goes down there.
    """

    start: str
    end: str
    lane: float | None = None


@dataclass(frozen=True)
class Diagram:
    """Blocks by name, and the arrows between them."""

    blocks: Mapping[str, Block]
    arrows: tuple[Arrow, ...]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return 1 + max(block.row for block in self.blocks.values())

    def outline(self, stage: str) -> list[tuple[float, float]]:
        """Corners of the frame around a stage's blocks, the first one again at the end."""
        inside = [block for block in self.blocks.values() if block.stage == stage]
        left, right = (pick(b.sides[at] for b in inside) for at, pick in ((0, min), (1, max)))
        low, high = (pick(b.heights[at] for b in inside) for at, pick in ((0, min), (1, max)))
        return [(left, low), (right, low), (right, high), (left, high), (left, low)]

    def points(self, stages: tuple[str, ...]) -> list[tuple[float, float, int]]:
        """Points all over the blocks, and the number of each one's stage, for a click to find."""
        inside = [block for block in self.blocks.values() if block.stage in stages]
        return [
            (block.column + share * block.width, float(-block.row), stages.index(block.stage))
            for block in inside
            for share in (-0.45, -0.3, -0.15, 0.0, 0.15, 0.3, 0.45)
        ]

    def way(self, arrow: Arrow) -> list[tuple[float, float]]:
        """The corners of an arrow, from the edge of its first block to the edge of its second."""
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


def drawing(diagram: Diagram, stages: tuple[str, ...]) -> go.Figure:
    """The diagram, with two traces: the frame around the stage that is walked to, and points."""
    figure = go.Figure(go.Scatter(mode="lines", line={"color": "var(--ln-ink)", "width": 3}))
    x, y, stage = zip(*diagram.points(stages), strict=True)
    figure.add_scatter(x=x, y=y, customdata=stage, mode="markers", marker={"opacity": 0})
    for arrow in diagram.arrows:
        _draw_arrow(figure, diagram.way(arrow))
    for block in diagram.blocks.values():
        _draw_block(figure, block)
    figure.update_xaxes(range=[-0.52, 2.55], visible=False)
    figure.update_yaxes(range=[0.5 - diagram.rows, 0.5], visible=False)
    return figure


def _draw_block(figure: go.Figure, block: Block) -> None:
    (left, right), (low, high) = block.sides, block.heights
    color = "var(--ln-layer)" if block.norm else "var(--ln-line)"
    figure.add_shape(
        type="rect",
        x0=left,
        y0=low,
        x1=right,
        y1=high,
        layer="below",
        fillcolor="var(--ln-panel)" if block.stage else "var(--ln-page)",
        line={"color": color, "width": 2, "dash": "solid" if block.stage else "dot"},
    )
    figure.add_annotation(
        x=block.column,
        y=-block.row,
        text=block.label,
        showarrow=False,
        font={
            "color": "var(--ln-layer)" if block.norm else "var(--ln-ink)",
            "size": 11 if "<br>" in block.label else 13,
        },
    )


def _draw_arrow(figure: go.Figure, way: list[tuple[float, float]]) -> None:
    color = "var(--ln-soft)"
    for (x0, y0), (x1, y1) in itertools.pairwise(way[:-1]):
        line = {"color": color, "width": 1.5}
        figure.add_shape(type="line", x0=x0, y0=y0, x1=x1, y1=y1, line=line)
    (ax, ay), (x, y) = way[-2:]
    figure.add_annotation(
        x=x,
        y=y,
        ax=ax,
        ay=ay,
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        text="",
        showarrow=True,
        arrowhead=2,
        arrowsize=1.1,
        arrowwidth=1.5,
        arrowcolor=color,
        standoff=2,  # pixels: the frame lies on the edge of a block
    )


def lstm(separate: bool) -> Diagram:
    """Equations 20 to 22."""
    return Diagram(
        _projections(separate, "sum + b", "LayerNorm, + b")
        | {
            "c": Block(2, 0, "cell c<sub>t−1</sub>"),
            "gates": Block(0.5, 4, "gates i, f, o, candidate g", "gates", width=WIDE),
            "cell": Block(2, 4, "f ⊙ c<sub>t−1</sub> + i ⊙ g", "cell"),
            "norm_cell": Block(1.85, 5, "LayerNorm", "cell", norm=True, width=0.6),
            "out": Block(0.5, 5, "o ⊙ tanh(normalized c<sub>t</sub>)", "output", width=WIDE),
            "next h": Block(0.5, 6, "state h<sub>t</sub>"),
            "next c": Block(2.3, 6, "cell c<sub>t</sub>", width=0.4),
        },
        (
            *_joining(separate),
            Arrow("sum", "gates"),
            Arrow("gates", "cell"),
            Arrow("c", "cell"),
            Arrow("cell", "norm_cell"),
            Arrow("norm_cell", "out"),
            Arrow("gates", "out"),
            Arrow("out", "next h"),
            Arrow("cell", "next c"),
        ),
    )


def gru(separate: bool) -> Diagram:
    """Equations 26 to 28."""
    two = "LayerNorm r, z<br>LayerNorm ĥ"
    return Diagram(
        _projections(separate, "r, z: sum<br>ĥ: sum, state’s part × r", two, two)
        | {
            "gates": Block(0.5, 4, "gates r, z, candidate ĥ", "gates", width=WIDE),
            "out": Block(1, 5, "(1 − z) ⊙ h<sub>t−1</sub> + z ⊙ ĥ", "output", width=2 + WIDE / 2),
            "next h": Block(1, 6, "state h<sub>t</sub>"),
        },
        (
            *_joining(separate),
            Arrow("sum", "gates"),
            Arrow("gates", "out"),
            Arrow("h", "out", lane=2),
            Arrow("out", "next h"),
        ),
    )


def _projections(
    separate: bool, total: str, norm: str, each: str = "LayerNorm"
) -> dict[str, Block]:
    """From input and state to their sum."""
    blocks = {
        "x": Block(0, 0, "input x<sub>t</sub>"),
        "h": Block(1, 0, "state h<sub>t−1</sub>"),
        "from_input": Block(0, 1, "W<sub>x</sub> x<sub>t</sub>", "input"),
        "from_state": Block(1, 1, "W<sub>h</sub> h<sub>t−1</sub>", "state"),
    }
    if separate:
        return blocks | {
            "norm_ih": Block(0, 2, each, "input", norm=True),
            "norm_hh": Block(1, 2, each, "state", norm=True),
            "sum": Block(0.5, 3, total, "sum", width=WIDE),
        }
    return blocks | {
        "raw": Block(0.5, 2, total.replace(" + b", ""), "sum", width=WIDE),
        "sum": Block(0.5, 3, norm, "sum", norm=True, width=WIDE),
    }


def _joining(separate: bool) -> tuple[Arrow, ...]:
    pairs = [("x", "from_input"), ("h", "from_state")]
    if separate:
        pairs += [("from_input", "norm_ih"), ("from_state", "norm_hh")]
        pairs += [("norm_ih", "sum"), ("norm_hh", "sum")]
    else:
        pairs += [("from_input", "raw"), ("from_state", "raw"), ("raw", "sum")]
    return tuple(Arrow(start, end) for start, end in pairs)
