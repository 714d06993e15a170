from functools import partial

import pytest
import torch
from torch.testing import assert_close

from lnviz.lessons.recurrence.level import INPUT, NETWORK, RADIUS
from lnviz.topics.recurrence import UntrainedNetwork, flow
from tests.lessons.running import built

figure = partial(built, "recurrence", "level")


def tensor(name: str) -> torch.Tensor:
    return figure().tensors[name].values.cpu()


def test_the_state_is_level_at_every_input_size_and_with_a_large_one_the_gradient_vanishes() -> (
    None
):
    assert_close(tensor("layer state"), torch.zeros_like(tensor("layer state")), rtol=0, atol=0.01)
    first = tensor("layer first")
    assert 1 < first[INPUT.index(0)] < 100
    assert (first[INPUT.index(0.5) :] < 1e-6).all()
    assert first[INPUT.index(1)] < 1e-20
    assert (tensor("none last") > 1e6).all()
    assert (tensor("none first") > 1e6).all()


@pytest.mark.parametrize("size", [0.2, 1.0])
def test_an_input_of_another_size_is_the_input_of_a_network_that_is_given_it(size: float) -> None:
    n = NETWORK
    alone = flow(
        "layer",
        torch.tensor([RADIUS]),
        UntrainedNetwork(n.size, n.steps, n.cases, n.nonlinearity, size),
    )
    assert_close(tensor("layer last")[INPUT.index(size)], alone.state[0, -1])
    # Over 200 steps rounding adds up.
    found = tensor("layer first")[INPUT.index(size)]
    assert_close(found, alone.gradient[0, 0], rtol=0.02, atol=0)
