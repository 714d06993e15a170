"""What the lesson's text says besides its figures."""

import torch
from torch.nn import functional as F


def test_what_the_derivatives_take_out_makes_no_gradient_larger() -> None:
    x, arriving = torch.randn(2, 50, 9, generator=torch.Generator().manual_seed(0)).double()
    x.requires_grad_()
    (gradient,) = torch.autograd.grad(F.layer_norm(x, (9,), eps=0), x, arriving)
    sigma = x.detach().std(-1, correction=0)
    assert (sigma * gradient.norm(dim=-1) <= arriving.norm(dim=-1)).all()


def test_where_sigma_is_small_a_gradient_is_larger_behind_the_norm() -> None:
    x, arriving = torch.randn(2, 50, 9, generator=torch.Generator().manual_seed(0)).double()
    x = (0.1 * x).requires_grad_()
    (gradient,) = torch.autograd.grad(F.layer_norm(x, (9,), eps=0), x, arriving)
    assert (gradient.norm(dim=-1) > arriving.norm(dim=-1)).all()
