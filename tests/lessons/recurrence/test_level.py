from dataclasses import dataclass, replace
from functools import cache, partial

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.lessons.recurrence.level import INPUT, NETWORK, RADIUS
from lnviz.topics.recurrence import flow
from lnviz.topics.recurrence.flow import draw
from tests.lessons.running import built

figure = partial(built, "recurrence", "level")


def tensor(name: str) -> torch.Tensor:
    return figure().tensors[name].values.cpu()


@dataclass(frozen=True)
class Draws:
    """Networks drawn at random, with LayerNorm: what is left of a gradient, and the states' sizes.

    Attributes:
        left: decades by which a gradient is multiplied on its way from the last step to the first.
        own: the same, with each step divided by the size of the state's part alone.
        size: the RMS of the states, at every step.
    """

    left: torch.Tensor
    own: torch.Tensor
    size: torch.Tensor


@cache
def draws(input_size: float) -> Draws:
    """Run the networks of 24 seeds, written out."""
    drawn = [draw(replace(NETWORK, seed=seed), torch.device("cpu")) for seed in range(24)]
    weight = RADIUS * torch.stack([each.weight for each in drawn]).double()  # S,D,D
    added = input_size * torch.stack([each.added for each in drawn], 1).double()  # T,S,N,D
    h = torch.stack([each.first for each in drawn]).double()  # S,N,D
    steps = []
    for x in added:
        own = h @ weight.mT
        a = own + x
        h = F.layer_norm(a, a.shape[-1:])
        steps.append((h, a.std(-1, correction=0), own.std(-1, correction=0)))

    def left(which: int) -> torch.Tensor:
        gradient = torch.stack([each.last for each in drawn]).double()
        decades = -gradient.norm(dim=(1, 2)).log10()
        for step in reversed(steps):
            h, sigma = step[0], step[which][..., None]
            centered = gradient - gradient.mean(-1, keepdim=True)
            across = centered - h * (gradient * h).mean(-1, keepdim=True)
            gradient = (across / sigma) @ weight
            length = gradient.norm(dim=(1, 2), keepdim=True)
            decades += length.flatten().log10()
            gradient = gradient / length
        return decades

    return Draws(left(1), left(2), torch.stack([h for h, *_ in steps]).square().mean(-1).sqrt())


@pytest.mark.slow
def test_networks_written_out_are_those_of_the_figure() -> None:
    for size in (0, 0.5, 1):
        found = tensor("layer first")[INPUT.index(size)].log10().item()
        assert found == pytest.approx(draws(size).left[0].item(), abs=0.1)


def test_the_state_keeps_its_size_at_every_input_size_and_the_gradient_does_not() -> None:
    assert_close(tensor("layer state"), torch.zeros_like(tensor("layer state")), rtol=0, atol=0.01)
    first = tensor("layer first")
    assert 1 < first[INPUT.index(0)] < 100
    assert (first[INPUT.index(0.5) :] < 1e-6).all()
    assert (tensor("none last") > 1e6).all()
    assert (tensor("none first") > 1e6).all()


def test_in_every_network_drawn_a_large_input_makes_the_gradient_vanish() -> None:
    assert len(draws(1).left) == 24
    assert (draws(1).left < -10).all()
    for size in (0, 0.5, 1):
        assert_close(draws(size).size, torch.ones_like(draws(size).size), rtol=0, atol=0.001)


def test_without_an_input_most_networks_drawn_keep_the_gradient_and_some_lose_it() -> None:
    left = draws(0).left
    assert (left > -3).sum() == 20
    assert (left < -6).sum() == 4


@pytest.mark.parametrize("size", [0.5, 1])
def test_divided_by_the_state_s_own_size_the_gradient_would_not_vanish(size: float) -> None:
    assert (draws(size).left < -2).all()
    assert (draws(size).own > -4).all()
    # By what the gradient loses to the larger sigma: most of all that it loses.
    lost = draws(size).own - draws(size).left
    assert (lost > 0.75 * -draws(size).left).all()


@pytest.mark.parametrize("size", [0.2, 1.0])
def test_an_input_of_another_size_is_the_input_of_a_network_that_is_given_it(size: float) -> None:
    alone = flow("layer", torch.tensor([RADIUS]), replace(NETWORK, inputs=size))
    assert_close(tensor("layer last")[INPUT.index(size)], alone.state[0, -1])
    # Over 200 steps rounding adds up.
    found = tensor("layer first")[INPUT.index(size)]
    assert_close(found, alone.gradient[0, 0], rtol=0.02, atol=0)
