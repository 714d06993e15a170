"""What the lesson's text says besides its figures."""

import torch

from lnviz.lessons.recurrence.flow import CASES, STEPS_TAKEN
from lnviz.topics.recurrence import Untrained, flow
from lnviz.topics.recurrence.train import RECURRENCE
from tests.lessons.claims import says


def test_a_hundred_factors_are_a_hundredth_power() -> None:
    assert says("recurrence", f"$1.1^{{100}} \\approx {1.1**100:,.0f}$".replace(",", "\\,"))
    assert 13_500 < 1.1**100 < 14_500
    assert 0.5e6 < 1.15**100 < 2e6
    assert 0.9**100 < 0.00003
    assert 100 * 0.1 == 10
    assert round(100 * 1.1) == 110


def test_numbers_are_written_with_as_many_bits_as_is_said() -> None:
    half, single = torch.finfo(torch.float16), torch.finfo(torch.float32)
    said = f"(float16) writes a number with {half.bits} bits, float32 with {single.bits}."
    assert says("recurrence", said)
    assert single.max > half.max**8
    assert single.tiny < half.tiny**8


def scatter(size: int, nonlinearity: str) -> float:
    """Powers of ten between the gradients at step 1 under BatchNorm, over spectral radii."""
    network = Untrained(size, int(STEPS_TAKEN.start), CASES, nonlinearity, 0.0)
    first = flow("batch", torch.linspace(0.8, 1.2, 5), network).gradient[:, 0].log10()
    return float(first.max() - first.min())


def test_of_the_networks_under_batchnorm_that_of_40_units_scatters_and_with_tanh_many_do() -> None:
    assert STEPS_TAKEN.start == 200
    assert scatter(32, "identity") < 0.01 < 0.1 < scatter(40, "identity")
    assert all(scatter(size, "tanh") > 0.1 for size in (16, 24, 32))


def test_the_networks_that_learn_get_as_many_images_a_batch_as_the_papers() -> None:
    assert RECURRENCE.result.specification.batch == 8
