import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.norms import BATCH, reference
from lnviz.topics.batch.prefixes import prefixes
from tests.drawing import drawn

SIZES = st.integers(1, 8)
SEEDS = st.integers(0, 2**31 - 1)
DTYPES = st.sampled_from([torch.float32, torch.float64])


@given(n=SIZES, d=SIZES, seed=SEEDS, dtype=DTYPES)
@settings(max_examples=50)
def test_each_batch_size_has_the_mean_and_variance_of_its_first_cases(
    n: int, d: int, seed: int, dtype: torch.dtype
) -> None:
    x = 10 * drawn(n, d, seed=seed, dtype=dtype)
    statistics = prefixes(x)
    exact = 1e-5 if dtype == torch.float32 else 1e-12
    for size in range(1, n + 1):
        var, mean = torch.var_mean(x[:size], 0, correction=0)
        assert_close(statistics.mean[size - 1, 0], mean, rtol=exact, atol=10 * exact)
        assert_close(statistics.var[size - 1, 0], var, rtol=exact, atol=100 * exact)


@given(n=SIZES, d=SIZES, seed=SEEDS)
def test_the_whole_batch_has_batchnorms_statistics(n: int, d: int, seed: int) -> None:
    x = drawn(n, d, seed=seed)
    statistics, whole = prefixes(x), reference(x, 0)
    assert_close(statistics.mean[-1], whole.mean)
    assert_close(statistics.var[-1], whole.var)


@given(n=SIZES, d=SIZES, seed=SEEDS)
@settings(max_examples=50)
def test_a_batch_normalized_by_its_prefixes_is_the_shorter_batch_normalized(
    n: int, d: int, seed: int
) -> None:
    x = drawn(n, d, seed=seed)
    statistics = prefixes(x)
    swept = BATCH.apply(x, "ND", mean=statistics.mean, var=statistics.var).y
    for size in range(1, n + 1):
        alone = BATCH.apply(x[:size], "ND").y
        assert_close(swept[size - 1, :size], alone, rtol=1e-4, atol=1e-4)


@given(n=SIZES, d=SIZES, seed=SEEDS)
def test_a_batch_of_one_is_its_own_mean_and_has_no_variance(n: int, d: int, seed: int) -> None:
    x = drawn(n, d, seed=seed)
    statistics = prefixes(x)
    assert torch.equal(statistics.mean[0, 0], x[0])
    assert not statistics.var[0].any()


@given(n=SIZES, seed=SEEDS)
def test_the_first_cases_are_inside_and_no_others(n: int, seed: int) -> None:
    inside = prefixes(drawn(n, 2, seed=seed)).inside
    assert inside.shape == (n, n, 1)
    for size in range(1, n + 1):
        assert inside[size - 1, :, 0].tolist() == [case < size for case in range(n)]


@pytest.mark.parametrize("outside", [7.0, 1e30, float("inf"), float("nan")])
def test_no_case_outside_the_batch_has_a_say(outside: float) -> None:
    x = drawn(4, 3)
    changed = x.clone()
    changed[3] = outside
    before, after = prefixes(x), prefixes(changed)
    assert torch.equal(before.mean[:3], after.mean[:3])
    assert torch.equal(before.var[:3], after.var[:3])
