import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.norms import BATCH
from lnviz.topics.batch.noise import (
    epoch_orders,
    estimate_by_batch_size,
    orders_from_example,
    outputs,
)
from lnviz.topics.batch.sampling import epoch_batches

SEEDS = st.integers(0, 2**31 - 1)


def drawn(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(sizes=st.sets(st.integers(1, 9), min_size=1), count=st.integers(1, 9), seed=SEEDS)
@settings(max_examples=20)
def test_sums_up_to_every_place_say_the_estimates_of_every_size(
    sizes: set[int], count: int, seed: int
) -> None:
    epochs = -(-count // (9 // max(sizes)))
    x = 1000 + torch.randn(9, generator=drawn(seed))
    order = epoch_orders(torch.zeros(9, dtype=torch.long), epochs, drawn(seed))
    found = estimate_by_batch_size(x[order], tuple(sizes), count)
    for at, size in enumerate(tuple(sizes)):
        batches = x[epoch_batches(order, size, count)]
        var, mean = torch.var_mean(batches, 1, correction=0)
        assert_close(found.mean[at], mean)
        assert_close(found.var[at], var, rtol=1e-4, atol=1e-4)


@pytest.mark.slow
def test_means_scatter_by_one_over_the_root_of_the_size_and_less_near_the_whole() -> None:
    x, sizes = torch.randn(200, generator=drawn(0), dtype=torch.float64), (2, 20, 100)
    order = epoch_orders(torch.zeros(200, dtype=torch.long), 10_000, drawn(1))
    scatter = estimate_by_batch_size(x[order], sizes, 20_000).mean.std(1)
    for size, found in zip(sizes, scatter, strict=True):
        expected = x.std(correction=0) / math.sqrt(size) * math.sqrt((200 - size) / 199)
        assert_close(found, expected, rtol=0.03, atol=0)


def test_sorted_cases_come_group_by_group_and_shuffled_within() -> None:
    groups = torch.tensor([0, 1, 2, 0, 1, 2, 0])
    orders = epoch_orders(groups, 50, drawn(0))
    for order in orders:
        assert sorted(order.tolist()) == list(range(7))
        assert len(torch.unique_consecutive(groups[order])) == 3
    assert len(orders.unique(dim=0)) > 40


def test_a_case_comes_first_then_its_own_group_then_the_next() -> None:
    groups = torch.tensor([0, 1, 2, 0, 1, 2, 0])
    orders = orders_from_example(groups, 4, 20, drawn(0))
    assert bool((orders[:, 0] == 4).all())
    for order in orders:
        assert groups[order].tolist() == [1, 1, 2, 2, 0, 0, 0]
    assert len(orders.unique(dim=0)) > 5


@given(seed=SEEDS)
@settings(max_examples=20)
def test_outputs_are_batchnorms_of_the_first_case_at_every_size(seed: int) -> None:
    x, sizes = torch.randn(3, 6, 2, generator=drawn(seed)), (1, 2, 5, 6)
    found = outputs(x, sizes, 1e-5)
    for at, size in enumerate(sizes):
        for batch in range(3):
            y = BATCH.apply(x[batch, :size], "ND", eps=1e-5).y
            assert_close(found[at, batch], y[0], rtol=1e-3, atol=1e-3)
