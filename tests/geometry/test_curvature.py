import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.geometry import FAMILIES, NORMS, Family, Glm, draw, fisher, gains, scaled

EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.key)
SCALE_FREE = [
    *(("matrix", norm) for norm in ("batch", "weight", "layer", "rms")),
    ("vector", "batch"),
    ("vector", "weight"),
]
LINEAR = FAMILIES["linear"]


@pytest.mark.parametrize(("part", "norm"), SCALE_FREE)
@given(
    family=st.sampled_from(list(FAMILIES.values())),
    factor=st.floats(0.2, 20),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=12)
def test_the_weights_own_block_falls_with_the_square_of_the_norm_and_cross_blocks_with_the_norm(
    part: str, norm: str, family: Family, factor: float, seed: int
) -> None:
    found = scaled(draw(family, seed=seed), [norm], [1.0, factor], part=part)
    (own,), (cross,) = found.own.tolist(), found.cross.tolist()
    assert own[1] == pytest.approx(own[0] / factor**2, rel=1e-6)
    assert cross[1] == pytest.approx(cross[0] / factor, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("part", "norm"), SCALE_FREE)
@EACH_FAMILY
def test_there_is_no_curvature_along_a_weight_whose_scale_does_not_matter(
    family: Family, part: str, norm: str
) -> None:
    found = scaled(draw(family), [norm], [0.5, 1.0, 4.0], part=part)
    assert found.along.max() < 1e-12
    assert found.output.max() < 1e-12


@pytest.mark.parametrize("norm", ["layer", "rms"])
@EACH_FAMILY
def test_under_a_shared_sigma_doubling_one_vector_changes_the_output(
    family: Family, norm: str
) -> None:
    found = scaled(draw(family), [norm], [1.0, 2.0], part="vector")
    assert found.output[0, 0] == 0
    assert found.output[0, 1] > 5e-3
    assert found.along.min() > 1e-2
    assert found.own[0, 1] / found.own[0, 0] > 0.5  # no quarter


@pytest.mark.parametrize("norm", ["batch", "weight"])
def test_the_block_of_two_vectors_halves_when_one_is_doubled(norm: str) -> None:
    glm = draw(FAMILIES["softmax"])
    weight = glm.weight.clone()
    weight[0] *= 2
    doubled = Glm(glm.family, glm.x, weight, glm.gain, glm.bias)
    before, after = fisher(glm, norm), fisher(doubled, norm)
    assert_close(after.weight[0, :, 0], before.weight[0, :, 0] / 4)
    assert_close(after.weight[0, :, 1], before.weight[0, :, 1] / 2)
    assert_close(after.weight[1:, :, 1:], before.weight[1:, :, 1:])
    assert_close(after.blocks[0, :-2, :, -2:], before.blocks[0, :-2, :, -2:] / 2)


def test_the_linear_model_without_a_norm_is_as_curved_at_any_scale() -> None:
    found = scaled(draw(LINEAR), ["none"], [0.5, 1.0, 4.0])
    assert_close(found.own, found.own[:, 1:2].expand(1, 3))
    assert found.along.min() > 0.1


def test_the_linear_model_under_batchnorm_has_no_cross_block() -> None:
    found = scaled(draw(LINEAR), ["batch"], [0.5, 1.0])
    assert found.cross.max() < 1e-12
    assert found.own.min() > 0.1


@pytest.mark.parametrize("norm", ["batch", "layer", "rms"])
@given(family=st.sampled_from(list(FAMILIES.values())), scale=st.floats(1e-3, 1e3))
@settings(max_examples=20)
def test_the_gains_curvature_does_not_depend_on_the_scale_of_the_data(
    norm: str, family: Family, scale: float
) -> None:
    found = gains(draw(family), [norm], [1.0, scale]).matrix[0]
    assert_close(found[1], found[0], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("norm", ["none", "weight"])
@given(scale=st.floats(1e-3, 1e3))
@settings(max_examples=15)
def test_without_a_norm_and_under_weightnorm_it_grows_with_the_square_of_the_scale(
    norm: str, scale: float
) -> None:
    found = gains(draw(LINEAR), [norm], [1.0, scale]).matrix[0]
    assert_close(found[1], scale**2 * found[0])


@pytest.mark.parametrize("norm", ["none", "weight"])
@pytest.mark.parametrize("key", ["logistic", "softmax"])
def test_it_grows_so_for_small_data_where_predictions_saturate(key: str, norm: str) -> None:
    found = gains(draw(FAMILIES[key]), [norm], [1e-4, 1e-3, 1.0, 3.0]).mean[0]
    assert found[1] / found[0] == pytest.approx(100, rel=1e-2)
    assert found[3] / found[2] < 9


@pytest.mark.parametrize("norm", [norm for norm in NORMS if norm != "none"])
@EACH_FAMILY
def test_the_gains_curvature_is_the_fisher_matrixs(family: Family, norm: str) -> None:
    glm = draw(family)
    found = gains(glm, [norm], [1.0, 3.0])
    larger = Glm(family, 3 * glm.x, glm.weight, glm.gain, glm.bias)
    assert_close(found.matrix[0, 0], fisher(glm, norm).gain, rtol=1e-6, atol=1e-9)
    assert_close(found.matrix[0, 1], fisher(larger, norm).gain, rtol=1e-6, atol=1e-9)
    assert_close(found.mean[0, 0], fisher(glm, norm).gain.diagonal().mean())


@pytest.mark.parametrize("call", [scaled, gains])
def test_factors_are_above_zero(call: object) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=r"be finite numbers above 0; got .*0\.0"):
        call(draw(LINEAR), ["layer"], [0.0])
    with pytest.raises(ValueError, match="norms must name at least one norm"):
        call(draw(LINEAR), [], [1.0])
    with pytest.raises(ValueError, match="norm must be one of"):
        call(draw(LINEAR), ["group"], [1.0])


def test_one_unit_leaves_layernorm_nothing_to_divide_by() -> None:
    glm = draw(LINEAR, units=1)
    with pytest.raises(ValueError, match="LayerNorm divides by a spread"):
        scaled(glm, ["layer"], [1.0])
    with pytest.raises(ValueError, match="LayerNorm divides by a spread"):
        gains(glm, ["layer"], [1.0])


def test_what_is_scaled_has_a_name() -> None:
    with pytest.raises(ValueError, match="part must be one of matrix, vector; got 'row'"):
        scaled(draw(LINEAR), ["none"], [1.0], part="row")
