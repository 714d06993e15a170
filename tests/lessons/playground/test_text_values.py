"""What the lesson's text says of networks that were trained, and of all there could be."""

import pytest
import torch
from jaxtyping import Bool
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.testing import assert_close

from lnviz.lessons.playground.networks import LEARNED
from lnviz.lessons.playground.text_values import (
    HIGH_RATE,
    SPIRAL,
    batch_norm,
    dead_fractions,
    final_accuracy,
    learned,
    text_values,
)
from lnviz.topics.playground.data import FIGURES, points
from lnviz.topics.playground.network import Networks
from lnviz.topics.playground.specification import PLACES, PlaygroundSpecification
from tests.lessons.running import whole

NONE, BATCH, LAYER, RMS = range(4)
FOUR, DEEP = PLACES["depth"].index(4), -1


def scores(norm: str, x: torch.Tensor, *, bias: bool) -> torch.Tensor:
    """What untrained networks of all depths say, their biases moved off 0."""
    torch.manual_seed(3)
    asked = PlaygroundSpecification("spiral", bias=bias)
    model = Networks((norm,), asked.depths, asked.scales, asked.batches, bias, False).eval()
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


def test_norms_learn_more_with_residual_connections_and_layer_norm_less_in_plain_stacks() -> None:
    residual, plain = (learned(residual=of).sum((1, 2)) for of in (True, False))  # norms,seeds
    for norm in (BATCH, LAYER, RMS):
        assert (residual[norm] > 1.5 * residual[NONE]).all()
        assert (residual[norm] > plain[norm]).all()
        assert learned(residual=True)[norm, ..., DEEP, :].any(0).all()
    for norm in (LAYER, RMS):
        assert (plain[norm] < plain[NONE]).all()
    assert not learned()[BATCH:, :, DEEP].any()
    assert learned()[NONE, :, DEEP].any()


def test_one_deep_residual_network_without_a_norm_learns() -> None:
    by_rate = learned(residual=True)[..., DEEP, :].sum(2)  # norms,rates
    assert by_rate[NONE].sum() == 1
    assert (by_rate[BATCH:].amax(1) > 1).all()


def test_with_residual_connections_deep_networks_learn_with_norms_at_the_middle_rates() -> None:
    first, last = (SPIRAL.rates.index(rate) for rate in (0.003, 0.03))
    middle = learned(residual=True)[:, first : last + 1, FOUR:]  # norms,rates,places,seeds
    assert (middle[[LAYER, RMS]].sum(-1) >= 3).all()
    by_seed = middle.sum((1, 2))
    assert (by_seed[BATCH:] > 1.5 * by_seed[NONE]).all()
    values = text_values()
    counted = [values[f"middle-{which}"] for which in ("none", "least")]
    norms = by_seed[BATCH:].sum(1)
    assert counted == [by_seed[NONE].sum(), norms.min()]
    assert values["middle"] == middle[NONE].numel()


def test_plain_networks_under_layer_norm_learn_with_all_seeds_where_the_goal_says() -> None:
    always = learned()[LAYER].all(-1).nonzero().tolist()
    assert [f"{rate + 1}.{place + 1}" for rate, place in always] == ["3.3", "4.3", "5.2"]


def test_without_a_bias_only_xor_is_learned_by_a_norm_that_sees_directions() -> None:
    for data in FIGURES:
        assert bool(learned(data, bias=False)[[LAYER, RMS]].any()) == (data == "xor")
        assert learned(data)[[LAYER, RMS]].flatten(1).any(1).all()


def test_the_links_show_a_network_that_learns_the_spiral_with_a_bias_alone() -> None:
    rate, place = 3, 2  # network=4.3, counted from 1
    assert "(playground?bias=without&step=600&network=4.3)" in whole("playground")[1]
    assert learned()[LAYER, rate, place].all()
    assert not learned(bias=False)[LAYER, rate, place].any()
    assert learned("xor", bias=False)[LAYER, rate, place].all()


def test_in_batches_of_two_nothing_learns_the_spiral_and_in_large_ones_batch_norm_does() -> None:
    by_batch = learned(axis="batch")
    assert PLACES["batch"][0] == 2
    assert not by_batch[..., 0, :].any()
    assert by_batch[BATCH, :, -1].any(0).all()
    assert (batch_norm("spiral", 600, "batch")[1][:, 0] < LEARNED).all()


def test_at_a_high_rate_most_units_die_except_under_rms_norm_and_deep_batch_norm() -> None:
    none, batch, layer, rms = dead_fractions()[:, HIGH_RATE]
    assert min(none.min(), layer.min()) > 1 / 2 > rms.max()
    assert batch[:FOUR].min() > 1 / 2 > batch[FOUR:].max()


def test_early_on_running_statistics_hide_that_batch_norm_has_learned_the_circles() -> None:
    (running, own), (late, at_last) = (batch_norm("circles", step) for step in (10, 600))
    running_fit, own_fit = ((of >= LEARNED).sum((0, 1)) for of in (running, own))  # seeds
    assert (own_fit > running_fit + 5).all()
    assert (late >= LEARNED).sum() == (at_last >= LEARNED).sum()


def test_fewer_networks_know_points_that_they_have_not_learned_from() -> None:
    fit = learned(residual=True)
    new = final_accuracy(residual=True, of="test_accuracy")[fit] >= LEARNED
    assert 0 < new.sum() < new.numel()


def test_layer_norm_without_a_bias_is_far_from_learning_the_spiral() -> None:
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


@pytest.mark.slow
def test_eight_layers_get_other_points_right_if_the_start_moves_by_a_ten_millionth() -> None:
    assert (right(0) != right(1e-7)).float().mean() > 0.02
