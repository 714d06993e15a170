"""One photograph of a batch, changed: what the code prints, and what the text says."""

import pytest

from lnviz.explorable import Explorable
from tests.lessons.running import built


def pictures() -> Explorable:
    return built("images", "pictures")


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
