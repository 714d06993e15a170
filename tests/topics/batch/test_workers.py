import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.topics.batch import local_statistics, own_statistics, split, synchronized

SEEDS = st.integers(0, 2**31 - 1)
CASES = st.integers(1, 12)


def drawn(cases: int, units: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return 3 * torch.randn(cases, units, generator=generator, dtype=torch.float64) + 1


@given(cases=CASES, workers=CASES, units=st.integers(1, 4), seed=SEEDS)
@settings(max_examples=25)
def test_shares_are_those_of_tensor_split(cases: int, workers: int, units: int, seed: int) -> None:
    x, workers = drawn(cases, units, seed), min(workers, cases)
    found = split(x, workers)
    for worker, share in enumerate(torch.tensor_split(x, workers)):
        assert torch.equal(found.shares[worker][found.mask[worker]], share)
        assert torch.equal(x[found.worker == worker], share)
        assert found.count[worker] == len(share)


@given(cases=CASES, workers=CASES, units=st.integers(1, 4), seed=SEEDS)
@settings(max_examples=25)
def test_each_worker_has_the_statistics_of_its_share(
    cases: int, workers: int, units: int, seed: int
) -> None:
    x, workers = drawn(cases, units, seed), min(workers, cases)
    local = local_statistics(split(x, workers))
    for worker, share in enumerate(torch.tensor_split(x, workers)):
        var, mean = torch.var_mean(share, 0, correction=0)
        assert_close(local.mean[worker], mean)
        assert_close(local.var[worker], var)


@given(cases=CASES, units=st.integers(1, 4), seed=SEEDS)
@settings(max_examples=25)
def test_every_case_has_its_workers_statistics_for_every_number_of_workers(
    cases: int, units: int, seed: int
) -> None:
    x = drawn(cases, units, seed)
    own = own_statistics(x, torch.arange(1, cases + 1))
    for workers in range(1, cases + 1):
        shares = split(x, workers)
        local = local_statistics(shares)
        assert_close(own.mean[workers - 1], local.mean[shares.worker])
        assert_close(own.var[workers - 1], local.var[shares.worker])


@given(cases=CASES, workers=CASES, units=st.integers(1, 4), seed=SEEDS)
@settings(max_examples=25)
def test_synchronized_they_are_those_of_the_whole_batch(
    cases: int, workers: int, units: int, seed: int
) -> None:
    x = drawn(cases, units, seed)
    shares = split(x, min(workers, cases))
    found = synchronized(local_statistics(shares), shares.count)
    var, mean = torch.var_mean(x, 0, correction=0)
    assert_close(found.mean, mean)
    assert_close(found.var, var)


@given(cases=CASES, workers=CASES, seed=SEEDS)
@settings(max_examples=25)
def test_they_agree_with_what_syncbatchnorm_makes_of_gathered_means_deviations_and_counts(
    cases: int, workers: int, seed: int
) -> None:
    shares = split(drawn(cases, 3, seed), min(workers, cases))
    local, eps = local_statistics(shares), 1e-5
    # torch.batch_norm_gather_stats_with_counts, which runs on a GPU alone, share by share.
    mean, summed, seen = torch.zeros(3).double(), torch.zeros(3).double(), 0
    for own, inverse, n in zip(local.mean, (local.var + eps).rsqrt(), shares.count, strict=True):
        own_var = inverse.pow(-2) - eps
        summed = summed + own_var * n + (own - mean).square() * n * seen / (n + seen)
        mean = (seen * mean + n * own) / (n + seen)
        seen = seen + int(n)
    found = synchronized(local, shares.count)
    assert_close(found.mean, mean)
    assert_close(found.var, summed / seen)


@pytest.mark.parametrize("workers", [0, 4])
def test_a_worker_without_a_case_is_refused(workers: int) -> None:
    with pytest.raises(ValueError, match=rf"got 3 cases for {workers} workers\. Use from 1 to 3"):
        split(torch.ones(3, 2), workers)
