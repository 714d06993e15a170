"""Many weight scales at once beside one network written out, and what a norm keeps."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.topics.depth import NONLINEARITIES, WEIGHT_GAIN, RandomNetwork, spread

CASES, UNITS, LAYERS = 6, 16, 8
X = torch.rand(CASES, UNITS, generator=torch.Generator().manual_seed(0))
CLASSES = torch.tensor([0, 1, 0, 2, 1, 0])
SCALES = torch.tensor([0.5, 1.0, 1.7])


def layer_by_layer(norm: str, network: RandomNetwork, scale: float) -> list[Tensor]:
    """What comes out of every layer of one network, as one would write it."""
    f = {"relu": F.relu, "tanh": torch.tanh}[network.nonlinearity]
    states = [X]
    for weight in network.weights(UNITS):
        h, scaled = states[-1], (scale * weight).T
        if network.residual:
            states.append(h + f(F.layer_norm(h, (UNITS,)) if norm == "layer" else h) @ scaled)
        else:
            a = h @ scaled
            states.append(f(F.layer_norm(a, (UNITS,)) if norm == "layer" else a))
    return states


@pytest.mark.parametrize("norm", ["none", "layer"])
@pytest.mark.parametrize("nonlinearity", NONLINEARITIES)
@pytest.mark.parametrize("residual", [False, True])
def test_every_scale_goes_as_a_network_by_itself(
    norm: str, nonlinearity: str, residual: bool
) -> None:
    network = RandomNetwork(nonlinearity, LAYERS, seed=3, residual=residual)
    found = spread(norm, SCALES, network, X, CLASSES, at=(0, 2, LAYERS))
    pairs = torch.tensor([(i, j) for i in range(CASES) for j in range(CASES) if i != j])
    is_same = CLASSES[pairs[:, 0]] == CLASSES[pairs[:, 1]]
    for s, scale in enumerate(SCALES.tolist()):
        states = layer_by_layer(norm, network, scale)
        for layer, h in enumerate(states):
            cosine = F.cosine_similarity(h[pairs[:, 0]], h[pairs[:, 1]])
            assert_close(found.size[s, layer], h.square().mean().sqrt())
            assert_close(found.different_classes[s, layer], cosine[~is_same].mean())
            assert_close(found.same_class[s, layer], cosine[is_same].mean())
            assert_close(found.first_pair[s, layer], F.cosine_similarity(h[0], h[1], dim=0))
        shown = torch.stack([states[layer][:2] for layer in (0, 2, LAYERS)], 1)
        assert_close(found.activations[s], shown)


@given(scale=st.floats(0.5, 2), layers=st.integers(1, 50), seed=st.integers(0, 99))
@settings(max_examples=20)
def test_without_a_norm_a_factor_of_the_weights_is_multiplied_layer_by_layer(
    scale: float, layers: int, seed: int
) -> None:
    scales = torch.tensor([1.0, scale])
    size = spread("none", scales, RandomNetwork("relu", layers, seed), X, CLASSES).size
    grown = size[1].double() / size[0].double()
    assert_close(grown, scales[1].double() ** torch.arange(layers + 1), rtol=1e-4, atol=0)


@pytest.mark.parametrize("nonlinearity", NONLINEARITIES)
def test_with_layer_norm_a_factor_of_the_weights_leaves_no_trace(nonlinearity: str) -> None:
    found = spread("layer", SCALES, RandomNetwork(nonlinearity, 20), X, CLASSES)
    for values in (found.size, found.different_classes, found.same_class):
        assert_close(values, values[:1].expand_as(values), rtol=1e-2, atol=1e-2)


def test_at_scale_1_a_wide_layer_with_relu_keeps_the_size() -> None:
    x = torch.rand(4, 2048, generator=torch.Generator().manual_seed(1))
    size = spread(
        "none", torch.ones(1), RandomNetwork("relu", 3), x, torch.tensor([0, 0, 1, 1])
    ).size
    assert_close(size, size[:, :1].expand_as(size), rtol=0.05, atol=0)
    assert WEIGHT_GAIN["relu"] == pytest.approx(torch.nn.init.calculate_gain("relu"))


def test_layers_that_a_network_has_not_cannot_be_shown() -> None:
    with pytest.raises(ValueError, match=r"has layers 1 to 4, and 0 is the input; got layer 5\. "):
        spread("none", SCALES, RandomNetwork(layers=4), X, CLASSES, at=(0, 5))


@pytest.mark.parametrize("classes", [[0] * CASES, list(range(CASES))])
def test_cases_without_both_kinds_of_pairs_are_refused(classes: list[int]) -> None:
    with pytest.raises(ValueError, match=r"^Cases are compared within a class and across classes"):
        spread("none", SCALES, RandomNetwork(layers=4), X, torch.tensor(classes))


def test_a_network_needs_layers_and_a_nonlinearity_it_knows() -> None:
    with pytest.raises(ValueError, match=r"^A network has 1 layer or more, got 0\.$"):
        RandomNetwork(layers=0)
    with pytest.raises(ValueError, match=r"^A nonlinearity is one of relu, tanh; got 'sine'\.$"):
        RandomNetwork("sine")
