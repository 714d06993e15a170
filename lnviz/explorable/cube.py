"""A rotatable block of cells in parallel projection, drawn as SVG polygons, without WebGL."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.explorable.schema import FieldType, Name, Serializable, Template, When
from lnviz.explorable.view_base import BaseView

ELEVATION = math.radians(25)  # of the camera above the block
LABEL_WIDTH = 1.9  # in cells
SLAB_PITCH = 2.6  # from one slab to the next, in cells; wide enough to see the slabs behind


@dataclass(frozen=True)
class Face(Serializable):
    """One visible side of a cell of the cube, with the indices of its four corners in order."""

    cell: int
    side: Literal["front", "top", "side"]
    corners: tuple[int, int, int, int]


@dataclass(frozen=True)
class CubeAxis(Serializable):
    """An axis label of the cube; its text starts, ends or is centered at a given corner."""

    text: str
    corner: int
    anchor: Literal["start", "middle", "end"] = "middle"
    rising: bool = False  # written from bottom to top


@dataclass(frozen=True, eq=False)
class CellBlock:
    """The 2-D projection of a block of cells, drawn as separate slabs, at several rotation angles.

    Attributes:
        corners: positions of the corners in the picture, y down, at each angle; the last three are
            positions of labels: below the first slab, left of it, and beside the row of slabs.
        faces: the visible faces, from back to front at every angle.
        size: width and height of the picture, large enough for all angles.
    """

    corners: Float[Tensor, "angles V 2"]
    faces: tuple[Face, ...]
    size: tuple[float, float]


def project_block(cells: Int[Tensor, "slabs rows columns"], degrees: Sequence[float]) -> CellBlock:
    r"""Project a 3-D block of cells, rotated about its vertical axis, onto the picture plane.

    A corner at column u, row v (down) and depth d (away) lies at

    $$(u \cos\theta + d \sin\theta, \quad v \cos\phi + (u \sin\theta - d \cos\theta) \sin\phi)$$

    with $\theta$ the angle and $\phi$ the elevation. Between 0 and 90 degrees, the front, top and
    right side are visible, and nearer slabs hide farther ones.

    Args:
        cells: the cell picker's position for each cell.
        degrees: angles between 0 and 90.

    >>> project_block(torch.arange(4).view(1, 2, 2), (30.0, 60.0)).corners.shape
    torch.Size([2, 21, 2])
    """
    slabs, rows, columns = cells.shape
    lattice = torch.cartesian_prod(
        torch.arange(slabs), torch.arange(2), torch.arange(rows + 1), torch.arange(columns + 1)
    ).float()
    slab, back, v, u = lattice.unbind(1)
    behind = (slabs - 1) * SLAB_PITCH
    labels = torch.tensor(
        [
            [columns / 2, rows + 0.9, 0.0],
            [-0.3, rows / 2, 0.0],
            [columns + 0.5, rows + 0.3, behind / 2],
        ]
    )
    spots = torch.cat([torch.stack([u, v, slab * SLAB_PITCH + back], 1), labels])
    u, v, d = spots.unbind(1)
    theta = torch.tensor(degrees).deg2rad()[:, None]
    across = u * theta.cos() + d * theta.sin()
    away = d * theta.cos() - u * theta.sin()
    drawn = torch.stack([across, v * math.cos(ELEVATION) - away * math.sin(ELEVATION)], -1)
    # Centered at every angle, including the text of the last label.
    ends = torch.cat([drawn, drawn[:, -1:] + torch.tensor([LABEL_WIDTH, 0.0])], 1)
    low, high = ends.amin(1), ends.amax(1)
    size = (high - low).amax(0)
    width, height = size.tolist()
    placed = drawn + (size / 2 - (low + high) / 2)[:, None]
    return CellBlock(placed, tuple(_faces(cells)), (width, height))


def _faces(cells: Int[Tensor, "slabs rows columns"]) -> Iterator[Face]:
    """Yield the visible faces of a block of cells, from the farthest slab to the nearest."""
    slabs, rows, columns = cells.shape

    def corner(slab: int, back: int, v: int, u: int) -> int:
        return ((slab * 2 + back) * (rows + 1) + v) * (columns + 1) + u

    for slab in reversed(range(slabs)):
        for u in range(columns):
            one, next_one = (slab, 0, 0, u), (slab, 0, 0, u + 1)
            far, next_far = (slab, 1, 0, u), (slab, 1, 0, u + 1)
            corners = (corner(*one), corner(*next_one), corner(*next_far), corner(*far))
            yield Face(int(cells[slab, 0, u]), "top", corners)
        for v in range(rows):
            one, next_one = (slab, 0, v, columns), (slab, 0, v + 1, columns)
            far, next_far = (slab, 1, v, columns), (slab, 1, v + 1, columns)
            corners = (corner(*one), corner(*next_one), corner(*next_far), corner(*far))
            yield Face(int(cells[slab, v, -1]), "side", corners)
        for v, u in product(range(rows), range(columns)):
            left, right = (slab, 0, v, u), (slab, 0, v, u + 1)
            below, across = (slab, 0, v + 1, u), (slab, 0, v + 1, u + 1)
            corners = (corner(*left), corner(*right), corner(*across), corner(*below))
            yield Face(int(cells[slab, v, u]), "front", corners)


Length = Annotated[float, FieldType("number", lambda length: round(length, 3))]


@dataclass(frozen=True)
class Cube(BaseView, kind="cube"):
    """A rotatable 3-D block of cells; cells that share statistics with the picked one are filled.

    Args:
        title: A template, as in `Readout`.
        pointer: The `CellPicker` over the cells.
        corners: The tensor of the corners' positions in the picture, `(corners, 2)`, y down.
        turn: The slider of the angle, which also moves when the picture is dragged.
        faces: The visible faces, from back to front.
        size: Width and height of the picture, in the unit of the corners.
        groups: The tensor of group ids, by position of the cell picker.
        axes: The names of the axes, beside the block.
        alt: The alternative text, a template.
        when: The control values at which it is shown.
    """

    title: Template
    pointer: Name
    corners: Name
    turn: Name
    faces: tuple[Face, ...]
    size: tuple[Length, Length]
    groups: Name
    alt: Template
    axes: tuple[CubeAxis, ...] = ()
    when: When = field(default_factory=dict)
