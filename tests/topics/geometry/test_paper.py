"""What the lesson says of the Fisher matrix under a norm, and of the paper's equations."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from lnviz.norms import BATCH, LAYER, NONE, RMS, WEIGHT, Norm
from lnviz.topics.geometry import FAMILIES, Family, gain_curvature, random_glm
from tests.topics.geometry.paper import chi, equation_13, fisher, jacobian

EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.key)
EACH_NORM = pytest.mark.parametrize(
    "norm", [NONE, BATCH, WEIGHT, LAYER, RMS], ids=lambda norm: norm.key
)
OF_ITS_OWN = pytest.mark.parametrize("norm", [BATCH, WEIGHT], ids=lambda norm: norm.key)
SHARING = pytest.mark.parametrize("norm", [LAYER, RMS], ids=lambda norm: norm.key)
SEEDS = st.integers(0, 2**32)
TO_SIX_DIGITS = {"rtol": 1e-6, "atol": 1e-9}


def along(blocks: Tensor, weight: Tensor) -> float:
    """Curvature along a whole weight matrix."""
    return float(torch.einsum("ip,ipjq,jq->", weight, blocks[:, :-2, :, :-2], weight))


@pytest.mark.slow
@pytest.mark.parametrize("norm", [BATCH, WEIGHT, LAYER, RMS], ids=lambda norm: norm.key)
@EACH_FAMILY
@given(seed=SEEDS, factor=st.floats(0.2, 20))
@settings(max_examples=5)
def test_longer_weights_divide_their_block_by_the_square_and_the_blocks_beside_it_once(
    family: Family, norm: Norm, seed: int, factor: float
) -> None:
    glm = random_glm(family, seed=seed)
    before = fisher(glm, norm)
    after = fisher(replace(glm, weight=factor * glm.weight), norm)
    assert_close(after[:, :-2, :, :-2] * factor**2, before[:, :-2, :, :-2], rtol=1e-5, atol=1e-9)
    assert_close(after[:, :-2, :, -2:] * factor, before[:, :-2, :, -2:], rtol=1e-5, atol=1e-9)
    assert_close(after[:, -2:, :, -2:], before[:, -2:, :, -2:], **TO_SIX_DIGITS)
    assert abs(along(before, glm.weight)) < 1e-9


@OF_ITS_OWN
@EACH_FAMILY
def test_doubling_one_vector_with_a_sigma_of_its_own_quarters_its_block_and_halves_the_others(
    family: Family, norm: Norm
) -> None:
    glm = random_glm(family)
    weight = glm.weight.clone()
    weight[0] *= 2
    before, after = fisher(glm, norm), fisher(replace(glm, weight=weight), norm)
    assert_close(after[0, :-2, 0, :-2], before[0, :-2, 0, :-2] / 4)
    assert_close(after[0, :-2, 1:], before[0, :-2, 1:] / 2)
    assert_close(after[0, :-2, 0, -2:], before[0, :-2, 0, -2:] / 2)
    assert_close(after[1:, :, 1:], before[1:, :, 1:])


@SHARING
@EACH_FAMILY
def test_doubling_one_vector_under_a_shared_sigma_changes_the_output(
    family: Family, norm: Norm
) -> None:
    glm = random_glm(family)
    weight = glm.weight.clone()
    weight[0] *= 2
    moved = family.divergence(glm.natural(norm), replace(glm, weight=weight).natural(norm))
    assert moved.mean() > 5e-3


@pytest.mark.parametrize("norm", [NONE, BATCH, WEIGHT], ids=lambda norm: norm.key)
@EACH_FAMILY
@given(seed=SEEDS)
@settings(max_examples=5)
def test_13_is_the_matrix_where_each_unit_has_a_sigma_of_its_own(
    family: Family, norm: Norm, seed: int
) -> None:
    glm = random_glm(family, seed=seed)
    assert_close(equation_13(glm, norm), fisher(glm, norm), rtol=1e-5, atol=1e-8)


@SHARING
@EACH_FAMILY
def test_13_leaves_out_what_units_share(family: Family, norm: Norm) -> None:
    glm = random_glm(family)
    stated, exact = equation_13(glm, norm), fisher(glm, norm)
    assert (stated - exact).norm() > 0.1 * exact.norm()
    assert_close(stated[:, -2:, :, -2:], exact[:, -2:, :, -2:], **TO_SIX_DIGITS)


@SHARING
@EACH_FAMILY
def test_13_sees_curvature_along_the_weights_where_there_is_none(
    family: Family, norm: Norm
) -> None:
    glm = random_glm(family)
    assert along(fisher(glm, norm), glm.weight) < 1e-12
    assert along(equation_13(glm, norm), glm.weight) > 1e-2


@EACH_NORM
def test_14_is_how_a_units_own_weights_move_it(norm: Norm) -> None:
    glm = random_glm(FAMILIES["linear"])
    sigma = norm.apply(glm.summed, "ND", eps=0.0, weight=glm.weight).var.sqrt()
    own = jacobian(glm, norm)[..., :-2].diagonal(dim1=1, dim2=2).mT  # N,H,I
    assert_close((glm.gain / sigma)[..., None] * chi(glm, norm), own, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("norm", [BATCH, WEIGHT, LAYER, RMS], ids=lambda norm: norm.key)
@EACH_FAMILY
def test_the_gains_curvature_is_the_fisher_matrixs(family: Family, norm: Norm) -> None:
    glm = random_glm(family)
    once, thrice = gain_curvature(glm, norm, [1.0, 3.0])
    assert_close(once, fisher(glm, norm)[:, -1, :, -1], **TO_SIX_DIGITS)
    larger = replace(glm, x=3 * glm.x)
    assert_close(thrice, fisher(larger, norm)[:, -1, :, -1], **TO_SIX_DIGITS)


@EACH_FAMILY
def test_without_a_norm_35_is_the_curvature_along_each_weight_vector(family: Family) -> None:
    glm = random_glm(family)
    plain = replace(glm, gain=torch.ones_like(glm.gain))
    unit = glm.weight / glm.weight.norm(dim=-1, keepdim=True)
    weight = fisher(plain, NONE)[:, :-2, :, :-2]
    expected = torch.einsum("ip,ipjq,jq->ij", unit, weight, unit)
    assert_close(gain_curvature(glm, NONE, [1.0])[0], expected, **TO_SIX_DIGITS)


def test_34_and_35_are_the_same_numbers_in_the_linear_model_alone() -> None:
    for family in FAMILIES.values():
        glm = random_glm(family)
        one, other = (gain_curvature(glm, norm, [1.0]) for norm in (WEIGHT, NONE))
        assert torch.allclose(one, other) == (family.key == "linear")
