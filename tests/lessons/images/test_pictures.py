"""One photograph of a batch, changed: what the code prints, and what the text says."""

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.data.photos import photos
from lnviz.explorable import Explorable
from lnviz.lessons.images.pictures import BRIGHTNESS, COLORS, CONTRAST, REACH
from tests.lessons.running import built


def pictures() -> Explorable:
    return built("images", "pictures")


@pytest.mark.parametrize("norm", ["layer", "instance"])
def test_of_the_others_nothing_changes_unless_the_batch_shares(norm: str) -> None:
    shift = pictures().tensors[f"{norm} shift"].values
    assert (shift[..., 1:, :] == shift[:1, :1, :1, 1:]).all()


def test_after_batch_norm_the_others_come_out_brighter_when_one_is_darkened() -> None:
    scale, shift = (pictures().tensors[f"batch {what}"].values[0] for what in ("scale", "shift"))
    means = (scale * photos().images.mean((2, 3)) + shift).mean(-1)  # K,B,N
    before = means[CONTRAST.index(1.0), BRIGHTNESS.index(0.0)]
    for contrast, brightness in ((1.0, -0.5), (0.5, 0.0), (0.5, -0.3)):
        after = means[CONTRAST.index(contrast), BRIGHTNESS.index(brightness)]
        assert (after[1:] > before[1:]).all()


def test_layer_norm_keeps_a_cast_and_instance_norm_does_not() -> None:
    figure = pictures()
    for brightness in (value for value in BRIGHTNESS.values if value >= 0.2):
        cast = figure.state_at(contrast=1, brightness=brightness, changed_channels="red")
        red, green, blue = (figure.lookup(f"layer {color}", cast) for color in COLORS)
        assert red > max(green, blue) + 0.3
        for color in COLORS:
            assert figure.lookup(f"instance {color}", cast).abs() < 1e-4


def moved(norm: str) -> Float[Tensor, "changed contrasts brightnesses photos"]:
    """How far each photograph is from what it is without a change, in standard deviations."""
    tensors = pictures().tensors
    x = photos().images
    mean, var = x.mean((2, 3)), x.var((2, 3), correction=0)
    scale, shift = (tensors[f"{norm} {what}"].values for what in ("scale", "shift"))
    one, none = CONTRAST.index(1.0), BRIGHTNESS.index(0.0)
    more, up = (
        2 * REACH * (values - values[:, one, none][:, None, None]) for values in (scale, shift)
    )
    return ((more * mean + up).square() + more.square() * var).mean(-1).sqrt()


def test_a_change_is_undone_by_norms_of_one_photograph_and_reaches_all_under_batch_norm() -> None:
    every, red = 0, 1
    changed = torch.ones(2, len(CONTRAST.values), len(BRIGHTNESS.values)).bool()
    changed[:, CONTRAST.index(1.0), BRIGHTNESS.index(0.0)] = False
    strong = changed.clone()  # contrast above 0
    strong[:, 0] = False
    # The pictures' factors travel with three decimals.
    for norm, colors in (("layer", [every]), ("instance", [every, red])):
        assert (moved(norm)[colors][strong[colors]] < 0.05).all()
    far = abs(torch.tensor(CONTRAST.values) - 1)[:, None] + torch.tensor(BRIGHTNESS.values).abs()
    assert (moved("layer")[red, ..., 0][far > 0.2] > 0.02).all()
    assert (moved("batch")[:, far > 0.2].amin((0, 1)) > 0.003).all()


def test_the_photograph_opens_with_less_than_half_of_its_contrast() -> None:
    contrast = pictures().lookup("none scale", pictures().start_state())[0]
    assert (contrast < 0.5).all()


def test_without_contrast_a_photograph_or_its_red_becomes_0() -> None:
    figure = pictures()
    for brightness in BRIGHTNESS.values:
        flat = figure.state_at(contrast=0, brightness=brightness)
        for norm in ("layer", "instance"):
            assert not figure.lookup(f"{norm} first std", flat).any()
            assert not any(figure.lookup(f"{norm} {color}", flat).any() for color in COLORS)
        red = {**flat, "changed channels": 1}
        assert figure.lookup("instance red", red) == 0
    assert (moved("batch")[0, 0] > 0.005).all()
    assert (moved("layer")[1, 0, :, 0] > 0.3).all()
