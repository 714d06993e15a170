"""GroupNorm between its ends: the curves, and what the text says of them."""

import pytest
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.topics.images.groups import COUNTS
from lnviz.topics.images.training import GROUPS

BATCHES = GROUPS.result.specification.batches


@pytest.mark.parametrize("batch", BATCHES)
def test_the_curve_over_groups_is_the_mean_of_the_runs(figure: Explorable, batch: int) -> None:
    found = figure.lookup("at groups", figure.at(batch_size=batch))
    runs = GROUPS.result.tensor("accuracy", "norm", "seed", batch_size=batch)
    assert_close(found, runs[: len(COUNTS)].mean(1))


@pytest.mark.parametrize("count", COUNTS)
def test_a_band_holds_every_run(figure: Explorable, count: int) -> None:
    high, low = figure.lookup("at batches band", figure.at(number_of_groups=count)).chunk(2)
    runs = GROUPS.result.tensor("accuracy", "batch_size", "seed", norm=str(count))
    assert (runs <= high[:, None]).all()
    assert (runs >= low.flip(0)[:, None]).all()
    assert_close(low.flip(0), runs.amin(1))


def test_the_marks_lie_on_the_curves(figure: Explorable) -> None:
    state = figure.at(batch_size=8, number_of_groups=4)
    mark = figure.lookup("group mean", state)
    assert mark == figure.lookup("at groups", state)[COUNTS.index(4)]
    assert mark == figure.lookup("at batches", state)[BATCHES.index(8)]


def test_here_instance_norm_is_right_most_often_at_every_batch_size(figure: Explorable) -> None:
    assert (figure.tensors["best"].values == COUNTS[-1]).all()


def test_here_batch_norm_is_no_worse_in_batches_of_two(figure: Explorable) -> None:
    mean = figure.tensors["batch mean"].values
    assert mean[0] >= mean[-1]


def test_every_range_of_group_norm_overlaps_that_of_batch_norm(figure: Explorable) -> None:
    low, high = (figure.tensors[f"group {end}"].values for end in ("low", "high"))
    lowest, highest = (figure.tensors[f"batch {end}"].values[:, None] for end in ("low", "high"))
    assert (low < highest).all()
    assert (high > lowest).all()
