"""GroupNorm between its ends: the curves, and what the text says of them."""

import pytest
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.images.cost_of_groups import BATCH, COUNT
from lnviz.topics.images.groups import COUNTS
from lnviz.topics.images.training import GROUPS

BATCHES = GROUPS.result.specification.batches


ALL = slice(None)


@pytest.mark.parametrize("batch", BATCHES)
def test_the_curve_over_groups_is_the_mean_of_the_runs(figure: Explorable, batch: int) -> None:
    state = {**figure.state_at(batch_size=batch), COUNT.name: ALL}
    runs = GROUPS.result.tensor("accuracy", "norm", "seed", batch_size=batch)
    assert_close(figure.lookup("group mean", state), runs[: len(COUNTS)].mean(1))


@pytest.mark.parametrize("count", COUNTS)
def test_a_band_holds_every_run(figure: Explorable, count: int) -> None:
    state = {**figure.state_at(number_of_groups=count), BATCH: ALL}
    low, high = (figure.lookup(f"group {end}", state) for end in ("low", "high"))
    runs = GROUPS.result.tensor("accuracy", "batch_size", "seed", norm=str(count))
    assert (runs <= high[:, None]).all()
    assert (runs >= low[:, None]).all()
    assert_close(low, runs.amin(1))


def test_here_instance_norm_is_right_most_often_at_every_batch_size(figure: Explorable) -> None:
    assert (figure.tensors["best"].values == COUNTS[-1]).all()


def test_the_best_number_of_groups_has_the_highest_mean(figure: Explorable) -> None:
    for batch in BATCHES:
        state = {**figure.state_at(batch_size=batch), COUNT.name: ALL}
        mean = figure.lookup("group mean", state)
        assert figure.lookup("best", state) == COUNTS[int(mean.argmax())]
        assert figure.lookup("best mean", state) == mean.max()


def test_here_batch_norm_is_no_worse_in_batches_of_two(figure: Explorable) -> None:
    mean = figure.tensors["batch mean"].values
    assert mean[0] >= mean[-1]


def test_in_batches_of_four_batch_norm_is_a_little_ahead_of_instance_norm(
    figure: Explorable,
) -> None:
    state = {**figure.state_at(number_of_groups=COUNTS[-1]), BATCH: ALL}
    ahead = figure.lookup("batch mean", state) - figure.lookup("group mean", state)
    assert 0.0025 < ahead[BATCHES.index(4)] < 0.0035
    assert [batch for batch, lead in zip(BATCHES, ahead, strict=True) if lead > 0] == [4]


def test_without_a_norm_smaller_batches_of_more_steps_help_even_more(figure: Explorable) -> None:
    none, batch = (figure.tensors[f"{key} mean"].values for key in ("none", "batch"))
    assert none[0] - none[-1] > batch[0] - batch[-1] >= 0


def test_every_range_of_group_norm_overlaps_that_of_batch_norm(figure: Explorable) -> None:
    low, high = (figure.tensors[f"group {end}"].values for end in ("low", "high"))
    lowest, highest = (figure.tensors[f"batch {end}"].values[:, None] for end in ("low", "high"))
    assert (low < highest).all()
    assert (high > lowest).all()
