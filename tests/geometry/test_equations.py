import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from lnviz.geometry import (
    FAMILIES,
    NORMS,
    Family,
    Glm,
    chi,
    draw,
    equation_12,
    equation_13,
    equation_32,
    equation_33,
    equation_34,
    equation_35,
    fisher,
    linear,
    shared_jacobian,
)
from lnviz.geometry.information import jacobian, packed
from lnviz.geometry.models import standardize

EACH_FAMILY = pytest.mark.parametrize(
    "family", [linear(0.25), FAMILIES["logistic"], FAMILIES["softmax"]], ids=lambda f: f.key
)
SHARING = pytest.mark.parametrize("norm", ["layer", "rms"])
SIZES = st.integers(2, 5)
SEEDS = st.integers(0, 2**32)
TO_SIX_DIGITS = {"rtol": 1e-6, "atol": 1e-9}


def drawn(family: Family, cases: int, inputs: int, units: int, seed: int) -> Glm:
    return draw(family, cases=cases + 2, inputs=inputs, units=units + 1, seed=seed)


def relative(found: Tensor, exact: Tensor) -> float:
    return float((found - exact).norm() / exact.norm())


@EACH_FAMILY
@given(cases=SIZES, inputs=SIZES, units=SIZES, seed=SEEDS)
@settings(max_examples=10)
def test_12_is_the_matrix_without_a_norm(
    family: Family, cases: int, inputs: int, units: int, seed: int
) -> None:
    glm = drawn(family, cases, inputs, units, seed)
    plain = Glm(family, glm.x, glm.weight, torch.ones_like(glm.gain), glm.bias)
    found = fisher(plain, "none").blocks[:, :-1, :, :-1]
    assert_close(equation_12(glm), found, **TO_SIX_DIGITS)


@pytest.mark.parametrize("norm", ["none", "batch", "weight"])
@EACH_FAMILY
@given(cases=SIZES, inputs=SIZES, units=SIZES, seed=SEEDS)
@settings(max_examples=10)
def test_13_is_the_matrix_where_each_unit_has_a_sigma_of_its_own(
    family: Family, norm: str, cases: int, inputs: int, units: int, seed: int
) -> None:
    glm = drawn(family, cases, inputs, units, seed)
    found, exact = equation_13(glm, norm), fisher(glm, norm)
    assert relative(found.matrix, exact.matrix) < 1e-6


@SHARING
@EACH_FAMILY
def test_13_leaves_out_what_units_share(family: Family, norm: str) -> None:
    glm = draw(family)
    found, exact = equation_13(glm, norm), fisher(glm, norm)
    assert relative(found.weight, exact.weight) > 0.1
    assert_close(found.blocks[:, -2:, :, -2:], exact.blocks[:, -2:, :, -2:], **TO_SIX_DIGITS)


@SHARING
@EACH_FAMILY
def test_13_sees_curvature_along_the_weights_where_there_is_none(family: Family, norm: str) -> None:
    glm = draw(family)

    def along(weight: Tensor) -> float:
        return float(torch.einsum("ip,ipjq,jq->", glm.weight, weight, glm.weight))

    assert along(fisher(glm, norm).weight) < 1e-12
    assert along(equation_13(glm, norm).weight) > 1e-2


@pytest.mark.parametrize("norm", NORMS)
@given(cases=SIZES, inputs=SIZES, units=SIZES, seed=SEEDS)
@settings(max_examples=10)
def test_14_is_how_a_units_own_weights_move_it(
    norm: str, cases: int, inputs: int, units: int, seed: int
) -> None:
    glm = drawn(FAMILIES["linear"], cases, inputs, units, seed)
    sigma = standardize(norm, glm.summed, glm.weight).sigma
    closed = (glm.gain / sigma)[..., None] * chi(glm, norm)  # N,H,I
    moved = jacobian(norm, glm.x, packed(glm))[..., :-2]  # N,H,H,I
    own = moved.diagonal(dim1=1, dim2=2).mT  # N,H,I
    assert relative(closed, own) < 1e-6


@SHARING
@EACH_FAMILY
@given(cases=SIZES, inputs=SIZES, units=SIZES, seed=SEEDS)
@settings(max_examples=10)
def test_with_what_units_share_13_is_the_matrix(
    family: Family, norm: str, cases: int, inputs: int, units: int, seed: int
) -> None:
    glm = drawn(family, cases, inputs, units, seed)
    rows = shared_jacobian(glm, norm)  # N,H,H,I
    assert relative(rows, jacobian(norm, glm.x, packed(glm))[..., :-2]) < 1e-6
    cov = family.cov(glm.natural(norm)) / family.phi**2
    completed = torch.einsum("nkip,nkl,nljq->ipjq", rows, cov, rows) / len(glm.x)
    assert relative(completed, fisher(glm, norm).weight) < 1e-6


@SHARING
def test_what_units_share_has_chi_on_its_diagonal(norm: str) -> None:
    glm = draw(FAMILIES["linear"])
    sigma = standardize(norm, glm.summed, glm.weight).sigma
    own = shared_jacobian(glm, norm).diagonal(dim1=1, dim2=2).mT
    assert_close(own, (glm.gain / sigma)[..., None] * chi(glm, norm))


def test_nothing_of_chi_is_left_along_a_weight_vector_with_a_sigma_of_its_own() -> None:
    glm = draw(FAMILIES["linear"])
    for norm in ("batch", "weight"):
        assert_close((chi(glm, norm) * glm.weight).sum(-1), torch.zeros_like(glm.summed))
    for norm in ("none", "layer", "rms"):
        assert (chi(glm, norm) * glm.weight).sum(-1).abs().max() > 0.1


@pytest.mark.parametrize("norm", NORMS)
@EACH_FAMILY
def test_33_is_the_gains_curvature_under_every_norm(family: Family, norm: str) -> None:
    glm = draw(family)
    assert_close(equation_33(glm, norm), fisher(glm, norm).gain, **TO_SIX_DIGITS)


@EACH_FAMILY
def test_34_is_the_gains_curvature_under_weightnorm(family: Family) -> None:
    glm = draw(family)
    assert_close(equation_34(glm), fisher(glm, "weight").gain, **TO_SIX_DIGITS)
    assert_close(equation_34(glm), equation_33(glm, "weight"), **TO_SIX_DIGITS)


@EACH_FAMILY
def test_35_is_the_curvature_along_each_weight_vector_without_a_norm(family: Family) -> None:
    glm = draw(family)
    plain = Glm(family, glm.x, glm.weight, torch.ones_like(glm.gain), glm.bias)
    unit = glm.weight / glm.weight.norm(dim=-1, keepdim=True)
    along = torch.einsum("ip,ipjq,jq->ij", unit, fisher(plain, "none").weight, unit)
    assert_close(equation_35(glm), along, **TO_SIX_DIGITS)


def test_34_and_35_differ_in_the_covariance_alone() -> None:
    glm = draw(FAMILIES["logistic"])
    units = glm.weight.norm(dim=-1)
    same = Glm(glm.family, glm.x, glm.weight, units, glm.bias)  # gains that undo the norm
    assert_close(equation_34(same), equation_35(same))
    assert not torch.allclose(equation_34(glm), equation_35(glm))


def test_32_is_exact_for_the_linear_model() -> None:
    glm = draw(linear(0.25))
    assert_close(equation_32(glm), fisher(glm, "batch").gain, **TO_SIX_DIGITS)


def test_32_drops_the_correlation_of_summed_inputs_off_the_diagonal() -> None:
    glm = draw(FAMILIES["softmax"])
    # At gain 0 every case is predicted alike, so that the covariance is constant.
    constant = Glm(glm.family, glm.x, glm.weight, torch.zeros_like(glm.gain), glm.bias)
    correlation = torch.corrcoef(glm.summed.T)
    exact = fisher(constant, "batch").gain
    assert_close(exact, equation_32(constant) * correlation, **TO_SIX_DIGITS)
    assert_close(exact.diagonal(), equation_32(constant).diagonal(), **TO_SIX_DIGITS)
    off = ~torch.eye(3, dtype=torch.bool)
    assert relative(equation_32(constant)[off], exact[off]) > 0.1


@pytest.mark.parametrize("key", ["logistic", "softmax"])
def test_32_overstates_where_the_covariance_falls_with_x_hat(key: str) -> None:
    glm = draw(FAMILIES[key])
    stated, exact = equation_32(glm).diagonal(), fisher(glm, "batch").gain.diagonal()
    assert bool((stated > 1.01 * exact).all())
    # What the paper's expression stands for is exact.
    assert_close(equation_33(glm, "batch").diagonal(), exact, **TO_SIX_DIGITS)


def test_units_that_share_nothing_have_no_shared_jacobian() -> None:
    with pytest.raises(ValueError, match="Units share mean and sigma under 'layer' and 'rms', got"):
        shared_jacobian(draw(FAMILIES["linear"]), "batch")
