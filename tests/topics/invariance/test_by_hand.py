"""Layers and their changes, worked out one by one and with PyTorch's norms."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from lnviz.norms import CATALOGUE
from lnviz.topics.invariance import (
    TRANSFORMATIONS,
    RandomData,
    measure,
)
from lnviz.topics.invariance.layers import RandomLayers, draw_layers
from tests.topics.invariance.stated import YES


def by_hand(layer: RandomLayers, transformation: str, s: float) -> tuple[Tensor, Tensor]:
    w, x = layer.weight.clone(), layer.data.squeeze(-2).clone()
    if transformation == "weight_matrix_rescale":
        w *= s
    elif transformation == "weight_matrix_recenter":
        w += s * torch.outer(torch.ones(len(w), dtype=w.dtype), layer.weight_shift)
    elif transformation == "weight_vector_rescale":
        w[0] *= s
    elif transformation == "dataset_rescale":
        x *= s
    elif transformation == "dataset_recenter":
        x += s * layer.data_shift
    elif transformation == "case_rescale":
        x[0] *= s
    return w, x


def pytorch(
    norm: str, w: Float[Tensor, "H I"], x: Float[Tensor, "N I"], layer: RandomLayers
) -> Float[Tensor, "N H"]:
    """What the catalogue's line of PyTorch makes of the summed inputs, with gain and bias."""
    y = eval(CATALOGUE[norm].code, {"F": F, "torch": torch, "x": x @ w.T, "weight": w})
    return layer.gain * y + layer.bias


@pytest.mark.parametrize("norm", [n for n in CATALOGUE if n != "instance"])
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
def test_a_change_is_that_of_pytorchs_norm_layer_by_layer(norm: str, transformation: str) -> None:
    strengths = (0.01, -1.5, 2.0)
    eps = 0.0 if norm in ("weight", "scale") else 1e-5  # as in that line
    measured = measure([norm], [transformation], layers=3, strengths=strengths, eps=eps, seed=4)
    drawn = draw_layers(3, 8, RandomData(), seed=4)
    for n in range(3):
        layer = RandomLayers(*(part[n] for part in vars(drawn).values()))
        before = pytorch(norm, layer.weight, layer.data.squeeze(-2), layer)
        for s, strength in enumerate(strengths):
            after = pytorch(norm, *by_hand(layer, transformation, strength), layer)
            change = (after - before).abs().max() / before.abs().max()
            torch.testing.assert_close(measured.changes[0, 0, s, n], change, rtol=1e-9, atol=1e-12)


@settings(max_examples=40)
@given(
    case=st.sampled_from([(n, t) for n, t in YES if TRANSFORMATIONS[t].kind != "recenter"]),
    strength=st.floats(1e-3, 1e3),
    seed=st.integers(0, 9999),
)
def test_a_negative_factor_turns_the_sign_of_what_is_standardized(
    case: tuple[str, str], strength: float, seed: int
) -> None:
    norm, transformation = case
    layer = draw_layers(2, 6, RandomData(5, 4), seed)
    both = torch.tensor([strength, -strength], dtype=torch.float64)
    outputs = layer.transformed(transformation, both).outputs([norm], 0.0, "identity")
    plus, minus = outputs[norm].values
    turned = 2 * layer.bias.unsqueeze(-2) - plus  # h = g x_hat + b becomes -g x_hat + b
    expected = plus.clone()
    scaled = {
        "weight_vector_rescale": (..., 0),
        "case_rescale": (slice(None), 0),
    }.get(transformation, ...)
    expected[scaled] = turned[scaled]
    torch.testing.assert_close(minus, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("norm", ["batch", "weight", "layer", "rms", "group"])
def test_at_strength_zero_only_the_bias_is_left(norm: str) -> None:
    layer = draw_layers(2, 6, RandomData(5, 4), seed=0)
    erased = layer.transformed("weight_matrix_rescale", torch.zeros(1, dtype=torch.float64))
    outputs = erased.outputs([norm], 0.0, "identity")[norm].values
    torch.testing.assert_close(outputs[0], layer.bias.unsqueeze(-2).expand(2, 5, 6))


@pytest.mark.parametrize(
    ("norm", "transformation"),
    [(n, t) for n, t in YES if TRANSFORMATIONS[t].kind == "rescale"],
)
def test_scaling_by_s_is_the_same_as_dividing_epsilon_by_s_squared(
    norm: str, transformation: str
) -> None:
    layer, s, eps = draw_layers(3, 6, RandomData(5, 4), seed=1), 0.02, 1e-4
    scaled = layer.transformed(transformation, torch.tensor([s], dtype=torch.float64))
    one = scaled.outputs([norm], eps, "identity")[norm].values[0]
    other = layer.outputs([norm], eps / s**2, "identity")[norm].values
    torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)


def test_layernorm_ignores_a_constant_added_to_the_summed_inputs_but_not_to_the_inputs() -> None:
    layer = draw_layers(1, 6, RandomData(), seed=0)
    ones = torch.ones(1, 8, dtype=torch.float64)
    shifted = RandomLayers(**{**vars(layer), "weight_shift": ones, "data_shift": ones})
    two = torch.tensor([2.0], dtype=torch.float64)
    before = layer.outputs(["layer"], 0.0, "identity")["layer"].values
    by_weights, by_data = (
        shifted.transformed(t, two).outputs(["layer"], 0.0, "identity")["layer"].values[0]
        for t in ("weight_matrix_recenter", "dataset_recenter")
    )
    # Adding 1 to every weight adds to each summed input of a case the same: the sum of its inputs.
    torch.testing.assert_close(by_weights, before)
    assert (by_data - before).abs().max() > 0.1
