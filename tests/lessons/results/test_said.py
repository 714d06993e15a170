"""What the lesson's text says of the paper's numbers and of our own networks."""

import pytest
import torch
from torch.nn import functional as F

from lnviz.batch.gaps import stored
from lnviz.lessons.lab.runs import SIZES
from lnviz.paper.tables import DRAW
from tests.lessons.claims import says


def test_the_bars_of_draw_are_in_the_ratio_that_is_said() -> None:
    (baseline,), (layer,) = DRAW.rows
    assert baseline is not None
    assert layer is not None
    assert (layer - 82) / (baseline - 82) == pytest.approx(1 / 4)
    assert says("results", f"{layer - 82:.2f} is a quarter of {baseline - 82:.2f}.")
    assert says("results", f"the second bar is {100 * layer / baseline:.2f} % as high")
    assert says("results", f"whether {baseline - layer:.2f} nats are worth having")
    assert says("results", f"baseline has {baseline} nats, the model with LayerNorm {layer}.")


def test_our_batches_are_those_that_are_said() -> None:
    found = stored().specification
    assert says("results", f"digits learned with batches of {found.sizes[0]} to {found.sizes[-1]}")
    assert says("results", f"There are {found.images} digits to learn, not 55,000")
    assert says("results", f"the lab, with batches of {SIZES[0]} to {SIZES[-1]},")


def test_a_gate_turned_round_is_the_same_gate_with_its_sum_negated() -> None:
    generator = torch.Generator().manual_seed(0)
    z, old, new = torch.randn(3, 50, generator=generator, dtype=torch.float64)
    opened = (1 - z.sigmoid()) * old + z.sigmoid() * new
    torch.testing.assert_close((-z).sigmoid() * old + (1 - (-z).sigmoid()) * new, opened)
    # A norm passes the sign on, so the weights before it and the bias can take it.
    torch.testing.assert_close(F.layer_norm(-z, (50,)), -F.layer_norm(z, (50,)))
