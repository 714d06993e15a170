"""How similar untrained networks make points, with and without residual connections."""

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.topics.playground.merging import DEEPEST, NORMS, activations, mean_cosine

NONE, LAYER = (NORMS.index(norm) for norm in ("none", "layer"))


def relative_spread(h: Float[Tensor, "*networks N D"]) -> Float[Tensor, "*networks"]:
    """The RMS distance of activations from their mean, over their RMS length."""
    centered = h - h.mean(-2, keepdim=True)
    return (centered.square().sum((-2, -1)) / h.square().sum((-2, -1))).sqrt()


@pytest.mark.slow
def test_layer_norm_merges_points_in_plain_stacks_alone() -> None:
    plain, residual = (activations(of) for of in (False, True))
    assert len(plain) == len(residual) == DEEPEST == 32
    directions = mean_cosine(plain).median(-1).values  # layers,norms
    assert (directions[-1] > 0.99).all()
    assert (directions[[0, 3, 7, 15, 31]].diff(dim=0) > 0).all()
    spread = relative_spread(plain[-1])  # norms,seeds
    assert spread[LAYER].median() < 0.03
    assert (spread[NONE] > 2.5 * spread[LAYER]).all()
    with_residual = relative_spread(residual[-1])[LAYER]
    assert (with_residual > spread[LAYER]).all()
    assert with_residual.median() > 10 * spread[LAYER].median()


@pytest.mark.slow
def test_without_a_norm_residual_blocks_make_values_grow() -> None:
    sizes = activations(True).square().mean((-2, -1)).sqrt()  # layers,norms,seeds
    growth = sizes[-1] / sizes[0]
    assert growth[NONE].min() > 1e6
    assert growth[LAYER].max() < 20


def test_spread_and_cosine_of_known_points() -> None:
    points = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    assert mean_cosine(points) == 0
    torch.testing.assert_close(relative_spread(points), torch.tensor(0.5**0.5))
    torch.testing.assert_close(
        mean_cosine(torch.tensor([[1.0, 1.0], [2.0, 2.0]])), torch.tensor(1.0)
    )
