"""What the lesson's text says besides its figures."""

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.lessons.interpolation import format_value
from lnviz.lessons.why import depth, learning
from lnviz.topics.depth import RandomNetwork, spread
from tests.lessons.claims import page_contains

IMAGES, TARGETS = digit_images().images, digit_images().targets


def test_a_digit_has_8_by_8_pixels_which_a_layer_takes_to_as_many_numbers() -> None:
    assert IMAGES.shape[1:] == (8 * 8,)
    assert RandomNetwork().weights(64)[0].shape == (64, 64)


def test_fifty_factors_are_a_fiftieth_power() -> None:
    assert 0.9**6 > 0.5 > 0.9**7
    assert 0.9**21 > 0.1 > 0.9**22
    assert 190 < 1 / 0.9**50 < 210
    assert page_contains("why", f"$0.9^{{50}} \\approx {0.9**50:.3f}$")
    assert page_contains("why", f"$1.1^{{50}} \\approx {1.1**50:.0f}$")


def test_the_digits_go_through_fifty_layers() -> None:
    assert f"through {format_value(depth.LAYERS, 'words')} layers" in depth.CAPTIONS.title


def test_equal_chances_for_ten_digits_cost_the_logarithm_of_ten() -> None:
    count = len(TARGETS.unique())
    assert count == 10
    loss = F.cross_entropy(torch.zeros(3, count), TARGETS[:3])
    assert_close(loss, -torch.tensor(1 / count).log())
    assert_close(loss.item(), learning.CHANCE, rtol=1e-6, atol=0)


@pytest.mark.slow
def test_layers_of_64_units_keep_the_size_only_roughly() -> None:
    for seed in range(5):
        size = spread("none", torch.ones(1), RandomNetwork("relu", 50, seed), IMAGES, TARGETS).size[
            0
        ]
        change = (size[-1] / size[0]).log2().abs()
        assert 0.1 < change < 5


@pytest.mark.slow
def test_tanh_keeps_the_size_of_small_numbers_alone() -> None:
    x = torch.randn(4, 2048, generator=torch.Generator().manual_seed(1))
    for factor, ends in ((1e-3, (0.95, 1.05)), (1.0, (0, 0.8))):
        network, classes = RandomNetwork("tanh", 3), torch.tensor([0, 0, 1, 1])
        size = spread("none", torch.ones(1), network, factor * x, classes).size[0]
        assert ends[0] < size[-1] / size[0] < ends[1]
