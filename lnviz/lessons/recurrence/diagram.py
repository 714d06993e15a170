"""Block diagrams of one step of a recurrent cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

HEIGHT = 0.72  # of a block, in rows
GAP = 0.06  # between a block and the outline of what is chosen
ROW = 50  # CSS pixels


@dataclass(frozen=True)
class Block:
    """A box of the diagram.

    Args:
        column: of its middle.
        row: counted from the top.
        label: `<br>` breaks the line.
        stage: of the walk, which shows its numbers; empty for what comes from outside.
        norm: whether it is a norm.
        width: in columns.
    """

    column: float
    row: int
    label: str
    stage: str = ""
    norm: bool = False
    width: float = 0.9


@dataclass(frozen=True)
class Diagram:
    """Blocks by name, and the arrows between them."""

    blocks: Mapping[str, Block]
    arrows: tuple[tuple[str, str], ...]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return 1 + max(block.row for block in self.blocks.values())

    def outline(self, stage: str) -> list[tuple[float, float]]:
        """Corners of the frame around a stage's blocks, the first one again at the end."""
        boxes = [_box(block) for block in self.blocks.values() if block.stage == stage]
        left, low = (min(box[at] for box in boxes) - GAP for at in (0, 1))
        right, high = (max(box[at] for box in boxes) + GAP for at in (2, 3))
        return [(left, low), (right, low), (right, high), (left, high), (left, low)]

    def points(self, stages: tuple[str, ...]) -> list[tuple[float, float, int]]:
        """Points all over the blocks, and the number of each one's stage, for a click to find."""
        inside = [block for block in self.blocks.values() if block.stage in stages]
        return [
            (block.column + share * block.width, float(-block.row), stages.index(block.stage))
            for block in inside
            for share in (-0.45, -0.3, -0.15, 0.0, 0.15, 0.3, 0.45)
        ]


def _box(block: Block) -> tuple[float, float, float, float]:
    across, up = block.width / 2, HEIGHT / 2
    return (block.column - across, -block.row - up, block.column + across, -block.row + up)


def drawing(diagram: Diagram, stages: tuple[str, ...]) -> go.Figure:
    """The diagram, with two traces: the frame around the stage that is walked to, and points."""
    figure = go.Figure(go.Scatter(mode="lines", line={"color": "var(--ln-ink)", "width": 3}))
    x, y, stage = zip(*diagram.points(stages), strict=True)
    figure.add_scatter(x=x, y=y, customdata=stage, mode="markers", marker={"opacity": 0})
    for start, end in diagram.arrows:
        _arrow(figure, diagram.blocks[start], diagram.blocks[end])
    for block in diagram.blocks.values():
        x0, y0, x1, y1 = _box(block)
        given = not block.stage
        figure.add_shape(
            type="rect",
            x0=x0,
            y0=y0,
            x1=x1,
            y1=y1,
            layer="below",
            fillcolor="var(--ln-page)" if given else "var(--ln-panel)",
            line={"color": f"var(--ln-{'layer' if block.norm else 'line'})", "width": 2},
        )
        figure.add_annotation(
            x=block.column,
            y=-block.row,
            text=block.label,
            showarrow=False,
            font={"color": f"var(--ln-{'layer' if block.norm else 'ink'})", "size": 13},
        )
    figure.update_xaxes(range=[-0.55, 2.55], visible=False)
    figure.update_yaxes(range=[0.55 - diagram.rows, 0.55], visible=False)
    return figure


def _arrow(figure: go.Figure, start: Block, end: Block) -> None:
    """An arrow from the edge of one block to the edge of another."""
    beside = start.row == end.row
    side = 1 if end.column > start.column else -1
    if beside:
        tail = (start.column + side * start.width / 2, float(-start.row))
        head = (end.column - side * end.width / 2, float(-end.row))
    else:
        # Straight down wherever the upper block stands above the lower one.
        reach = max(0.0, end.width / 2 - 0.1)
        x = min(max(start.column, end.column - reach), end.column + reach)
        tail = (start.column, -start.row - HEIGHT / 2)
        head = (x, -end.row + HEIGHT / 2)
    figure.add_annotation(
        x=head[0],
        y=head[1],
        ax=tail[0],
        ay=tail[1],
        xref="x",
        yref="y",
        axref="x",
        ayref="y",
        text="",
        showarrow=True,
        arrowhead=2,
        arrowsize=1.1,
        arrowwidth=1.5,
        arrowcolor="var(--ln-soft)",
    )


def lstm(separate: bool) -> Diagram:
    """Equations 20 to 22."""
    return Diagram(
        _projections(separate, "sum + b", "LayerNorm, + b")
        | {
            "c": Block(2, 0, "cell<br>before"),
            "gates": Block(0.5, 4, "gates  i, f, g, o", "gates", width=1.9),
            "cell": Block(2, 5, "f × cell + i × g", "cell"),
            "norm_cell": Block(2, 6, "LayerNorm", "cell", norm=True),
            "out": Block(0.5, 7, "o × tanh(normalized cell)", "output", width=1.9),
        },
        (
            *_flow(separate),
            ("sum", "gates"),
            ("gates", "cell"),
            ("c", "cell"),
            ("cell", "norm_cell"),
            ("norm_cell", "out"),
            ("gates", "out"),
        ),
    )


def gru(separate: bool) -> Diagram:
    """Equations 26 to 28."""
    two = "LayerNorm r, z<br>LayerNorm n"
    return Diagram(
        _projections(separate, "r, z: sum<br>n: sum, state × r", two, two)
        | {
            "gates": Block(0.5, 4, "gates r, z, candidate n", "gates", width=1.9),
            "out": Block(1.25, 5, "(1 − z) × state + z × n", "output", width=1.9),
            "h again": Block(2, 0, "state<br>before"),
        },
        (*_flow(separate), ("sum", "gates"), ("gates", "out"), ("h again", "out")),
    )


def _projections(
    separate: bool, total: str, norm: str, each: str = "LayerNorm"
) -> dict[str, Block]:
    """From input and state to their sum."""
    blocks = {
        "x": Block(0, 0, "input"),
        "h": Block(1, 0, "state<br>before"),
        "from_input": Block(0, 1, "W<sub>x</sub> × input", "input"),
        "from_state": Block(1, 1, "W<sub>h</sub> × state", "state"),
    }
    if separate:
        return blocks | {
            "norm_ih": Block(0, 2, each, "input", norm=True),
            "norm_hh": Block(1, 2, each, "state", norm=True),
            "sum": Block(0.5, 3, total, "sum", width=1.2),
        }
    return blocks | {
        "raw": Block(0.5, 2, total.replace(" + b", ""), "sum", width=1.2),
        "sum": Block(0.5, 3, norm, "sum", norm=True, width=1.2),
    }


def _flow(separate: bool) -> tuple[tuple[str, str], ...]:
    arrows = (("x", "from_input"), ("h", "from_state"))
    if separate:
        between = (("from_input", "norm_ih"), ("from_state", "norm_hh"))
        return (*arrows, *between, ("norm_ih", "sum"), ("norm_hh", "sum"))
    return (*arrows, ("from_input", "raw"), ("from_state", "raw"), ("raw", "sum"))
