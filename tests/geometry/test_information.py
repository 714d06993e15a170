from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd.functional import hessian
from torch.autograd.functional import jacobian as autograd_jacobian
from torch.testing import assert_close

from lnviz.geometry import FAMILIES, NORMS, Family, Glm, draw, fisher, linear
from lnviz.geometry.information import fishers, packed
from lnviz.geometry.models import natural

EACH = [
    pytest.param(family, norm, id=f"{family.key} {norm}")
    for family in (linear(0.25), FAMILIES["logistic"], FAMILIES["softmax"])
    for norm in NORMS
]


def small(family: Family, seed: int = 0) -> Glm:
    return draw(family, cases=6, inputs=3, units=3, seed=seed)


def predicted(glm: Glm, norm: str, theta: Tensor) -> Tensor:
    weight, bias, gain = theta[:, :-2], theta[:, -2], theta[:, -1]
    return natural(norm, glm.x @ weight.T, weight, gain, bias)


@pytest.mark.parametrize(("family", "norm"), EACH)
def test_the_matrix_is_the_curvature_of_the_exact_divergence(family: Family, norm: str) -> None:
    glm = small(family)
    theta = packed(glm)
    before = glm.natural(norm)

    def moved(flat: Tensor) -> Tensor:
        after = predicted(glm, norm, flat.view_as(theta))
        # Without the clamp at 0, whose derivative at the minimum is not that of the divergence.
        gain = family.log_partition(after) - (family.mean(before) * after).sum(-1)
        return gain.mean() / family.phi

    curvature = hessian(moved, theta.flatten())
    assert_close(fisher(glm, norm).matrix, curvature, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("key", ["logistic", "softmax"])
def test_the_matrix_is_the_expected_product_of_scores(key: str, norm: str) -> None:
    family = FAMILIES[key]
    glm = small(family)
    theta = packed(glm)
    z = glm.natural(norm)
    outcomes = (
        torch.eye(3) if key == "softmax" else torch.tensor(list(product([0.0, 1.0], repeat=3)))
    ).double()
    expected = torch.zeros(15, 15, dtype=torch.float64)
    for y in outcomes:
        # The loss of an outcome is its -log P here: there is no further term in y.
        losses = family.loss(z, y)
        scores = autograd_jacobian(
            lambda flat, y=y: family.loss(predicted(glm, norm, flat.view_as(theta)), y),
            theta.flatten(),
        )  # N,HP
        expected += torch.einsum("n,np,nq->pq", torch.exp(-losses), scores, scores) / len(z)
    assert_close(fisher(glm, norm).matrix, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(("family", "norm"), EACH)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=5)
def test_the_matrix_is_symmetric_and_no_direction_has_negative_curvature(
    family: Family, norm: str, seed: int
) -> None:
    matrix = fisher(small(family, seed), norm).matrix
    assert_close(matrix, matrix.T)
    eigenvalues = torch.linalg.eigvalsh(matrix)
    assert eigenvalues.min() > -1e-10 * eigenvalues.max()


@pytest.mark.parametrize("norm", NORMS)
def test_a_sweep_of_weights_holds_what_each_gives_alone(norm: str) -> None:
    glm = small(FAMILIES["softmax"])
    weights = torch.stack([glm.weight, 2 * glm.weight, glm.weight - 1])
    swept = fishers(glm, norm, weights)
    for at, weight in enumerate(weights):
        alone = fisher(Glm(glm.family, glm.x, weight, glm.gain, glm.bias), norm)
        assert_close(swept.blocks[at], alone.blocks)
        assert_close(swept.matrix[at], alone.matrix)
        assert_close(swept.gain[at], alone.gain)


def test_blocks_are_named_by_what_they_belong_to() -> None:
    glm = small(linear(2.0))
    found = fisher(glm, "none")
    theta = packed(glm)
    assert torch.equal(theta[:, -2], glm.bias)
    assert torch.equal(theta[:, -1], glm.gain)
    half = torch.eye(3).double() / 2  # 1 / phi
    assert_close(found.bias, half)
    assert_close(found.gain, half * glm.summed.square().mean(0))
    second_moment = glm.x.T @ glm.x / len(glm.x)
    assert_close(found.weight[0, :, 0], glm.gain[0] ** 2 * second_moment / 2)


@pytest.mark.parametrize(
    ("norm", "label", "glm"),
    [
        ("batch", "BatchNorm", draw(FAMILIES["linear"], cases=1)),
        ("layer", "LayerNorm", draw(FAMILIES["linear"], units=1)),
    ],
)
def test_where_a_norm_divides_by_zero_there_is_no_matrix(norm: str, label: str, glm: Glm) -> None:
    with pytest.raises(ValueError, match=f"{label} divides by a spread, .* Use two or more units"):
        fisher(glm, norm)
