import re
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.norms import CATALOGUE
from lnviz.topics.geometry import FAMILIES, Glm, random_glm

SIZES = st.integers(2, 6)
LOGISTIC = FAMILIES["logistic"]

TINY = 1e-300  # PyTorch's batch_norm takes no 0
IN_PYTORCH: dict[str, Callable[[Glm], Tensor]] = {
    "none": lambda m: m.summed * m.gain + m.bias,
    "batch": lambda m: F.batch_norm(m.summed, None, None, m.gain, m.bias, training=True, eps=TINY),
    "weight": lambda m: F.linear(m.x, m.gain[:, None] * F.normalize(m.weight), m.bias),
    "layer": lambda m: F.layer_norm(m.summed, m.gain.shape, m.gain, m.bias, eps=0.0),
    "rms": lambda m: F.rms_norm(m.summed, m.gain.shape, m.gain, eps=0.0) + m.bias,
}


@pytest.mark.parametrize("norm", IN_PYTORCH)
@given(cases=SIZES, inputs=SIZES, units=SIZES, seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_natural_parameters_are_those_of_pytorchs_norms(
    norm: str, cases: int, inputs: int, units: int, seed: int
) -> None:
    glm = random_glm(LOGISTIC, cases=cases, inputs=inputs, units=units, seed=seed)
    assert_close(glm.natural(CATALOGUE[norm]), IN_PYTORCH[norm](glm), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(
    ("norm", "cases", "units"), [("batch", 1, 3), ("layer", 4, 1)], ids=["one case", "one unit"]
)
def test_without_spread_a_model_predicts_from_its_bias(norm: str, cases: int, units: int) -> None:
    glm = random_glm(LOGISTIC, cases=cases, units=units)
    assert_close(glm.natural(CATALOGUE[norm]), glm.bias.expand(cases, -1))


@pytest.mark.parametrize("norm", ["batch", "weight", "layer", "rms"])
def test_weights_of_length_zero_predict_from_the_bias(norm: str) -> None:
    glm = random_glm(LOGISTIC)
    zero = Glm(LOGISTIC, glm.x, torch.zeros_like(glm.weight), glm.gain, glm.bias)
    assert torch.equal(zero.natural(CATALOGUE[norm]), glm.bias.expand(len(glm.x), -1))


def test_the_seed_decides_what_is_drawn() -> None:
    assert torch.equal(random_glm(LOGISTIC, seed=3).weight, random_glm(LOGISTIC, seed=3).weight)
    assert not torch.equal(random_glm(LOGISTIC, seed=3).weight, random_glm(LOGISTIC, seed=4).weight)


def parts(**changed: Tensor) -> dict[str, Tensor]:
    glm = random_glm(LOGISTIC, cases=4, inputs=2, units=3)
    return {"x": glm.x, "weight": glm.weight, "gain": glm.gain, "bias": glm.bias, **changed}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: Glm(LOGISTIC, **parts(x=torch.ones(4, 2))),
            TypeError,
            "Divergences lie near 0 and need float64, got x of torch.float32. "
            "Convert it with x.double().",
        ),
        (
            lambda: Glm(LOGISTIC, **parts(bias=torch.full((3,), torch.nan).double())),
            ValueError,
            "bias must hold finite numbers, at least one; got shape (3,) with NaN or infinity "
            "in it.",
        ),
        (
            lambda: Glm(LOGISTIC, **parts(x=torch.ones(0, 2).double())),
            ValueError,
            "x must hold finite numbers, at least one; got shape (0, 2).",
        ),
        (
            lambda: Glm(LOGISTIC, **parts(x=torch.ones(4, 5).double())),
            ValueError,
            "weight of shape (units, inputs) = (3, 2) needs x of shape (cases, 2), gain and bias "
            "of shape (3,); got (4, 5), (3,), (3,).",
        ),
        (lambda: random_glm(LOGISTIC, units=0), ValueError, "units must be 1 or more, got 0."),
    ],
)
def test_a_model_says_what_does_not_fit(
    call: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        call()
