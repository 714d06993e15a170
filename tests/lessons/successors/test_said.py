"""What the lesson's text says besides its figures."""

import torch
from torch.nn import functional as F

from lnviz.lessons.successors.curves import SIZE
from tests.lessons.claims import says


def test_the_input_scale_goes_as_far_as_is_said() -> None:
    assert (SIZE.values[0], SIZE.values[-1]) == (1 / 8, 8)
    assert says("successors", "by up to 8, or by as little as 1/8.")


def test_what_the_derivatives_take_out_makes_no_gradient_larger() -> None:
    x, arriving = torch.randn(2, 50, 9, generator=torch.Generator().manual_seed(0)).double()
    x.requires_grad_()
    (gradient,) = torch.autograd.grad(F.layer_norm(x, (9,), eps=0), x, arriving)
    sigma = x.detach().std(-1, correction=0)
    assert (sigma * gradient.norm(dim=-1) <= arriving.norm(dim=-1)).all()
