"""What the lesson's text says of networks that were trained, and of all there could be."""

import pytest
import torch
from jaxtyping import Bool
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.testing import assert_close

from lnviz.lessons.playground.networks import LEARNED
from lnviz.lessons.playground.text_values import (
    SPIRAL,
    batch_norm,
    dead_fractions,
    final_accuracy,
    learned,
)
from lnviz.topics.playground.data import FIGURES, points
from lnviz.topics.playground.network import Networks
from lnviz.topics.playground.specification import PLACES, PlaygroundSpecification
from tests.lessons.running import whole

NONE, BATCH, LAYER, RMS = range(4)
TWELVE = PLACES["depth"].index(12)


def scores(norm: str, x: torch.Tensor, *, bias: bool) -> torch.Tensor:
    """What untrained networks of all depths say, their biases moved off 0."""
    torch.manual_seed(3)
    asked = PlaygroundSpecification("spiral", bias=bias)
    model = Networks((norm,), asked.depths, asked.scales, asked.batches, bias).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            if "bias" in name:
                value.normal_()
        return model(x)[0][0]


POINTS = torch.randn(50, 2, generator=torch.Generator().manual_seed(0)) + 3
BIASED = ("layer", "rms")


@pytest.mark.parametrize("norm", BIASED)
def test_behind_a_layer_without_a_bias_a_norm_of_one_case_sees_a_direction(norm: str) -> None:
    near = scores(norm, POINTS, bias=False)
    assert_close(near, scores(norm, 2 * POINTS, bias=False), rtol=0, atol=1e-3)
    assert near.std() > 0.01


@pytest.mark.parametrize("norm", BIASED)
def test_a_bias_before_the_norm_brings_the_distance_back(norm: str) -> None:
    near, far = (scores(norm, factor * POINTS, bias=True) for factor in (1, 2))
    assert (near - far)[0].abs().max() > 0.01  # ten times what the norm lets through without it


def test_batch_norm_sees_how_far_out_a_point_lies() -> None:
    near, far = (scores("batch", factor * POINTS, bias=False) for factor in (1, 2))
    assert (near - far).abs().amax(1).min() > 0.1


def test_near_the_middle_epsilon_lets_the_distance_through() -> None:
    near, far = (scores("layer", factor * POINTS / 1000, bias=False) for factor in (1, 2))
    assert (near - far).abs().max() > 0.01


def test_twelve_layers_learn_the_spiral_at_the_most_rates_under_batch_norm() -> None:
    for bias in (True, False):
        none, batch, layer, rms = learned(bias=bias)[..., TWELVE].sum(1).tolist()
        assert (none, layer) == (3, 0)
        assert batch > max(none, layer, rms)


def test_batch_norm_learns_the_spiral_at_the_most_pairs_and_layer_norm_at_fewer_than_none() -> None:
    none, batch, layer, rms = learned().flatten(1).sum(1).tolist()
    assert batch > none > max(layer, rms)


def test_without_a_bias_only_xor_is_learned_by_a_norm_that_sees_directions() -> None:
    for data in FIGURES:
        assert bool(learned(data, bias=False)[[LAYER, RMS]].any()) == (data == "xor")
        assert learned(data)[[LAYER, RMS]].flatten(1).any(1).all()


def test_the_links_show_a_network_that_learns_the_spiral_with_a_bias_alone() -> None:
    rate, place = 3, 2  # network=4.3, counted from 1
    assert "(playground?bias=without&network=4.3)" in whole("playground")[1]
    assert learned()[LAYER, rate, place]
    assert not learned(bias=False)[LAYER, rate, place]
    assert learned("xor", bias=False)[LAYER, rate, place]


def test_in_batches_of_two_nothing_learns_the_spiral_and_in_large_ones_batch_norm_does() -> None:
    by_batch = learned(axis="batch")
    assert PLACES["batch"][0] == 2
    assert not by_batch[..., 0].any()
    assert by_batch[BATCH, :, -1].any()
    assert (batch_norm("spiral", 600, "batch")[1][:, 0] < LEARNED).all()


def test_the_most_units_are_dead_at_a_high_rate_without_a_norm_and_the_fewest_under_rms_norm() -> (
    None
):
    none, _, layer, rms = dead_fractions()[:, SPIRAL.rates.index(0.3)]
    assert none.min() > 3 / 4
    assert layer.min() > 1 / 2
    assert rms.max() < 1 / 3
    assert not dead_fractions()[BATCH, : SPIRAL.rates.index(0.003) + 1].any()


def test_early_on_running_statistics_hide_that_batch_norm_has_learned_the_circles() -> None:
    (running, own), (late, at_last) = (batch_norm("circles", step) for step in (10, 600))
    assert (running >= LEARNED).sum() == 1
    assert (own >= LEARNED).sum() > 10
    assert (late >= LEARNED).sum() == (at_last >= LEARNED).sum()


def test_fewer_networks_know_points_that_they_have_not_learned_from() -> None:
    new = final_accuracy(of="test_accuracy")[learned()] >= LEARNED
    assert 0 < new.sum() < new.numel()


def test_the_moons_at_twelve_layers_are_learned_by_all_four_where_the_goal_says() -> None:
    fits = learned("moons")[..., TWELVE].all(0).nonzero().flatten().tolist()
    assert fits == [1, 2]  # network=2.6 and 3.6, counted from 1
    by_depth = learned("moons").all(0).sum(0)
    assert by_depth[TWELVE] < by_depth[:TWELVE].min()
    assert len(SPIRAL.rates) > max(fits) + 1


def test_the_best_of_layer_norm_without_a_bias_is_far_from_learning_the_spiral() -> None:
    assert final_accuracy(bias=False)[LAYER].max() < 0.75


def right(moved: float) -> Bool[Tensor, "points"]:
    """Which of the spiral's points a network has right whose start was moved so far."""
    torch.manual_seed(0)
    sample = points("spiral")
    sizes = [(2, 16), *[(16, 16)] * 7]
    layers = [
        part
        for size in sizes
        for part in (torch.nn.Linear(*size), torch.nn.LayerNorm(16), torch.nn.ReLU())
    ]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(16, 1))
    for value in model.parameters():
        if value.dim() == 2:
            value.data = torch.randn(value.shape) * (2 / value.shape[1]) ** 0.5
            value.data *= 1 + moved * torch.randn(value.shape)
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    for cases in torch.randint(len(sample.x), (600, 32)):
        scores = model(sample.x[cases])[:, 0]
        adam.zero_grad()
        binary_cross_entropy_with_logits(scores, sample.classes[cases].float()).backward()
        adam.step()
    return (model(sample.x)[:, 0] > 0) == sample.classes.bool()


def test_eight_layers_get_other_points_right_if_the_start_moves_by_a_ten_millionth() -> None:
    assert (right(0) != right(1e-7)).float().mean() > 0.02
