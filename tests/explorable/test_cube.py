"""The block of cells: what can be seen of it, and where."""

import pytest
import torch
from torch import Tensor

from lnviz.explorable import Cube, CubeAxis, project_block
from lnviz.explorable.cube import SLAB_PITCH, CellBlock, Face

CELLS = torch.arange(24).view(2, 3, 4)
ANGLES = (10.0, 45.0, 80.0)
SEEN = project_block(CELLS, ANGLES)


def corners(seen: CellBlock, face: Face, angle: int) -> Tensor:
    return seen.corners[angle, list(face.corners)]


def area(face: Face, angle: int) -> float:
    """Positive where corners run clockwise on the picture, whose y points down."""
    x, y = corners(SEEN, face, angle).unbind(1)
    return float((x * y.roll(-1) - y * x.roll(-1)).sum() / 2)


def test_every_cell_shows_its_front() -> None:
    fronts = [face.cell for face in SEEN.faces if face.side == "front"]
    assert sorted(fronts) == list(range(24))


def test_edges_of_a_slab_show_their_cells_tops_and_sides() -> None:
    tops = {face.cell for face in SEEN.faces if face.side == "top"}
    sides = {face.cell for face in SEEN.faces if face.side == "side"}
    assert tops == set(CELLS[:, 0].flatten().tolist())
    assert sides == set(CELLS[:, :, -1].flatten().tolist())


def test_farther_slabs_are_drawn_first() -> None:
    slabs = [face.cell // 12 for face in SEEN.faces]
    assert slabs == sorted(slabs, reverse=True)


@pytest.mark.parametrize("angle", range(len(ANGLES)))
def test_every_face_is_turned_to_the_eye_at_every_angle(angle: int) -> None:
    ways = {
        side: {area(face, angle) > 0 for face in SEEN.faces if face.side == side}
        for side in ("front", "top", "side")
    }
    # The corners of a front run clockwise, those of a top against the clock, as written.
    assert ways == {"front": {True}, "top": {False}, "side": {False}}


def test_the_picture_holds_the_block_at_every_angle() -> None:
    width, height = SEEN.size
    low, high = SEEN.corners.amin((0, 1)), SEEN.corners.amax((0, 1))
    assert (low >= -1e-5).all()
    assert high[0] <= width + 1e-5
    assert high[1] <= height + 1e-5


def test_turned_far_the_row_of_slabs_is_what_is_wide() -> None:
    narrow = project_block(CELLS[:1], (0.0, 90.0)).corners[:, :-3]
    across = narrow[..., 0].amax(1) - narrow[..., 0].amin(1)
    torch.testing.assert_close(across, torch.tensor([4.0, 1.0]))
    deep = project_block(CELLS, (90.0,)).corners[0, :-3, 0]
    torch.testing.assert_close(deep.max() - deep.min(), torch.tensor(SLAB_PITCH + 1))


def test_a_cube_names_what_it_draws_and_what_its_words_say() -> None:
    cube = Cube(
        "at {a}",
        "cell",
        "corners",
        "d",
        (),
        (1.0, 1.0),
        "ids",
        "{b}",
        (CubeAxis("x", 0),),
        {"c": (1,)},
    )
    assert set(cube.references()) == {"a", "cell", "corners", "ids", "b", "c", "d"}
