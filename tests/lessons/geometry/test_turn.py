import math

import torch
from torch.testing import assert_close

from lnviz.lessons.geometry.turn import LENGTH, SIZE
from tests.lessons.geometry.drawing import figure


def test_the_longer_the_weights_the_less_a_step_turns_them_and_changes_layernorms_outputs() -> None:
    shown = figure("turn")
    none, layer = (shown.tensors[f"{norm} moved"].values.cpu() for norm in ("none", "layer"))
    assert_close(none, none[:1].expand(len(none)))
    assert (layer.diff() < 0).all()
    assert (shown.tensors["angle"].values.diff() < 0).all()
    one, two = (shown.lookup("angle", shown.state_at(weight_length=x)) for x in (1.0, 2.0))
    assert_close(one.item(), math.degrees(math.atan(SIZE)), rtol=1e-4, atol=0)
    assert 0.5 < two / one < 0.55
    start = shown.start_state()
    assert shown.lookup("layer moved", start) < shown.lookup("none moved", start)


def test_the_longer_the_weights_the_nearer_twice_their_length_comes_to_half() -> None:
    shown = figure("turn")
    moved = [
        float(shown.lookup("layer moved", shown.state_at(weight_length=x))) for x in (1.0, 2.0, 4.0)
    ]
    far, near = (moved[1] / moved[0], moved[2] / moved[1])
    assert 0.5 < near < far < 0.6


def test_the_circle_goes_through_the_weights_and_the_arc_from_before_to_after() -> None:
    shown = figure("turn")
    for length in (LENGTH.values[0], 1.0, LENGTH.values[-1]):
        where = shown.state_at(weight_length=length)
        circle, arc = (
            torch.stack([shown.lookup(f"{name} {axis}", where) for axis in "xy"]).cpu()
            for name in ("circle", "angle")
        )
        assert_close(circle.norm(dim=0), torch.full((41,), length), rtol=1e-3, atol=0)
        assert circle[1, 0] == arc[1, 0] == 0
        turned = torch.atan2(arc[1, -1], arc[0, -1]).rad2deg()
        assert_close(turned, shown.lookup("angle", where).cpu(), rtol=1e-2, atol=0)


def test_the_angle_is_the_one_drawn_between_the_weights_before_and_after() -> None:
    shown = figure("turn")
    for length in (LENGTH.values[0], 1.0, LENGTH.values[-1]):
        where = shown.state_at(weight_length=length)
        before, after = (
            torch.stack([shown.lookup(f"{name} {axis}", where)[1] for axis in "xy"]).cpu()
            for name in ("before", "after")
        )
        cosine = before @ after / before.norm() / after.norm()
        assert_close(cosine.acos().rad2deg(), shown.lookup("angle", where).cpu(), rtol=1e-2, atol=0)
        assert_close((after - before).norm(), torch.tensor(SIZE), rtol=1e-3, atol=0)
