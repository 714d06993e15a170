"""Saturation of tanh in a network with a norm."""

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.topics.recurrence import UntrainedNetwork, saturation
from lnviz.topics.recurrence.flow import draw

GAINS = torch.tensor([0.1, 0.5, 1.0, 3.0])
EDGES = torch.linspace(-3, 3, 7)
NETWORK = UntrainedNetwork(16, 12, 6, inputs=1.0)


def test_slopes_and_density_are_those_of_a_network_written_out() -> None:
    drawn = draw(NETWORK, torch.device("cpu"))
    found = saturation("layer", GAINS, NETWORK, EDGES)
    for at, gain in enumerate(GAINS):
        h, values = drawn.first, []
        for x in drawn.added:
            values.append(F.layer_norm(h @ drawn.weight.T + x, (16,)))
            h = (gain * values[-1]).tanh()
        x_hat = torch.stack(values[1:])
        a = (gain * x_hat).requires_grad_()
        (slopes,) = torch.autograd.grad(a.tanh().sum(), a)
        assert_close(found.slope[at], slopes.mean(), rtol=0, atol=1e-4)
        assert_close(found.flat[at], (slopes < 0.1).float().mean(), rtol=0, atol=2e-3)
        density, _ = torch.histogram(x_hat, EDGES)
        assert_close(found.density[at], density / x_hat.numel(), rtol=0, atol=2e-3)


@pytest.mark.parametrize("norm", ["layer", "rms", "batch"])
def test_a_larger_gain_saturates_more(norm: str) -> None:
    found = saturation(norm, GAINS, NETWORK, EDGES)
    assert (found.slope.diff() < 0).all()
    assert (found.flat.diff() >= 0).all()
