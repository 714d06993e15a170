import torch
from torch.testing import assert_close

from lnviz.lessons.geometry.turn import LENGTH, SIZE
from tests.lessons.geometry.drawing import figure


def test_without_a_norm_a_step_moves_the_outputs_alike_at_any_length_and_under_layernorm_less() -> (
    None
):
    shown = figure("turn")
    none, layer = (shown.tensors[f"{norm} moved"].values.cpu() for norm in ("none", "layer"))
    assert_close(none, none[:1].expand(len(none)))
    assert (layer.diff() < 0).all()


def test_the_longer_the_weights_the_nearer_twice_their_length_comes_to_a_quarter() -> None:
    shown = figure("turn")
    moved = [
        float(shown.lookup("layer moved", shown.state_at(weight_length=x))) for x in (1.0, 2.0, 4.0)
    ]
    far, near = (moved[1] / moved[0], moved[2] / moved[1])
    assert 0.25 < near < far < 0.4


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
