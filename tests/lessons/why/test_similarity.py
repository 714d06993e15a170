from functools import cache

import pytest

from lnviz.data.examples import digit_images
from lnviz.explorable import Explorable
from lnviz.lessons.why import similarity
from lnviz.topics.depth import RandomNetwork, spread
from tests.lessons.running import built

SEEDS = ("0", "1", "2", "3", "4")
CAPTIONS = {"merged", "scattered", "apart"}


@cache
def figure(seed: str) -> Explorable:
    return built("why", "similarity", ("weights", seed))


def value(name: str, seed: str, wiring: str, nonlinearity: str) -> float:
    state = figure(seed).state_at(wiring=wiring, nonlinearity=nonlinearity)
    return figure(seed).lookup(name, state).item()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_text_is_right_about_every_draw_of_weights(seed: str) -> None:
    assert value("different after", seed, "plain", "relu") > similarity.MERGED
    before, after = (value(f"same {end}", seed, "plain", "tanh") for end in ("before", "after"))
    assert after < before / 2
    # Without a norm, ReLU merges the digits too.
    drawn = digit_images()
    x, digits = drawn.images[: similarity.IMAGES], drawn.targets[: similarity.IMAGES]
    network = RandomNetwork("relu", similarity.LAYERS, int(seed))
    plain = spread("none", x.new_ones(1), network, x, digits)
    assert plain.different_classes[0, -1] > similarity.MERGED


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("nonlinearity", ["relu", "tanh"])
def test_residual_connections_keep_digits_apart_in_every_draw(seed: str, nonlinearity: str) -> None:
    def gap(wiring: str) -> float:
        same, different = (
            value(f"{kind} after", seed, wiring, nonlinearity) for kind in ("same", "different")
        )
        return same - different

    assert gap("residual") > 0.05
    assert nonlinearity == "tanh" or gap("residual") > gap("plain")
    same = [value("same after", seed, wiring, "tanh") for wiring in ("plain", "residual")]
    assert same[1] > 0.5 > same[0]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("nonlinearity", ["relu", "tanh"])
@pytest.mark.parametrize("wiring", ["plain", "residual"])
def test_one_sentence_is_shown_in_every_state(seed: str, nonlinearity: str, wiring: str) -> None:
    shown = {n for n in CAPTIONS if value(n, seed, wiring, nonlinearity) == 1}
    expected = {"relu": "merged", "tanh": "scattered"}[nonlinearity]
    assert shown == {"apart" if wiring == "residual" else expected}


def test_the_images_are_three_of_each_digit() -> None:
    targets = digit_images().targets[: similarity.IMAGES]
    assert targets.bincount().tolist() == [3] * 10
