from functools import partial

import pytest
from torch.testing import assert_close

from lnviz.lessons.batch.noise import SIZES
from tests.lessons.running import built, not_finite, printed

figure = partial(built, "batch", "noise")


def test_shuffled_the_means_scatter_by_the_rule_at_every_size() -> None:
    spread = figure().tensors["spread"].values[0]
    assert_close(spread, figure().tensors["finite"].values, rtol=0.06, atol=0)


def test_sorted_more_cases_hardly_help() -> None:
    spread = figure().tensors["spread"].values[1]
    at = SIZES.index(128)
    assert spread[at] > 5 / 128**0.5


@pytest.mark.parametrize(("size", "share"), [(2, 1 / 2), (4, 3 / 4), (16, 15 / 16)])
def test_the_biased_variance_is_too_small_by_the_share_of_one_case(size: int, share: float) -> None:
    assert abs(figure().tensors["ratio"].values[0, SIZES.index(size)] - share) < 0.05


def test_alone_in_its_batch_the_case_comes_out_as_0_and_in_company_of_one_as_1_at_most() -> None:
    for name in ("across", "up"):
        values = figure().tensors[name].values.abs()
        assert not values[:, 0].any()
        assert values[:, 1].max() <= 1


def test_everything_is_defined_at_every_size() -> None:
    assert not not_finite(figure())


def test_the_code_measures_what_the_figure_shows() -> None:
    state = figure().at(batch_size=64)
    off, ratio = printed(figure(), state)
    assert abs(off - figure().lookup("spread", state)) < 0.03
    assert abs(ratio - figure().lookup("ratio", state)) < 0.05
