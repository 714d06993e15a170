"""Block diagrams of a Transformer block with norms in any placement, and of its attention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from lnviz.explorable import Diagram, DiagramArrow, DiagramBox
from lnviz.norms import Norm
from lnviz.topics.transformer import Placement

STEPS = (
    "embeddings",
    "into the block",
    "into attention",
    "from attention",
    "attention adds",
    "first sum",
    "between the two",
    "into feed-forward",
    "from feed-forward",
    "feed-forward adds",
    "second sum",
    "out of the block",
    "into unembedding",
)
"""The labels of the tensors of `lnviz.topics.transformer.flow.flow`, in order."""

INSIDE = (
    "into attention",
    "queries",
    "keys",
    "scored queries",
    "scored keys",
    "values",
    "scores",
    "weights",
    "mixed values",
    "from attention",
)
"""The labels of the tensors of `lnviz.topics.transformer.flow.attention_flow`, in order."""

WIDTH = 150
TRUNK, LANE = (
    56.0,
    136.0,
)  # horizontal positions of the boxes, and of the residual stream beside them
LOW = 20  # height of a box
ROW = 32  # from one box to the next
FORK = 4  # below a box
THIRDS = (26.0, 75.0, 124.0)  # queries, keys, values


@dataclass(frozen=True)
class _Node:
    """A box on the main path of a block diagram: a linear layer, a norm or a sum.

    Attributes:
        row: its row, from the top.
        text: its text.
        step: the tensor that it outputs; for a box between two steps, the next one.
        kind: `map`, `norm`, `sum`, or `outside` the block.
        silent: whether its output is no step.
    """

    row: int
    text: str
    step: int
    kind: str = "map"
    silent: bool = False

    @property
    def y(self) -> float:
        """The vertical position of the box's center."""
        return _level(self.row)


def block_diagram(placement: Placement, norm: Norm, layers: int, step: str, note: str) -> Diagram:
    """Draw one Transformer block with its neighbors, from the embeddings to the unembedding.

    Boxes that all placements have are at the same height in all of them.

    Args:
        placement: the placement of norms.
        norm: the norm.
        layers: L, the number of blocks.
        step: the control over `STEPS`.
        note: the text below the picture.
    """
    nodes = list(_nodes(placement, norm))
    arrows = [_trunk(*pair) for pair in pairwise(nodes)]
    boxes = [_box(node, norm) for node in nodes]
    alpha = placement.alpha(layers)
    known = {node.step: node for node in nodes if not node.silent}
    for source, total in ((known[1], known[5]), (known.get(6, known[5]), known[10])):
        fork = source.y + LOW / 2 + FORK
        way = ((TRUNK, fork), (LANE, fork), (LANE, total.y), (TRUNK + LOW / 2, total.y))
        arrows.append(DiagramArrow(way, (5, 6) if source.step == 5 else (source.step,)))
        if alpha != 1:
            place = (LANE - 7, (fork + total.y) / 2)
            boxes.append(DiagramBox(place, (40, LOW), f"× {alpha:.2f}"))
    return Diagram(
        f"{placement.label}\n{equation(placement)}",
        step,
        tuple(boxes),
        tuple(arrows),
        (WIDTH, _level(max(node.row for node in nodes)) + LOW / 2),
        f"Block diagram of {placement.label}. At the step “{{{step}}}”: {note}",
        note,
        hover=True,
    )


def equation(placement: Placement) -> str:
    """Return the equation of a sublayer F on the residual stream x with the norm N, as text."""
    return placement.equation.replace(r"\alpha ", "α")


def _level(row: int) -> float:
    return LOW / 2 + row * ROW


def _nodes(placement: Placement, norm: Norm) -> Iterator[_Node]:
    """Yield all boxes of a block diagram's main path, from the top."""

    def standing(stands: bool, row: int, step: int, silent: bool = False) -> Iterator[_Node]:
        if stands:
            yield _Node(row, norm.label, step, "norm", silent)

    yield _Node(0, "embeddings", 0, "outside")
    yield from standing(placement.embedding, 1, 1, silent=True)
    yield _Node(2, "blocks: {before:0}", 1, "outside")
    for row, step, sublayer in ((3, 2, "attention"), (8, 7, "feed-forward")):
        yield from standing(placement.before, row, step)
        yield _Node(row + 1, sublayer, step + 1)
        yield from standing(placement.inside, row + 2, step + 2)
        yield _Node(row + 3, "+", step + 3, "sum")
        yield from standing(placement.after, row + 4, step + 4)
    yield _Node(13, "blocks: {after:0}", 12, "outside", silent=placement.final)
    yield from standing(placement.final, 14, 12)
    yield _Node(15, "unembedding", 13, "outside", silent=True)


def _trunk(start: _Node, end: _Node) -> DiagramArrow:
    """Return the arrow between two boxes of the main path, which highlights the tensors on it."""
    way = ((TRUNK, start.y + LOW / 2), (TRUNK, end.y - LOW / 2))
    return DiagramArrow(way, () if start.silent else tuple(range(start.step, end.step)))


def _box(node: _Node, norm: Norm) -> DiagramBox:
    at = () if node.silent else (node.step,)
    if node.kind == "sum":
        return DiagramBox((TRUNK, node.y), (LOW, LOW), node.text, at, round=True)
    token = norm.key if node.kind == "norm" else ""
    wide = 112.0 if node.kind == "outside" else 88.0
    return DiagramBox(
        (TRUNK, node.y), (wide, LOW), node.text, at, token, dotted=node.kind == "outside"
    )


def attention_diagram(norm: Norm | None, title: str, step: str, note: str) -> Diagram:
    """Draw the block diagram of attention, with or without a norm on queries and keys.

    Args:
        norm: the norm on queries and keys, or None.
        title: the title of the picture.
        step: the control over `INSIDE`.
        note: the text below the picture.
    """
    q, k, v = THIRDS
    middle = (q + k) / 2
    small, half = (44.0, LOW), (93.0, LOW)
    boxes = [
        DiagramBox((75, _level(0)), (142, LOW), "from the residual stream", (0,), dotted=True),
        *(
            DiagramBox((x, _level(1)), small, f"W{letter}", (at,))
            for x, letter, at in zip(THIRDS, ("q", "k", "v"), (1, 2, 5), strict=True)
        ),
        DiagramBox((middle, _level(3)), half, "q · k / √C", (6,)),
        DiagramBox((middle, _level(4)), half, "softmax", (7,)),
        DiagramBox((75, _level(5)), (142, LOW), "values, mixed by weights", (8,)),
        DiagramBox((75, _level(6)), (142, LOW), "Wo", (9,)),
        DiagramBox((75, _level(7)), (142, LOW), "to the residual stream", dotted=True),
    ]
    arrows = [_down(x, 0, 1, (0,)) for x in THIRDS]
    for x, raw, scored in ((q, 1, 3), (k, 2, 4)):
        if norm:
            boxes.append(DiagramBox((x, _level(2)), small, "norm", (scored,), norm.key))
            arrows += [_down(x, 1, 2, (raw,)), _down(x, 2, 3, (scored,))]
        else:
            arrows.append(_down(x, 1, 3, (raw, scored)))
    arrows += [
        _down(v, 1, 5, (5,)),
        _down(middle, 3, 4, (6,)),
        _down(middle, 4, 5, (7,)),
        _down(75, 5, 6, (8,)),
        _down(75, 6, 7, (9,)),
    ]
    return Diagram(
        title,
        step,
        tuple(boxes),
        tuple(arrows),
        (WIDTH, _level(7) + LOW / 2),
        f"Block diagram of {title}. At the step “{{{step}}}”: {note}",
        note,
        hover=True,
    )


def _down(x: float, start: int, end: int, at: tuple[int, ...]) -> DiagramArrow:
    return DiagramArrow(((x, _level(start) + LOW / 2), (x, _level(end) - LOW / 2)), at)
