"""How far tanh saturates behind a norm."""

import torch
from torch.testing import assert_close

from lnviz.topics.recurrence import saturation

GAINS = torch.tensor([0.0, 0.1, 0.5, 1.0, 3.0])


def test_the_slope_is_that_of_drawn_values() -> None:
    drawn = torch.randn(400_000, generator=torch.Generator().manual_seed(0))
    x = (GAINS[:, None] * drawn).requires_grad_()
    (slopes,) = torch.autograd.grad(x.tanh().sum(), x)
    found = saturation(GAINS)
    assert_close(found.slope, slopes.mean(1), rtol=0, atol=2e-3)
    assert_close(found.flat, (slopes < 0.1).float().mean(1), rtol=0, atol=2e-3)


def test_a_larger_gain_saturates_more() -> None:
    found = saturation(GAINS)
    assert found.slope[0] == 1
    assert (found.slope.diff() < 0).all()
    assert (found.flat.diff() >= 0).all()


def test_a_gain_of_a_tenth_keeps_the_slope_and_a_gain_of_one_does_not() -> None:
    tenth, one = saturation(torch.tensor([0.1, 1.0])).slope
    assert tenth > 0.99
    assert one < 0.61
