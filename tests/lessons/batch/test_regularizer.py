import re
from functools import partial

import pytest
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Readout
from lnviz.topics.batch.regularizer import REGULARIZER
from tests.lessons.running import built, printed

figure = partial(built, "batch", "regularizer")


def means(measure: str, norm: str) -> Tensor:
    """A measure by batch size, mean over seeds."""
    return REGULARIZER.result.tensor(measure, "batch_size", "seed", norm=norm).mean(1)


@pytest.mark.parametrize("measure", ["error", "loss"])
def test_the_gap_is_the_difference_of_what_is_drawn_below_it(measure: str) -> None:
    state = figure().state_at(measure=measure, **{"mini-batch": 32})
    for key in REGULARIZER.result.labels("norm"):
        gap, test, train = (
            figure().lookup(f"{key} {what}", state) for what in ("gap", "test", "train")
        )
        assert_close(gap, test - train, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("measure", ["error", "loss"])
def test_the_sizes_said_are_those_of_the_curves_ends(measure: str) -> None:
    sizes = REGULARIZER.result.specification.sizes
    (said,) = (
        view.text
        for row in figure().views
        for view in row
        if isinstance(view, Readout) and view.style == "verdict" and measure in view.when["measure"]
    )
    for key, name in (("batch", "(?<!Ghost )BatchNorm"), ("ghost", "Ghost BatchNorm")):
        train, test = (means(f"{of}_{measure}", key) for of in ("train", "test"))
        least, most, best = (
            sizes[int(at)]
            for at in ((test - train).argmin(), (test - train).argmax(), test.argmin())
        )
        assert re.search(
            rf"{name}’s gap is smallest at {least} and largest at {most}; "
            rf"its test result is best at {best}\.",
            said,
        )


def test_shares_of_the_whole_batch_are_a_batch() -> None:
    batch, ghost = (means("test_error", key)[-1] for key in ("batch", "ghost"))
    assert abs(batch - ghost) < 0.01


@pytest.mark.parametrize("key", ["batch", "ghost"])
def test_what_the_lesson_says_of_noise_came_out(key: str) -> None:
    train, test = (means(measure, key) for measure in ("train_error", "test_error"))
    gap = test - train
    assert gap[0] < gap[1:].min()  # two cases are too few to learn the training images
    assert train[0] > 10 * train[1:].max()
    assert gap[1:3].mean() > gap[-3:].mean()
    assert int(test.argmin()) >= len(test) // 2


def test_in_cross_entropy_shares_of_four_have_a_smaller_gap_and_a_worse_loss_on_both_sets() -> None:
    train, test = (means(measure, "ghost") for measure in ("train_loss", "test_loss"))
    gap = test - train
    assert gap[1] < gap[2:].min()
    assert train[1] > train[2:].max()
    assert test[1] > test[2:].max()


def test_layernorm_names_as_few_wrong_as_batchnorm_at_its_best_at_a_higher_loss() -> None:
    error, loss = (
        {key: means(measure, key).min() for key in ("batch", "layer")}
        for measure in ("test_error", "test_loss")
    )
    assert abs(error["batch"] - error["layer"]) < 0.005
    assert loss["layer"] > 1.05 * loss["batch"]


@pytest.mark.slow
def test_the_code_trains_one_network() -> None:
    gap, train, test = printed(figure(), figure().state_at(**{"mini-batch": 64}))
    assert_close(gap, test - train)
