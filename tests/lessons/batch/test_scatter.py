from functools import partial

import pytest
from torch.testing import assert_close

from lnviz.lessons.batch.drawn import SIZES
from tests.lessons.running import built, not_finite, printed

figure = partial(built, "batch", "scatter")


def test_shuffled_the_means_scatter_by_the_rule_at_every_size() -> None:
    spread = figure().tensors["shuffled"].values
    assert_close(spread, figure().tensors["finite"].values, rtol=0.06, atol=0)


def test_sorted_more_cases_hardly_help() -> None:
    spread = figure().tensors["sorted by class"].values
    at = SIZES.index(128)
    assert spread[at] > 5 / 128**0.5
    assert spread[at] > 0.75 * spread[SIZES.index(8)]


def test_the_errors_said_are_those_of_the_curves() -> None:
    tensors = figure().tensors
    for order in ("shuffled", "sorted by class"):
        assert_close(tensors[f"{order} log"].values, tensors[order].values.log10())


@pytest.mark.parametrize(("size", "share"), [(2, 1 / 2), (4, 3 / 4), (16, 15 / 16)])
def test_the_biased_variance_is_too_small_by_the_share_of_one_case(size: int, share: float) -> None:
    assert abs(figure().tensors["shuffled ratio"].values[SIZES.index(size)] - share) < 0.05


def test_everything_is_defined_at_every_size() -> None:
    assert not not_finite(figure())


def test_the_code_measures_what_the_figure_shows() -> None:
    state = figure().state_at(examples_in_a_batch=64)
    names = ("shuffled", "shuffled ratio", "sorted by class", "sorted by class ratio")
    for found, name in zip(printed(figure(), state), names, strict=True):
        assert abs(found - figure().lookup(name, state)) < 0.05
