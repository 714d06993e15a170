"""GroupNorm between its ends: what is trained."""

from dataclasses import replace

import pytest
from torch import nn
from torch.testing import assert_close

from lnviz.topics.images.groups import CHANNELS, COUNTS, ConvNet, network
from lnviz.topics.images.training import ConvNetSpecification

SMALL = ConvNetSpecification(batches=(2, 4), images=8, seeds=(0, 1))


def test_the_counts_divide_the_channels_and_hold_both_ends() -> None:
    assert COUNTS == (1, 2, 4, 8, 16)
    assert (COUNTS[0], COUNTS[-1]) == (1, CHANNELS)


@pytest.mark.parametrize(
    ("key", "kind"), [("1", nn.GroupNorm), ("16", nn.GroupNorm), ("batch", nn.BatchNorm2d)]
)
def test_every_convolution_has_its_norm(key: str, kind: type[nn.Module]) -> None:
    modules = list(network(key))
    assert [type(m) for m in modules].count(kind) == 3
    assert all(m.bias is None for m in modules if isinstance(m, nn.Conv2d))


def test_without_a_norm_convolutions_have_biases_in_its_place() -> None:
    plain = [m for m in ConvNet(None) if isinstance(m, nn.Conv2d)]
    assert all(m.bias is not None for m in plain)


def test_the_rate_is_proportional_to_the_batch_size() -> None:
    assert SMALL.rate_at(32) == SMALL.rate
    assert_close(SMALL.rate_at(2), SMALL.rate / 16)


def test_a_batch_size_that_does_not_divide_the_images_is_refused() -> None:
    with pytest.raises(ValueError, match=r"got 8 in batches of 3. Use batch sizes that divide it"):
        replace(SMALL, batches=(2, 3))
