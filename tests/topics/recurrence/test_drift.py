from fractions import Fraction

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.topics.recurrence import Drift, drift, steps_in_range

STEPS, SIZE = 100, 32
HALF = torch.finfo(torch.float16)
FACTORS = torch.linspace(0.8, 1.25, 19)
SEEDS = st.integers(0, 2**31 - 1)


@pytest.fixture(scope="module")
def tracks() -> Drift:
    return drift(FACTORS, steps=STEPS, size=SIZE)


def test_without_a_norm_the_magnitude_is_a_power_of_the_factor(tracks: Drift) -> None:
    powers = FACTORS.double()[:, None] ** torch.arange(STEPS + 1)
    assert_close(tracks.single.double(), powers, rtol=1e-4, atol=0)


@given(seed=SEEDS, size=st.integers(2, 12))
@settings(max_examples=20)
def test_the_power_depends_neither_on_the_matrix_nor_on_its_size(seed: int, size: int) -> None:
    factors = torch.tensor([0.5, 1.0, 1.5])
    found = drift(factors, steps=6, size=size, seed=seed).single
    assert_close(found, factors[:, None] ** torch.arange(7), rtol=1e-5, atol=0)


def test_layernorm_keeps_the_magnitude_at_one(tracks: Drift) -> None:
    assert_close(tracks.layer, torch.ones(len(FACTORS), STEPS + 1), rtol=0, atol=1e-4)


def test_under_layernorm_the_factor_leaves_no_trace(tracks: Drift) -> None:
    # Epsilon alone sees it.
    assert (tracks.layer.amax(0) - tracks.layer.amin(0)).max() < 1e-4


def test_half_precision_follows_until_it_ends(tracks: Drift) -> None:
    inside = (tracks.single * SIZE**0.5 < HALF.max / 2) & (tracks.single > 8 * HALF.tiny)
    assert inside.any(1).all()
    assert_close(tracks.half[inside], tracks.single[inside], rtol=0.05, atol=0)


def test_half_precision_overflows_when_the_state_is_past_its_largest_number(tracks: Drift) -> None:
    # The largest of 32 numbers is at least their root mean square, at most sqrt(32) times that.
    past, short = 1.05 * HALF.max, 0.95 * HALF.max / SIZE**0.5
    assert (tracks.single > past).any()
    assert not tracks.half[tracks.single > past].isfinite().any()
    assert tracks.half[tracks.single < short].isfinite().all()


def test_an_overflow_lasts(tracks: Drift) -> None:
    over = ~tracks.half.isfinite()
    assert torch.equal(over, over.cummax(1).values)


def test_half_precision_is_zero_when_the_state_is_below_its_smallest_number(tracks: Drift) -> None:
    smallest = HALF.smallest_normal * HALF.eps
    gone = tracks.single < smallest / SIZE
    assert gone.any()
    assert not tracks.half[gone].any()
    zero = tracks.half == 0
    assert torch.equal(zero, zero.cummax(1).values)


def test_the_first_magnitude_is_that_of_the_start() -> None:
    found = drift(torch.tensor([0.9, 1.1]), steps=0)
    for track in (found.single, found.layer):
        assert_close(track, torch.ones(2, 1))
    assert_close(found.half, torch.ones(2, 1), rtol=1e-3, atol=0)


def test_a_sweep_holds_what_each_factor_gives_alone() -> None:
    factors = torch.tensor([0.8, 1.0, 1.25])
    together = drift(factors, steps=10)
    for i, factor in enumerate(factors):
        alone = drift(factor[None], steps=10)
        assert_close(together.single[i], alone.single[0])
        assert_close(together.half[i], alone.half[0])
        assert_close(together.layer[i], alone.layer[0])


def far_from_one(factor: float) -> bool:
    # So that powers stay small enough to be computed exactly.
    return not 0.97 < factor < 1.03


@given(
    st.floats(2**-6, 10, width=32).filter(far_from_one),
    st.sampled_from([torch.float16, torch.float32]),
)
@example(0.5, torch.float32)
@example(0.5, torch.float16)
@example(2.0, torch.float32)
def test_a_type_is_left_at_the_first_power_outside_its_normal_numbers(
    factor: float, dtype: torch.dtype
) -> None:
    steps = int(steps_in_range(torch.tensor([factor]), dtype))
    info, exact = torch.finfo(dtype), Fraction(factor)

    def inside(power: Fraction) -> bool:
        return Fraction(info.tiny) <= power <= Fraction(info.max)

    assert inside(exact ** (steps - 1))
    assert not inside(exact**steps)


def test_a_state_that_keeps_its_length_never_leaves() -> None:
    assert steps_in_range(torch.tensor([1.0]), torch.float32).tolist() == [float("inf")]
