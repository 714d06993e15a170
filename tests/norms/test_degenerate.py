import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.norms import BATCH, CATALOGUE, DYT, LAYER, NONE, RMS, WEIGHT, Norm, group_norm
from lnviz.norms.degenerate import normalize_degenerate

X = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("norm", [BATCH, LAYER, group_norm(2)], ids=lambda norm: norm.key)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@settings(max_examples=20)
@given(value=st.floats(-1e3, 1e3), count=st.integers(1, 20).map(lambda half: 2 * half))
@example(value=4.9625659, count=26)
@example(value=1 / 3, count=12)
def test_equal_values_have_no_spread_though_their_mean_is_off_by_rounding(
    norm: Norm, dtype: torch.dtype, value: float, count: int
) -> None:
    result = normalize_degenerate(norm, torch.full((count, count), value, dtype=dtype), "ND")
    assert result.constant.all()
    assert not result.x_hat.any()


def test_equal_values_have_a_size_for_rmsnorm() -> None:
    result = normalize_degenerate(RMS, torch.full((7, 6), 0.1), "ND")
    assert_close(result.x_hat, torch.ones(7, 6))
    assert not result.constant.any()


def test_a_spread_that_is_small_beside_the_mean_is_kept() -> None:
    values = torch.tensor([[1.0, 1.0 + 1e-10]], dtype=torch.float64)
    expected = torch.tensor([[-1.0, 1.0]], dtype=torch.float64)
    assert_close(normalize_degenerate(LAYER, values, "ND").x_hat, expected)


def test_a_flat_group_leaves_its_neighbors_as_they_are() -> None:
    values = X.clone()
    values[1] = 7.0
    result = normalize_degenerate(LAYER, values, "ND", eps=1e-3)
    assert result.constant.flatten().tolist() == [False, True, False, False, False]
    assert_close(result.x_hat, F.layer_norm(values, (4,), eps=1e-3))


def test_weights_of_zero_have_no_length_to_divide_by() -> None:
    weight = torch.tensor([[3.0, 4.0], [0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    result = normalize_degenerate(WEIGHT, X, "ND", weight=weight)
    assert_close(result.sigma.flatten(), torch.tensor([5.0, 0.0, 1.0, 2.0]))
    assert_close(result.x_hat[:, [0, 2, 3]], X[:, [0, 2, 3]] / torch.tensor([5.0, 1.0, 2.0]))
    assert not result.x_hat[:, 1].any()


@pytest.mark.parametrize("norm", [NONE, DYT], ids=lambda norm: norm.key)
def test_what_takes_no_statistics_is_flat_nowhere(norm: Norm) -> None:
    result = normalize_degenerate(norm, torch.zeros(2, 3), "ND", eps=1.0)
    assert not result.constant.any()
    assert (float(result.mean), float(result.sigma)) == (0.0, 1.0)


@pytest.mark.parametrize("key", [key for key in CATALOGUE if key != "instance"])
def test_with_a_spread_it_is_what_the_norm_makes_of_the_values(key: str) -> None:
    norm, weight = CATALOGUE[key], torch.ones(4, 2)
    expected = norm.apply(X, "ND", eps=1e-3, weight=weight)
    assert_close(normalize_degenerate(norm, X, "ND", eps=1e-3, weight=weight).x_hat, expected.x_hat)
