import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lnviz.norms.parity import compare_with_layer_norm
from tests.drawing import drawn

CASES, UNITS = st.integers(1, 6), st.integers(2, 12)
SEEDS = st.integers(0, 2**31 - 1)
GAINS = st.floats(-3, 3, width=32)


@given(n=CASES, d=UNITS, seed=SEEDS, gain=GAINS, bias=GAINS)
def test_ours_is_pytorchs_layer_norm_to_the_last_digits(
    n: int, d: int, seed: int, gain: float, bias: float
) -> None:
    differences = compare_with_layer_norm(drawn(n, d, seed=seed), gain=gain, bias=bias)
    assert differences.biased < 1e-5


@given(n=CASES, d=UNITS, seed=SEEDS, gain=GAINS, bias=GAINS)
def test_the_unbiased_variance_shrinks_every_output_by_the_same_factor(
    n: int, d: int, seed: int, gain: float, bias: float
) -> None:
    x = drawn(n, d, seed=seed, dtype=torch.float64)
    differences = compare_with_layer_norm(x, gain=gain, bias=bias, eps=0.0)
    standardized = (x - x.mean(-1, keepdim=True)) / x.std(-1, correction=0, keepdim=True)
    largest = abs(gain) * float(standardized.abs().max())
    assert differences.unbiased == pytest.approx(largest * (1 - math.sqrt((d - 1) / d)), abs=1e-9)


def test_at_gain_zero_no_variance_matters() -> None:
    differences = compare_with_layer_norm(drawn(3, 4), gain=0.0, bias=1.5)
    assert (differences.biased, differences.unbiased) == (0, 0)


@pytest.mark.parametrize("eps", [0.0, 1e-5, 1.0])
def test_both_take_the_same_epsilon(eps: float) -> None:
    assert compare_with_layer_norm(drawn(3, 4), eps=eps).biased < 1e-6
