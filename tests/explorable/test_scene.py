"""Points and lines in space: the camera, and what a scene asks of its tensors."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Explorable, Marker3d, Path, Scene, Slider, SweptTensor, cameras

DIAGONAL = math.degrees(math.atan(1 / math.sqrt(2)))


def scene(**tensors: Tensor) -> Explorable:
    found = {"camera": torch.eye(3), "place": torch.zeros(3), "line": torch.zeros(4, 3)} | tensors
    view = Scene("t", "camera", "turn", 1.0, "a", (Path(("line", "place")),), (Marker3d("place"),))
    turn = Slider.linear("turn", 0, 90, 45, 0)
    return Explorable("t", (turn,), {n: SweptTensor((), v) for n, v in found.items()}, ((view,),))


@given(azimuth=st.floats(-360, 360), elevation=st.floats(-90, 90))
@settings(max_examples=20)
def test_a_camera_keeps_lengths_and_angles(azimuth: float, elevation: float) -> None:
    (camera,) = cameras((azimuth,), elevation)
    assert_close(camera @ camera.T, torch.eye(3), atol=1e-5, rtol=0)


@given(azimuth=st.floats(-360, 360), elevation=st.floats(-89, 89))
@settings(max_examples=20)
def test_the_third_axis_points_up_on_the_picture(azimuth: float, elevation: float) -> None:
    (camera,) = cameras((azimuth,), elevation)
    right, down, _ = (camera @ torch.tensor([0.0, 0.0, 1.0])).tolist()
    assert right == pytest.approx(0, abs=1e-6)
    assert down < 0


def test_the_axes_turn_against_the_clock_seen_from_above() -> None:
    # y points down on a picture: against the clock the area is negative.
    x, y = cameras((20.0,), 90.0)[0, :2, :2].unbind(0)
    assert x[0] * y[1] - x[1] * y[0] == pytest.approx(-1)


def test_an_eye_on_the_diagonal_sees_equal_components_as_one_point() -> None:
    (camera,) = cameras((45.0,), DIAGONAL)
    expected = torch.tensor([0.0, 0.0, math.sqrt(3)])
    assert_close(camera @ torch.ones(3), expected, atol=1e-5, rtol=0)


def test_a_scene_names_what_it_draws_and_what_its_words_say() -> None:
    view = Scene(
        "at {a}", "camera", "g", 1.0, "{b}", (Path(("c", "d")),), (Marker3d("e"),), when={"f": (1,)}
    )
    assert set(view.references()) == {"a", "camera", "b", "c", "d", "e", "f", "g"}


@pytest.mark.parametrize(
    ("name", "shape", "wanted"),
    [
        ("camera", (2, 3), r"\(3, 3\)"),
        ("place", (1, 3), r"\(3,\)"),
        ("line", (4, 2), r"\(3,\) or \(points, 3\)"),
        ("line", (2, 4, 3), r"\(3,\) or \(points, 3\)"),
    ],
)
def test_a_tensor_of_another_shape_is_refused(
    name: str, shape: tuple[int, ...], wanted: str
) -> None:
    received = str(shape).replace("(", r"\(").replace(")", r"\)")
    message = f"^tensor '{name}': a scene takes {wanted} there, received {received}$"
    with pytest.raises(ValueError, match=message):
        scene(**{name: torch.zeros(shape)})


def test_a_place_that_is_nowhere_is_refused() -> None:
    nowhere = torch.tensor([0.0, math.nan, 0.0])
    message = "^tensor 'place': a scene draws every position, received"
    with pytest.raises(ValueError, match=message):
        scene(place=nowhere)
