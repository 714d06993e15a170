from collections.abc import Sequence

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.topics.batch import MeanAndVariance, combine_statistics, local_statistics

SEEDS = st.integers(0, 2**31 - 1)
CASES = st.integers(1, 12)


def drawn(cases: int, units: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return 3 * torch.randn(cases, units, generator=generator, dtype=torch.float64) + 1


def taken(shares: Sequence[torch.Tensor]) -> tuple[MeanAndVariance, torch.Tensor]:
    """What each worker takes of its share, and of how many cases."""
    both = [torch.var_mean(share, 0, correction=0) for share in shares]
    var, mean = (torch.stack(values) for values in zip(*both, strict=True))
    return MeanAndVariance(mean, var), torch.tensor([len(share) for share in shares])


@given(cases=CASES, units=st.integers(1, 4), seed=SEEDS)
@settings(max_examples=25)
def test_each_worker_has_the_statistics_of_its_share(cases: int, units: int, seed: int) -> None:
    x = drawn(cases, units, seed)
    own = local_statistics(x, torch.arange(1, cases + 1))
    for workers in range(1, cases + 1):
        local, count = taken(torch.tensor_split(x, workers))
        assert_close(own.mean[workers - 1], local.mean.repeat_interleave(count, 0))
        assert_close(own.var[workers - 1], local.var.repeat_interleave(count, 0))


@given(cases=CASES, workers=CASES, units=st.integers(1, 4), seed=SEEDS)
@settings(max_examples=25)
def test_synchronized_they_are_those_of_the_whole_batch(
    cases: int, workers: int, units: int, seed: int
) -> None:
    x = drawn(cases, units, seed)
    found = combine_statistics(*taken(torch.tensor_split(x, min(workers, cases))))
    var, mean = torch.var_mean(x, 0, correction=0)
    assert_close(found.mean, mean)
    assert_close(found.var, var)


@given(cases=CASES, workers=CASES, seed=SEEDS)
@settings(max_examples=25)
def test_they_agree_with_what_syncbatchnorm_makes_of_gathered_means_deviations_and_counts(
    cases: int, workers: int, seed: int
) -> None:
    local, count = taken(torch.tensor_split(drawn(cases, 3, seed), min(workers, cases)))
    eps = 1e-5
    # torch.batch_norm_gather_stats_with_counts, which runs on a GPU alone, share by share.
    mean, summed, seen = torch.zeros(3).double(), torch.zeros(3).double(), 0
    for own, inverse, n in zip(local.mean, (local.var + eps).rsqrt(), count, strict=True):
        own_var = inverse.pow(-2) - eps
        summed = summed + own_var * n + (own - mean).square() * n * seen / (n + seen)
        mean = (seen * mean + n * own) / (n + seen)
        seen = seen + int(n)
    found = combine_statistics(local, count)
    assert_close(found.mean, mean)
    assert_close(found.var, summed / seen)
