"""One photograph of a batch, changed: what the code prints, and what the text says."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.images.pictures import BRIGHTNESS, CONTRAST, NORMS
from tests.lessons.running import built, printed

STATES = st.fixed_dictionaries(
    {
        "contrast": st.integers(0, CONTRAST.size - 1),
        "brightness": st.integers(0, BRIGHTNESS.size - 1),
        "changed channels": st.integers(0, 1),
    }
)


def pictures() -> Explorable:
    return built("images", "pictures")


@given(STATES)
@settings(max_examples=12)
def test_the_code_prints_what_is_left_of_the_first_photograph(state: dict[str, int]) -> None:
    figure = pictures()
    (result,) = printed(figure, state)
    left = [
        torch.stack([figure.lookup(f"{key} first {what}", state) for key in NORMS])
        for what in ("mean", "std")
    ]
    assert_close(result, torch.stack(left), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("norm", ["layer", "instance"])
def test_of_the_others_nothing_changes_unless_the_batch_shares(norm: str) -> None:
    shift = pictures().tensors[f"{norm} shift"].values
    assert (shift[..., 1:, :] == shift[:1, :1, :1, 1:]).all()


def test_after_batch_norm_the_others_come_out_brighter_when_one_is_darkened() -> None:
    figure = pictures()
    before = figure.lookup("batch mean", figure.start())
    for contrast, brightness in ((1.0, -0.5), (0.5, 0.0), (0.5, -0.3)):
        state = figure.at(contrast=contrast, brightness=brightness)
        assert (figure.lookup("batch mean", state)[1:] > before[1:]).all()


def test_layer_norm_keeps_a_cast_and_instance_norm_does_not() -> None:
    figure = pictures()
    cast = figure.at(brightness=0.3, changed_channels="red")
    red, blue = (figure.lookup(f"layer {color}", cast) for color in ("red", "blue"))
    assert red > blue + 0.5
    for color in ("red", "green", "blue"):
        assert figure.lookup(f"instance {color}", cast).abs() < 1e-4
