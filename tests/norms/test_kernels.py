import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from lnviz.norms import Normalized, normalize, reference
from lnviz.norms.kernels import MAX_ROW_LENGTH
from tests.drawing import drawn

EPS = 1e-5
# Every set of dimensions of a tensor with four, so every way to a result, fused ones included.
OVERS = [over for k in range(1, 5) for over in itertools.combinations(range(4), k)]


def assert_exact(result: Normalized, x: Tensor, over: tuple[int, ...], *, center: bool) -> None:
    """Assert what float64 finds, to the rounding of the dtype that was computed in.

    Rounding the mean of a group moves each x_hat by that much in units of sigma, and the variance
    by its square: two passes do no worse, one pass does.
    """
    exact = reference(x.double(), over, center=center)
    # float64 is compared with another float64.
    ulps = 16 if result.var.dtype == torch.float64 else 4
    rounding = torch.finfo(result.var.dtype).eps * center
    slip = ulps * rounding * x.abs().double().amax(over, keepdim=True)
    sigma = (exact.var + EPS).sqrt()
    assert ((result.mean - exact.mean).abs() <= slip).all()
    assert ((result.var - exact.var).abs() <= 2e-5 * exact.var + slip**2 + 1e-38).all()
    allowed = 2e-5 * exact.x_hat.abs() + slip / sigma + 1e-6
    assert ((result.x_hat - exact.x_hat).abs() <= allowed).all()


@pytest.mark.slow
@pytest.mark.parametrize("over", OVERS, ids=str)
@pytest.mark.parametrize("center", [True, False])
@given(
    sizes=st.lists(st.integers(1, 9), min_size=4, max_size=4),
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([1e-4, 1e-2, 1.0, 100.0, 1e4]),
    offset=st.sampled_from([0.0, 1.0, -100.0, 1e4]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
@settings(max_examples=12)
def test_every_way_to_the_result_keeps_its_digits(
    over: tuple[int, ...],
    center: bool,
    sizes: list[int],
    seed: int,
    scale: float,
    offset: float,
    dtype: torch.dtype,
) -> None:
    x = (drawn(*sizes, seed=seed, dtype=torch.float64) * scale + offset).to(dtype)
    assert_exact(normalize(x, over, center=center), x, over, center=center)
    assert_exact(reference(x, over, center=center), x, over, center=center)


@pytest.mark.parametrize("over", [(0,), (1,), (0, 1)], ids=str)
@pytest.mark.parametrize("center", [True, False])
@given(
    n=st.sampled_from([32, 200, 257, 512]),
    d=st.sampled_from([40, 300, 1000]),
    seed=st.integers(0, 2**32),
    scale=st.sampled_from([1e-4, 1e-2, 1.0, 100.0]),
    offset=st.sampled_from([0.0, -100.0, 1e4]),
)
@settings(max_examples=12)
def test_large_tensors_keep_their_digits(
    over: tuple[int, ...], center: bool, n: int, d: int, seed: int, scale: float, offset: float
) -> None:
    x = drawn(n, d, seed=seed) * scale + offset
    assert_exact(normalize(x, over, center=center), x, over, center=center)


@pytest.mark.parametrize("over", [0, 1])
def test_groups_of_every_kind_stand_side_by_side(over: int) -> None:
    groups = drawn(7, 500)
    groups[1] = 0
    groups[2] = 3
    groups[3] *= 1e-6
    groups[4] += 1e6
    groups[5] *= 1e17
    groups[6] *= 1e-18
    x = groups if over else groups.T.contiguous()
    assert_exact(normalize(x, over), x, (over,), center=True)


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("side", [4, 64])
@pytest.mark.parametrize("value", [0.0, 1.0, -3.0, 2.0**20])
def test_equal_values_have_no_variance(over: int, side: int, value: float) -> None:
    result = normalize(torch.full((side, side), value), over)
    assert not result.var.any()
    assert not result.x_hat.any()
    assert (result.mean == value).all()


@pytest.mark.parametrize("over", [0, 1])
@given(value=st.floats(-1e4, 1e4, width=32), side=st.sampled_from([3, 48]))
def test_equal_values_of_any_kind_come_out_as_rounding(over: int, value: float, side: int) -> None:
    x = torch.full((side, side), value)
    assert_exact(normalize(x, over), x, (over,), center=True)


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("side", [6, 48])
@given(exponent=st.integers(-55, 55), seed=st.integers(0, 2**32))
@settings(max_examples=20)
def test_tiny_and_huge_values_are_standardized_alike_without_epsilon(
    over: int, center: bool, side: int, exponent: int, seed: int
) -> None:
    x = drawn(side, side, seed=seed)
    result = normalize(x * 2.0**exponent, over, center=center, eps=0.0)
    usual = normalize(x, over, center=center, eps=0.0)
    assert_close(result.x_hat, usual.x_hat)
    assert_close(result.var, usual.var * 4.0**exponent, rtol=1e-5, atol=0)


def test_zero_variance_without_epsilon_is_zero_over_zero() -> None:
    for side in (4, 64):
        assert normalize(torch.ones(side, side), 1, eps=0.0).x_hat.isnan().all()


@pytest.mark.parametrize("eps", [1e-5, 1e-2, 1.0, 1e6])
def test_the_variance_keeps_its_digits_below_any_epsilon(eps: float) -> None:
    x = drawn(64, 100) * torch.logspace(-6, 2, 64)[:, None]
    exact = x.double().var(1, correction=0, keepdim=True)
    assert_close(normalize(x, 1, eps=eps).var.double(), exact, rtol=1e-5, atol=0)


@pytest.mark.parametrize("over", [0, 1, (0, 1), (0, 2), (1, 2), 2], ids=str)
@pytest.mark.parametrize("center", [True, False])
def test_memory_layout_does_not_matter(over: int | tuple[int, ...], center: bool) -> None:
    x = drawn(12, 14, 16)
    wide = drawn(12, 14, 32, seed=1)
    views = [
        x.permute(2, 0, 1).contiguous().permute(1, 2, 0),
        x.transpose(0, 1).contiguous().transpose(0, 1),
        wide[..., ::2],
        wide[..., 8:24],
        x[:, :1].expand(12, 14, 16),
        x.flip(0),
    ]
    for view in views:
        result = normalize(view, over, center=center)
        packed = normalize(view.contiguous(), over, center=center)
        assert_close(result.mean, packed.mean)
        assert_close(result.var, packed.var)
        assert_close(result.x_hat, packed.x_hat)


def test_the_input_is_left_as_it_was() -> None:
    for shape, over in itertools.product([(4, 6), (64, 40)], [0, 1, (0, 1)]):
        x = drawn(*shape)
        before = x.clone()
        for center in (True, False):
            normalize(x, over, center=center, gain=2.0, bias=1.0)
        assert torch.equal(x, before)


@pytest.mark.parametrize("row", [MAX_ROW_LENGTH, MAX_ROW_LENGTH + 2, 64 * MAX_ROW_LENGTH, 10**6])
@pytest.mark.parametrize("side", [1.1, 1.7])
def test_long_rows_keep_their_digits(row: int, side: float) -> None:
    # Squares of one size all round to the same side.
    x = torch.full((2, row), side)
    x[:, ::2] *= -1
    for eps in (1e-5, 2.0):
        var = normalize(x, 1, eps=eps).var
        assert_close(var, x[:, :1].square(), rtol=1e-5, atol=0)


def test_no_groups_give_no_results() -> None:
    for shape in ((0, 6), (0, 3, 2000)):
        result = normalize(torch.ones(shape), -1)
        assert result.y.shape == shape
        assert result.var.shape == (*shape[:-1], 1)


def test_what_is_kept_from_inference_mode_serves_outside_it() -> None:
    x = torch.randn(2, 37)
    with torch.inference_mode():
        inside = normalize(x, -1).y.clone()
    assert_close(normalize(x, -1).y, inside)
    weight = torch.ones(37, requires_grad=True)
    normalize(x, -1, gain=weight).y.sum().backward()
    assert weight.grad is not None
