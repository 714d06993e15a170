from functools import partial

import torch
from torch.testing import assert_close

from lnviz.data.examples import DIGIT_COUNT, digits
from lnviz.lessons.batch.drawn import UNITS
from lnviz.norms import LAYER
from tests.lessons.claims import page_contains
from tests.lessons.running import built, not_finite, printed

figure = partial(built, "batch", "noise")


def test_alone_in_its_batch_the_case_comes_out_as_0_and_in_company_of_one_as_1_at_most() -> None:
    for name in ("across", "up"):
        values = figure().tensors[name].values.abs()
        assert not values[0].any()
        assert values[1].max() <= 1
        # Whichever is larger becomes 1, unless the two hardly differ.
        assert (values[1] > 0.99).float().mean() > 0.9


def test_among_other_examples_batchnorms_output_varies_in_batches_of_every_size() -> None:
    scatter = figure().tensors["out std"].values
    assert (scatter[1:] > 0.05).all()


def test_the_remembered_variation_is_that_of_the_opening_state() -> None:
    start = figure().start_state()
    assert figure().controls[0].label(start["batch size"]) == "16"
    spread = float(figure().lookup("out std", start))
    assert page_contains(
        "batch", f"in batches of 16, our image’s output at unit 1 varies by ±{spread:.2f}"
    )


def test_layernorm_gives_the_example_the_same_numbers_in_every_batch() -> None:
    x = digits(examples=DIGIT_COUNT, features=UNITS).values
    alone = LAYER.apply(x[3], "D").y
    for size in (2, 16, 256):
        others = x[torch.randperm(DIGIT_COUNT, generator=torch.Generator().manual_seed(size))]
        batch = torch.cat([x[3:4], others[: size - 1]])
        assert_close(LAYER.apply(batch, "ND").y[0], alone)


def test_the_batches_means_scatter_less_the_larger_they_are() -> None:
    spread = figure().tensors["spread"].values
    assert_close(spread[[0, -1]], torch.tensor([1.0, 0.058]), rtol=0, atol=0.02)


def test_everything_is_defined_at_every_size() -> None:
    assert not not_finite(figure())


def test_the_code_gives_what_the_figure_shows() -> None:
    state = figure().state_at(batch_size=64)
    mean, scatter, layer = printed(figure(), state)
    assert abs(mean - figure().lookup("out mean", state)) < 0.05
    assert abs(scatter - figure().lookup("out std", state)) < 0.05
    x = digits(examples=DIGIT_COUNT, features=UNITS).values
    assert_close(layer, LAYER.apply(x[3], "D").y[0], rtol=0, atol=0.01)
