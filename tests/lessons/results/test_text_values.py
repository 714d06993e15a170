"""What the lesson's text says of the paper's numbers and of our own networks."""

import pytest
import torch
from torch.nn import functional as F

from lnviz.topics.paper.printed import DRAW


def test_on_an_axis_from_82_the_second_bar_of_draw_is_a_quarter_as_high() -> None:
    (baseline,), (layer,) = DRAW.rows
    assert baseline is not None
    assert layer is not None
    assert (layer - 82) / (baseline - 82) == pytest.approx(1 / 4)


def test_a_gate_turned_round_is_the_same_gate_with_its_sum_negated() -> None:
    generator = torch.Generator().manual_seed(0)
    z, old, new = torch.randn(3, 50, generator=generator, dtype=torch.float64)
    opened = (1 - z.sigmoid()) * old + z.sigmoid() * new
    torch.testing.assert_close((-z).sigmoid() * old + (1 - (-z).sigmoid()) * new, opened)
    # A norm passes the sign on, so the weights before it and the bias can take it.
    torch.testing.assert_close(F.layer_norm(-z, (50,)), -F.layer_norm(z, (50,)))
