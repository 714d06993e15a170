"""What the lesson's text says besides its figures."""

import pytest
import torch
from torch.nn import functional as F

from lnviz.lessons.recurrence.flow import CASES, STEPS_TAKEN
from lnviz.topics.paper.experiments import EXPERIMENTS
from lnviz.topics.recurrence import UntrainedNetwork, flow
from lnviz.topics.recurrence.flow import NONLINEARITIES, draw
from lnviz.topics.recurrence.train import RECURRENCE
from tests.lessons.claims import page_contains
from tests.lessons.running import built, control


def test_a_hundred_factors_are_a_hundredth_power() -> None:
    assert page_contains(
        "recurrence", f"$1.1^{{100}} \\approx {1.1**100:,.0f}$".replace(",", "\\,")
    )
    assert 13_500 < 1.1**100 < 14_500
    assert 0.5e6 < 1.15**100 < 2e6
    assert 0.9**100 < 0.00003


def test_numbers_are_written_with_as_many_bits_as_is_said() -> None:
    half, single = torch.finfo(torch.float16), torch.finfo(torch.float32)
    said = f"(float16) stores a number in {half.bits} bits, float32 in {single.bits}."
    assert page_contains("recurrence", said)


def test_float16_overflows_within_a_hundred_steps_and_float32_within_eight_hundred() -> None:
    figure = built("recurrence", "factor")
    state = figure.start_state()
    assert control(figure, "per-step factor").label(state["per-step factor"]) == "1.120"
    assert figure.lookup("half fails", state) < 100
    assert torch.finfo(torch.float32).max < 1.12**800


def scatter(size: int, nonlinearity: str) -> float:
    """Powers of ten between the gradients at step 1 under BatchNorm, over spectral radii."""
    network = UntrainedNetwork(size, int(STEPS_TAKEN.start), CASES, nonlinearity, 0.0)
    first = flow("batch", torch.linspace(0.8, 1.2, 5), network).gradient[:, 0].log10()
    return float(first.max() - first.min())


def parted(size: int, nonlinearity: str) -> float:
    """How far two states are apart after all steps under BatchNorm, in multiples of the start."""
    network = UntrainedNetwork(size, int(STEPS_TAKEN.start), CASES, nonlinearity, 0.0)
    weight = draw(network, torch.device("cpu")).weight.double()
    one = draw(network, torch.device("cpu")).first.double()
    noise = torch.randn(one.shape, generator=torch.Generator().manual_seed(1), dtype=one.dtype)
    other = one * (1 + 1e-12 * noise)
    start = float((one - other).norm())
    for _ in range(network.steps):
        one, other = (
            NONLINEARITIES[nonlinearity].f(F.batch_norm(h @ weight.T, None, None, training=True))
            for h in (one, other)
        )
    return float((one - other).norm()) / start


def test_in_chaotic_networks_two_states_that_differ_in_their_last_digits_part_ways() -> None:
    assert parted(32, "identity") < 100
    assert all(parted(size, "identity") > 1e3 for size in (17, 23, 26, 35, 40))
    assert all(parted(size, "tanh") > 1e3 for size in (16, 24, 32))


@pytest.mark.slow
def test_under_batchnorm_the_networks_that_are_named_scatter_and_with_tanh_many_do() -> None:
    assert scatter(32, "identity") < 0.01
    assert all(scatter(size, "identity") > 0.1 for size in (17, 23, 26, 35, 40))
    assert all(scatter(size, "tanh") > 0.1 for size in (16, 24, 32))


def test_the_networks_that_learn_get_as_many_images_a_batch_as_the_papers() -> None:
    (handwriting,) = (each for each in EXPERIMENTS if each.key == "handwriting")
    assert RECURRENCE.result.specification.batch == int(handwriting.batch)
