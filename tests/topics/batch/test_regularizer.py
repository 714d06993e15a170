"""Networks trained on few digits, and the result that is shipped."""

from dataclasses import replace
from functools import cache

import torch
from torch import nn
from torch.testing import assert_close

from lnviz.results.arrays import ArrayDataset
from lnviz.topics.batch.regularizer import (
    REGULARIZER,
    GhostBatchNorm,
    RegularizerSpecification,
    compare,
)

SMALL = RegularizerSpecification(units=4, images=8, sizes=(2, 4), epochs=1, seeds=(0, 3))


@cache
def small(*seeds: int) -> ArrayDataset:
    return compare(replace(SMALL, seeds=seeds), torch.device("cpu"), lambda label, step: None)


def test_errors_are_shares_and_all_other_images_test() -> None:
    assert small(0, 3).tensor("test_images") == 1789
    for measure in ("train_error", "test_error"):
        values = REGULARIZER.result.tensor(measure, "norm", "batch_size", "seed")
        assert 0 <= values.min() <= values.max() <= 1


def test_a_run_goes_as_it_would_by_itself() -> None:
    alone, together = (
        found.tensor("test_loss", "norm", "batch_size", seed=3) for found in (small(3), small(0, 3))
    )
    assert_close(alone, together, rtol=1e-3, atol=0)


def test_ghosts_over_the_whole_batch_are_batchnorm_step_by_step() -> None:
    torch.manual_seed(0)
    ghost, norm = GhostBatchNorm(3, 8), nn.BatchNorm1d(3)
    for _ in range(3):
        x = torch.randn(8, 3) + 1
        assert_close(ghost.train()(x), norm.train()(x))
        assert_close(ghost.eval()(x), norm.eval()(x))


def test_a_ghost_standardizes_each_share_by_itself() -> None:
    torch.manual_seed(0)
    x = torch.randn(8, 3)
    expected = torch.cat([nn.BatchNorm1d(3)(share) for share in x.split(2)])
    assert_close(GhostBatchNorm(3, 2)(x), expected)
