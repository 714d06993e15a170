"""Gradients by layer for the lesson: what is measured, and the result that is shipped."""

import pytest
import torch
from torch.testing import assert_close

from lnviz.topics.transformer.profiles import PROFILES, ProfileSpecification
from lnviz.topics.transformer.setups import SETUPS
from lnviz.topics.transformer.theory import last_layer

DEPTHS = ProfileSpecification().depths


def test_quartiles_stand_in_order_on_every_layer_and_nowhere_else() -> None:
    over = ("quartile", "setup", "placement", "depth", "layer")
    gradient = PROFILES.result.tensor("gradient", *over)
    layers = torch.arange(gradient.shape[-1]) < torch.tensor(DEPTHS)[:, None]
    assert torch.equal(gradient.isfinite(), layers.expand_as(gradient))
    assert (gradient[..., layers][0] > 0).all()
    assert (gradient[..., layers].diff(dim=0) >= 0).all()


@pytest.mark.parametrize("setup", SETUPS)
def test_the_last_layer_is_that_of_a_network_of_this_depth(setup: str) -> None:
    found = last_layer(["post", "pre"], DEPTHS[:3], ProfileSpecification().experiment(setup))
    for key, gradients in found.items():
        at = {"setup": setup, "placement": key, "quartile": 0.5}
        kept = PROFILES.result.tensor("gradient", "depth", "layer", **at)
        lasts = torch.stack([kept[row, depth - 1] for row, depth in enumerate(DEPTHS[:3])])
        assert_close(lasts, gradients.values.quantile(0.5, dim=-1), rtol=1e-3, atol=1e-4)
