import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.norms import BATCH, LAYER, NONE, RMS, WEIGHT, Norm
from lnviz.topics.geometry import FAMILIES, Family, gain_curvature, random_glm

LINEAR = FAMILIES["linear"]
UNSCALED = pytest.mark.parametrize("norm", [NONE, WEIGHT], ids=lambda norm: norm.key)


@pytest.mark.parametrize("norm", [BATCH, LAYER, RMS], ids=lambda norm: norm.key)
@given(family=st.sampled_from(list(FAMILIES.values())), scale=st.floats(1e-3, 1e3))
@settings(max_examples=20)
def test_the_gains_curvature_does_not_depend_on_the_scale_of_the_data(
    norm: Norm, family: Family, scale: float
) -> None:
    one, other = gain_curvature(random_glm(family), norm, [1.0, scale])
    assert_close(other, one, rtol=1e-6, atol=1e-9)


@UNSCALED
@given(scale=st.floats(1e-3, 1e3))
@settings(max_examples=15)
def test_without_a_norm_and_under_weightnorm_it_grows_with_the_square_of_the_scale(
    norm: Norm, scale: float
) -> None:
    one, other = gain_curvature(random_glm(LINEAR), norm, [1.0, scale])
    assert_close(other, scale**2 * one)


@UNSCALED
@pytest.mark.parametrize("key", ["logistic", "softmax"])
def test_it_grows_so_for_small_data_where_predictions_saturate(key: str, norm: Norm) -> None:
    found = gain_curvature(random_glm(FAMILIES[key]), norm, [1e-4, 1e-3, 1.0, 3.0])
    mean = found.diagonal(dim1=-2, dim2=-1).mean(-1)
    assert mean[1] / mean[0] == pytest.approx(100, rel=1e-2)
    assert mean[3] / mean[2] < 9


def test_scales_are_above_zero() -> None:
    with pytest.raises(ValueError, match=r"scales must be finite numbers above 0, .*\(0\.0,\)"):
        gain_curvature(random_glm(LINEAR), LAYER, [0.0])


def test_one_unit_leaves_layernorm_nothing_to_divide_by() -> None:
    with pytest.raises(ValueError, match="LayerNorm divides by a spread"):
        gain_curvature(random_glm(LINEAR, units=1), LAYER, [1.0])
