from functools import partial

import pytest
import torch
from torch.testing import assert_close

from lnviz.data.examples import DIGIT_COUNT, digit_images, digits
from lnviz.lessons.batch import scatter
from lnviz.lessons.batch.drawn import SIZES, UNITS
from tests.lessons.running import built, not_finite, printed

figure = partial(built, "batch", "scatter")


def test_shuffled_the_means_scatter_by_the_rule_at_every_size() -> None:
    spread = figure().tensors["shuffled"].values
    assert_close(spread, figure().tensors["finite"].values, rtol=0.06, atol=0)


def test_sorted_more_cases_hardly_help_from_16_to_128() -> None:
    spread = figure().tensors["sorted by class"].values
    first, last = (SIZES.index(size) for size in (scatter.LEVEL, scatter.TURN))
    assert (scatter.LEVEL, scatter.TURN) == (16, 128)
    assert spread[last] > 5 / scatter.TURN**0.5
    assert spread[last] > 0.8 * spread[first]
    assert spread[first] < 0.75 * spread[0]  # below, they do
    assert spread[-1] < 0.85 * spread[last]  # beyond, a second class begins


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 16, 64])
def test_the_errors_are_those_of_batches_drawn_again(size: int) -> None:
    x = digits(examples=DIGIT_COUNT, features=UNITS).values[:, 0]
    classes = digit_images().targets
    generator = torch.Generator().manual_seed(100 + size)
    shuffled = x[torch.rand(4000, len(x), generator=generator).topk(size).indices].mean(1)
    # A batch of one class, drawn by the number of its batches.
    drawn = torch.randint(len(x), (4000,), generator=generator)
    weights = (classes == classes[drawn][:, None]).float()
    sorted_ = x[weights.multinomial(size, generator=generator)].mean(1)
    at = SIZES.index(size)
    for name, means in (("shuffled", shuffled), ("sorted by class", sorted_)):
        off = (means - x.mean()).square().mean().sqrt() / x.std(correction=0)
        found = figure().tensors[name].values[at]
        assert_close(found, off, rtol=0.08, atol=0)
        assert_close(figure().tensors[f"{name} log"].values[at], found.log10())


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
