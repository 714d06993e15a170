from functools import cache

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.explorable import Explorable
from lnviz.lessons.interpolation import format_value
from lnviz.lessons.why import depth
from lnviz.topics.depth.learning import network
from tests.lessons.claims import page_contains
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
    names = {"shrunk", "grown", "kept"}
    return {name for name in names if value(name, seed, **at) == value(name, seed, **at)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_with_layer_norm_the_pictures_are_the_same_at_every_scale(seed: str) -> None:
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


@pytest.mark.slow
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


def test_the_size_is_the_root_mean_square_over_three_images_of_each_digit() -> None:
    drawn = depth.digit_images()
    assert drawn.targets[: depth.IMAGES].bincount().tolist() == [3] * 10
    x, w = drawn.images[: depth.IMAGES], depth.RandomNetwork("relu", depth.LAYERS).weights(64)
    scale = 0.841
    for layer in w:
        x = torch.relu(scale * x @ layer.T)
    at_start = value("none size after", "0")
    assert at_start == pytest.approx(float(x.square().mean().sqrt()), rel=1e-3)
    # Another mean: over the images' own sizes.
    assert at_start != pytest.approx(float(x.square().mean(1).sqrt().mean()), rel=0.02)


def test_fifty_layers_turn_the_remembered_factor_into_the_remembered_size() -> None:
    assert f"{value('per layer', '0'):.2f}" == "0.82"
    assert format_value(value("shrunk", "0"), "g2") == "21,000"
    assert page_contains("why", "after fifty layers at about 0.82 each, only 1/21,000")


def hidden_gradients(seed: int, scale: float) -> Tensor:
    """The RMS of the loss's gradient by the weights of each hidden layer, without a norm."""
    drawn = depth.digit_images()
    torch.manual_seed(seed)
    model = network("none", depth.LAYERS, scale)
    x, targets = drawn.images[: depth.IMAGES], drawn.targets[: depth.IMAGES]
    F.cross_entropy(model(x), targets).backward()
    inner = [part for part in model[:-1] if isinstance(part, nn.Linear)]
    return torch.stack([part.weight.grad.square().mean().sqrt() for part in inner])


@pytest.mark.parametrize("seed", range(3))
def test_tiny_activations_give_almost_the_same_output_for_every_digit(seed: int) -> None:
    torch.manual_seed(seed)
    model = network("none", depth.LAYERS, 0.841)
    logits = model(depth.digit_images().images[: depth.IMAGES]).detach()
    assert logits.std(0).max() < 0.01 * logits.std(1).min()


@pytest.mark.parametrize("seed", range(3))
def test_huge_activations_make_a_network_certain_and_mostly_wrong(seed: int) -> None:
    drawn = depth.digit_images()
    torch.manual_seed(seed)
    chances = network("none", depth.LAYERS, 1.297)(drawn.images).detach().softmax(-1)
    assert chances.amax(-1).quantile(0.05) > 0.99
    assert (chances.argmax(-1) == drawn.targets).float().mean() < 0.15
    assert (hidden_gradients(seed, 1.297) > 10_000 * hidden_gradients(seed, 1.0)).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [0.841, 0.707])
def test_gradients_shrink_and_grow_by_the_weight_scale_at_every_other_layer(
    seed: int, scale: float
) -> None:
    ratio = hidden_gradients(seed, scale) / hidden_gradients(seed, 1.0)
    per_layer = ratio ** (1 / (depth.LAYERS - 1))
    assert_close(per_layer, torch.full_like(per_layer, scale), rtol=0.02, atol=0)
