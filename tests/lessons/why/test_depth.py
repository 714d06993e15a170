from functools import cache

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.why import depth
from tests.lessons.running import built

SEEDS = ("0", "1", "2", "3", "4")
ENDS = (depth.SCALE.values[0], 1.0, depth.SCALE.values[-1])


@cache
def figure(seed: str = "0", pair: str = "0-1") -> Explorable:
    return built("why", "depth", ("pair", pair), ("seed", seed))


def value(name: str, seed: str, **at: object) -> float:
    return figure(seed).lookup(name, figure(seed).state_at(**at)).item()


def sentences(seed: str, **at: object) -> set[str]:
    """Which of the sentences that hold in some states hold here."""
    names = {"shrunk", "grown", "kept", "one", "apart"}
    return {name for name in names if value(name, seed, **at) == value(name, seed, **at)}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_text_is_right_about_every_draw_of_weights(seed: str) -> None:
    for scale in ENDS:
        assert "one" in sentences(seed, weight_scale=scale, nonlinearity="relu")
        assert "apart" in sentences(seed, weight_scale=scale, nonlinearity="tanh")
        assert value("none different after", seed, weight_scale=scale, nonlinearity="relu") > 0.95
    pictures = figure(seed).tensors["layer pictures"].values[0]
    assert_close(pictures, pictures[:1].expand_as(pictures), rtol=0, atol=0.02)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_a_norm_the_digits_fade_or_blow_up_at_the_ends_of_the_slider(seed: str) -> None:
    assert "shrunk" in sentences(seed, weight_scale=ENDS[0], nonlinearity="relu")
    assert "shrunk" in sentences(seed, weight_scale=ENDS[0], nonlinearity="tanh")
    assert "grown" in sentences(seed, weight_scale=ENDS[-1], nonlinearity="relu")


def test_one_sentence_on_the_size_stands_in_every_state() -> None:
    said = [figure().tensors[name].values.isfinite() for name in ("shrunk", "grown", "kept")]
    assert (torch.stack(said).sum(0) == 1).all()


@pytest.mark.parametrize(("pair", "digits"), [("3-8", (3, 8)), ("3-3", (3, 3))])
def test_the_pictures_begin_with_the_digits_that_were_chosen(
    pair: str, digits: tuple[int, int]
) -> None:
    drawn = depth.digit_images()
    first = figure(pair=pair).tensors["none pictures"].values[0, 0, :, 0]
    for picture, digit, image in zip(first, digits, depth.CHOSEN[pair], strict=True):
        assert_close(picture.flatten(), drawn.images[image])
        assert drawn.targets[image] == digit
    assert_close(figure(pair=pair).tensors["none size"].values, sizes())


def sizes() -> Tensor:
    return figure().tensors["none size"].values


def test_the_images_are_three_of_each_digit() -> None:
    targets = depth.digit_images().targets[: depth.IMAGES]
    assert targets.bincount().tolist() == [3] * 10
