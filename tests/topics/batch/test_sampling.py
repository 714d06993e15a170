import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.topics.batch import estimates
from lnviz.topics.batch.sampling import cut, shuffled

SEEDS = st.integers(0, 2**31 - 1)


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(cases=st.integers(1, 9), size=st.integers(1, 9), count=st.integers(1, 20), seed=SEEDS)
@settings(max_examples=30)
def test_a_mini_batch_holds_no_case_twice_and_an_epoch_neither(
    cases: int, size: int, count: int, seed: int
) -> None:
    size = min(size, cases)
    per_epoch = cases // size
    order = shuffled(cases, -(-count // per_epoch), drawn(seed))
    batches = cut(order, size, count)
    assert batches.shape == (count, size)
    for epoch in batches.split(per_epoch):
        assert len(epoch.unique()) == epoch.numel()


@given(cases=st.integers(1, 9), size=st.integers(1, 9), units=st.integers(1, 4), seed=SEEDS)
@settings(max_examples=30)
def test_each_mini_batch_has_the_mean_and_the_biased_variance_of_its_cases(
    cases: int, size: int, units: int, seed: int
) -> None:
    size, count = min(size, cases), 7
    x = torch.randn(cases, units, generator=drawn(seed), dtype=torch.float64)
    found = estimates(x, size, count, drawn(seed))
    order = shuffled(cases, -(-count // (cases // size)), drawn(seed))
    for at, batch in enumerate(cut(order, size, count)):
        var, mean = torch.var_mean(x[batch], 0, correction=0)
        assert_close(found.mean[at], mean)
        assert_close(found.var[at], var)


@given(
    offset=st.floats(-1e6, 1e6),
    outlier=st.floats(-1e6, 1e6),
    size=st.integers(2, 40),
    seed=SEEDS,
)
@settings(max_examples=30)
def test_far_from_zero_and_beside_an_outlier_single_precision_keeps_the_variance(
    offset: float, outlier: float, size: int, seed: int
) -> None:
    x = torch.randn(201, 3, generator=drawn(seed)) + offset
    x[0, 0] += outlier
    found = estimates(x, size, 20, drawn(seed))
    exact = estimates(x.double(), size, 20, drawn(seed))
    # One rounding of a number this large, and of a square this far from the middle.
    assert_close(found.mean.double(), exact.mean, rtol=1e-6, atol=1e-6)
    far = (x.double() - x.double().median(0).values).square().mean(0)
    assert_close(found.var.double(), exact.var, rtol=1e-5, atol=1e-6 * (1 + far[1:].max().item()))


def test_a_unit_that_is_nearly_always_the_same_has_no_variance_where_it_is() -> None:
    x = torch.full((100, 1), 0.1)
    x[0] = 7.0
    var = estimates(x, 10, 10, drawn(0)).var
    assert (var == 0).sum() == 9


def test_means_scatter_by_one_over_the_root_of_the_size_and_less_near_the_whole() -> None:
    x = torch.randn(200, 1, generator=drawn(0), dtype=torch.float64)
    sigma = x.std(0, correction=0)
    for size in (2, 20, 100):
        found = estimates(x, size, 20_000, drawn(size)).mean.std(0)
        expected = sigma / math.sqrt(size) * math.sqrt((200 - size) / 199)
        assert_close(found, expected, rtol=0.03, atol=0)


def test_the_whole_set_leaves_nothing_to_chance() -> None:
    x = torch.randn(20, 2, generator=drawn(0), dtype=torch.float64)
    found = estimates(x, 20, 5, drawn(1))
    assert_close(found.mean, x.mean(0).expand(5, 2))
    assert_close(found.var, x.var(0, correction=0).expand(5, 2))


def test_a_mini_batch_of_one_has_no_variance() -> None:
    x = torch.randn(5, 2, generator=drawn(0))
    assert not estimates(x, 1, 12, drawn(1)).var.any()


@pytest.mark.parametrize("size", [0, 6])
def test_a_mini_batch_is_no_larger_than_the_set(size: int) -> None:
    with pytest.raises(ValueError, match=rf"holds from 1 case to all 5, got {size}\. Choose"):
        estimates(torch.ones(5, 2), size, 3, drawn(0))


def test_no_mini_batches_give_no_estimates() -> None:
    with pytest.raises(ValueError, match=r"^Estimates take 1 mini-batch or more, got 0\.$"):
        estimates(torch.ones(5, 2), 2, 0, drawn(0))
