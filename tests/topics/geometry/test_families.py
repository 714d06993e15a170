import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd.functional import hessian, jacobian
from torch.distributions import Bernoulli, Categorical, Distribution, Normal, kl_divergence
from torch.testing import assert_close

from lnviz.topics.geometry import FAMILIES, Family
from tests.drawing import drawn

SEEDS = st.integers(0, 2**32)
UNITS = st.integers(1, 5)
SCALES = st.floats(0.01, 20)
EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.key)


def distribution(family: Family, z: Tensor) -> Distribution:
    if family.key == "linear":
        return Normal(z, torch.ones_like(z))
    return Bernoulli(logits=z) if family.key == "logistic" else Categorical(logits=z)


def over_units(family: Family, values: Tensor) -> Tensor:
    return values if family.key == "softmax" else values.sum(-1)


# Beyond that PyTorch's probabilities round to 1, and its divergences to infinity.
@EACH_FAMILY
@given(units=UNITS, scale=st.floats(0.01, 4), seed=SEEDS)
@settings(max_examples=30)
def test_the_divergence_is_that_of_pytorchs_distributions(
    family: Family, units: int, scale: float, seed: int
) -> None:
    before, after = scale * drawn(2, 7, units, seed=seed, dtype=torch.float64)
    theirs = kl_divergence(distribution(family, before), distribution(family, after))
    ours = family.divergence(before, after)
    assert_close(ours, over_units(family, theirs), rtol=1e-6, atol=1e-10)


@EACH_FAMILY
@given(units=UNITS, seed=SEEDS)
@settings(max_examples=30)
def test_the_loss_differs_from_minus_log_probability_by_a_constant(
    family: Family, units: int, seed: int
) -> None:
    z = drawn(6, units, seed=seed, dtype=torch.float64)
    y = torch.zeros(units, dtype=torch.float64)
    y[0] = 1.0
    outcome = torch.tensor(0) if family.key == "softmax" else y
    theirs = -over_units(family, distribution(family, z).log_prob(outcome))
    difference = family.loss(z, y) - theirs
    assert_close(difference, difference[:1].expand(6))


@EACH_FAMILY
@given(units=UNITS, scale=SCALES, seed=SEEDS)
@settings(max_examples=30)
def test_mean_and_covariance_are_the_derivatives_of_the_log_partition(
    family: Family, units: int, scale: float, seed: int
) -> None:
    z = scale * drawn(units, seed=seed, dtype=torch.float64)
    assert_close(family.mean(z), jacobian(family.log_partition, z))
    assert_close(family.cov(z), hessian(family.log_partition, z), rtol=1e-6, atol=1e-12)


@EACH_FAMILY
def test_a_divergence_from_itself_is_zero_and_none_is_negative(family: Family) -> None:
    z = 10.0 * drawn(500, 3, dtype=torch.float64)
    assert torch.equal(family.divergence(z, z), torch.zeros(500, dtype=torch.float64))
    close = family.divergence(z, z + 1e-12 * drawn(500, 3, seed=1, dtype=torch.float64))
    assert bool((close >= 0).all())


def test_saturated_predictions_keep_their_covariance_and_divergence() -> None:
    logistic = FAMILIES["logistic"]
    z = torch.tensor([40.0], dtype=torch.float64)
    assert_close(logistic.cov(z)[0], torch.exp(-z))
    assert_close(logistic.divergence(z, -z), z[0])
