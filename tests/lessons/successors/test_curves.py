import pytest
import torch
from torch.nn import functional as F

from tests.lessons.running import built


@pytest.mark.parametrize("scale", [0.125, 1.0, 8.0])
def test_what_is_said_are_the_sizes_of_what_pytorch_computes(scale: float) -> None:
    figure = built("successors", "curves")
    x = figure.lookup("none units", figure.state_at(input_scale=1.0)) * scale
    state = figure.state_at(input_scale=scale)
    for key, y in {"layer": F.layer_norm(x, x.shape), "dyt": torch.tanh(0.5 * x)}.items():
        shown = float(figure.lookup(f"{key} size", state))
        assert shown == pytest.approx(float(y.square().mean().sqrt()), abs=2e-3)


def test_tanh_is_nearly_a_line_at_the_left_end_and_nearly_a_step_at_the_right() -> None:
    figure = built("successors", "curves")
    small, large = (
        figure.lookup("dyt curve", figure.state_at(input_scale=scale)) for scale in (0.125, 8.0)
    )
    steps = small.diff()
    assert (steps - steps.mean()).abs().max() < 0.1 * steps.mean()
    assert (large.abs() > 0.95).float().mean() > 0.8
    assert torch.equal(large.sign(), small.sign())
