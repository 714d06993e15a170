import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.testing import assert_close

from lnviz.norms import BATCH, LAYER, NONE, RMS, WEIGHT, Norm
from lnviz.topics.geometry import (
    FAMILIES,
    Divergences,
    Family,
    Glm,
    divergences,
    plane,
    random_glm,
)
from tests.topics.geometry.paper import fisher

EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.key)
NORMS = (NONE, BATCH, WEIGHT, LAYER, RMS)
EACH_NORM = pytest.mark.parametrize("norm", NORMS, ids=lambda norm: norm.key)
# Where the output does not depend on the scale of what is moved.
SCALE_FREE = [
    *(("matrix", norm) for norm in (BATCH, WEIGHT, LAYER, RMS)),
    ("vector", BATCH),
    ("vector", WEIGHT),
]
LINEAR, LOGISTIC = FAMILIES["linear"], FAMILIES["logistic"]


def one(
    glm: Glm,
    norm: Norm,
    weight_norm: float,
    step_size: float,
    angle: float,
    part: str = "matrix",
) -> Divergences:
    return divergences(glm, norm, [weight_norm], [step_size], [angle], part=part)


def stepped(glm: Glm, part: str, weight_norm: float, step_size: float, angle: float) -> Tensor:
    """The weights after a step, and the step: written out once more."""
    moved = plane(glm, part)
    turn = math.radians(angle)
    step = step_size * (math.cos(turn) * moved.along + math.sin(turn) * moved.across)
    return torch.stack([moved.rest + weight_norm * moved.along, step])


@pytest.mark.slow
@pytest.mark.parametrize("part", ["matrix", "vector"])
@EACH_NORM
@EACH_FAMILY
def test_a_position_is_the_divergence_of_the_stepped_model_from_the_one_before(
    family: Family, norm: Norm, part: str
) -> None:
    glm = random_glm(family)
    found = divergences(glm, norm, [0.5, 2.0], [0.1, 1.5], [0.0, 40.0, 250.0], part=part)
    weight, step = stepped(glm, part, 2.0, 1.5, 250.0)
    before, after = replace(glm, weight=weight), replace(glm, weight=weight + step)
    exact = family.divergence(before.natural(norm), after.natural(norm)).mean()
    assert_close(found.exact[1, 1, 2], exact, rtol=1e-6, atol=1e-12)
    curvature = torch.einsum("ip,ipjq,jq->", step, fisher(before, norm)[:, :-2, :, :-2], step)
    assert_close(found.quadratic[1, 1, 2], curvature / 2, rtol=1e-6, atol=1e-12)


@EACH_NORM
@EACH_FAMILY
def test_small_steps_move_the_model_as_the_fisher_matrix_says(family: Family, norm: Norm) -> None:
    found = divergences(random_glm(family), norm, [1.0], [1e-3, 1e-1], [60.0, 200.0])
    off = (found.exact / found.quadratic - 1).abs()
    assert off[0, 0].max() < 1e-2
    if family is not LINEAR or norm is not NONE:
        assert off[0, 1].min() > off[0, 0].max()  # and larger ones do not


def test_the_linear_model_without_a_norm_moves_exactly_as_the_fisher_matrix_says() -> None:
    found = divergences(random_glm(LINEAR), NONE, [1.0], [0.1, 10.0], [0.0, 60.0, 200.0])
    assert_close(found.exact, found.quadratic)


@pytest.mark.slow
@pytest.mark.parametrize(("part", "norm"), SCALE_FREE)
@given(
    family=st.sampled_from(list(FAMILIES.values())),
    scale=st.floats(0.1, 10),
    angle=st.floats(0, 360),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=12)
def test_a_step_counts_against_the_weights_norm(
    part: str, norm: Norm, family: Family, scale: float, angle: float, seed: int
) -> None:
    glm = random_glm(family, seed=seed)
    before = one(glm, norm, 1.0, 0.3, angle, part)
    after = one(glm, norm, scale, 0.3 * scale, angle, part)
    assert_close(after.exact, before.exact, rtol=1e-6, atol=1e-10)
    assert_close(after.quadratic, before.quadratic, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize(("part", "norm"), SCALE_FREE)
@EACH_FAMILY
def test_twice_the_weight_moves_the_function_a_quarter_as_far(
    family: Family, part: str, norm: Norm
) -> None:
    found = divergences(random_glm(family), norm, [1.0, 2.0, 4.0], [0.01], [90.0, 50.0], part=part)
    quarters = found.quadratic[1:] / found.quadratic[:-1]
    assert_close(quarters, torch.full_like(quarters, 0.25), rtol=1e-6, atol=0.0)
    assert bool((found.exact.diff(dim=0) < 0).all())


@pytest.mark.parametrize(("part", "norm"), SCALE_FREE)
@EACH_FAMILY
def test_a_step_along_the_weight_moves_nothing(family: Family, part: str, norm: Norm) -> None:
    found = divergences(random_glm(family), norm, [1.0, 3.0], [0.1, 0.9], [0.0, 180.0], part=part)
    assert found.exact.max() < 1e-12
    assert found.quadratic.max() < 1e-12


@pytest.mark.parametrize(("part", "norm"), [("vector", LAYER), ("vector", RMS)])
@EACH_FAMILY
def test_under_a_shared_sigma_a_step_along_one_vector_moves_the_function(
    family: Family, part: str, norm: Norm
) -> None:
    found = one(random_glm(family), norm, 1.0, 1.0, 0.0, part)
    assert found.exact.min() > 1e-2
    assert found.quadratic.min() > 1e-2


def test_without_a_norm_the_linear_model_moves_alike_whatever_its_weight() -> None:
    found = divergences(random_glm(LINEAR), NONE, [0.1, 1.0, 50.0], [0.5], [0.0, 77.0])
    assert_close(found.exact, found.exact[:1].expand_as(found.exact), rtol=1e-6, atol=1e-9)
    assert found.exact.min() > 1e-2


@pytest.mark.parametrize("key", ["logistic", "softmax"])
def test_without_a_norm_steps_shrink_since_the_predictions_saturate(key: str) -> None:
    glm = random_glm(FAMILIES[key], cases=24, inputs=5, units=3, seed=0)
    lengths, turns = [0.25, 0.5, 1.0, 2.0, 4.0], [0.0, 45.0, 90.0, 135.0, 180.0]
    found = divergences(glm, NONE, lengths, [0.01], turns)
    assert (found.exact.diff(dim=0) < 0).all()
    assert found.exact[3, 0, 2] / found.exact[2, 0, 2] > 0.3  # not a quarter
    assert found.exact[2, 0, 0] > 1e-6  # along the weight, too
    # The effect of a step depends on the length only by the variance of the predictions.
    variances = []
    for length, quadratic in zip(lengths, found.quadratic[:, 0, 2], strict=True):
        weight, step = stepped(glm, "matrix", length, 0.01, 90.0)
        p = FAMILIES[key].mean(replace(glm, weight=weight).natural(NONE))
        covariance = (p * (1 - p)).diag_embed() if key == "logistic" else torch.diag_embed(p)
        if key == "softmax":
            covariance = covariance - p[:, :, None] * p[:, None]
        change = glm.gain * (glm.x @ step.T)
        predicted = torch.einsum("nh,nhk,nk->n", change, covariance, change).mean() / 2
        assert_close(quadratic, predicted)
        variances.append(covariance.diagonal(dim1=1, dim2=2).mean())
    assert (torch.stack(variances).diff() < 0).all()


def test_without_a_norm_a_step_across_one_vector_moves_the_softmax_model_farthest_at_a_length_of_2_8() -> (  # noqa: E501
    None
):
    glm = random_glm(FAMILIES["softmax"], cases=24, inputs=5, units=3, seed=0)
    lengths = torch.linspace(0.25, 4, 151)
    one = divergences(glm, NONE, lengths.tolist(), [0.01], [90.0], part="vector").exact.flatten()
    top = int(one.argmax())
    assert 2.75 < lengths[top] < 2.85
    assert (one[: top + 1].diff() > 0).all()
    assert (one[top:].diff() < 0).all()


@pytest.mark.parametrize("norm", [BATCH, WEIGHT, LAYER, RMS], ids=lambda norm: norm.key)
def test_at_twice_the_length_a_small_step_turns_and_changes_half_as_much(norm: Norm) -> None:
    lengths = [0.5, 1.0, 2.0, 4.0]
    for seed in range(4):
        found = divergences(random_glm(LINEAR, seed=seed), norm, lengths, [1e-3], [90.0])
        # The divergence of Gaussian outputs is half the square of their difference.
        change = found.exact.flatten().sqrt()
        assert_close(change[1:] / change[:-1], torch.full((3,), 0.5).double(), rtol=0.01, atol=0)
    angles = torch.atan(1e-3 / torch.tensor(lengths))
    assert_close(angles[1:] / angles[:-1], torch.full((3,), 0.5), rtol=1e-3, atol=0)


@EACH_NORM
def test_sigma_grows_with_the_weight_under_a_norm(norm: Norm) -> None:
    sigma = divergences(random_glm(LINEAR), norm, [1.0, 2.0, 8.0], [0.1], [90.0]).sigma
    expected = [1.0, 1.0, 1.0] if norm is NONE else [1.0, 2.0, 8.0]
    assert_close(sigma / sigma[0], torch.tensor(expected).double())


@pytest.mark.parametrize("norm", [BATCH, WEIGHT, LAYER, RMS])
@EACH_FAMILY
def test_a_step_to_weights_of_length_zero_leaves_the_bias(family: Family, norm: Norm) -> None:
    glm = random_glm(family)
    found = one(glm, norm, 1.5, 1.5, 180.0)
    bias = glm.bias.expand(len(glm.x), -1)
    assert_close(found.exact.squeeze(), family.divergence(glm.natural(norm), bias).mean())


def test_how_much_is_held_at_once_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    glm = random_glm(LOGISTIC)

    def swept() -> Tensor:
        return divergences(glm, LAYER, [0.5, 1.0, 2.0], [0.1, 1.0], [0.0, 45.0, 90.0]).exact

    together = swept()
    monkeypatch.setattr("lnviz.topics.geometry.step.CHUNK_CELLS", 1)
    assert_close(swept(), together)


@pytest.mark.parametrize("part", ["matrix", "vector"])
@given(seed=st.integers(0, 2**32), units=st.integers(1, 4), inputs=st.integers(2, 5))
@settings(max_examples=20)
def test_a_plane_has_two_directions_at_right_angles(
    part: str, seed: int, units: int, inputs: int
) -> None:
    glm = random_glm(LINEAR, units=units, inputs=inputs, seed=seed)
    found = plane(glm, part, seed)
    unit = torch.ones(()).double()
    assert_close(found.along.norm(), unit)
    assert_close(found.across.norm(), unit)
    assert abs(float((found.along * found.across).sum())) < 1e-12
    length = glm.weight.norm() if part == "matrix" else glm.weight[0].norm()
    start = torch.stack([length, torch.zeros_like(length)])
    assert_close(found.weight(start), glm.weight)


def test_another_direction_across_is_another_seed() -> None:
    glm = random_glm(LINEAR)
    assert torch.equal(plane(glm, seed=1).across, plane(glm, seed=1).across)
    assert not torch.equal(plane(glm, seed=1).across, plane(glm, seed=2).across)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: divergences(random_glm(LINEAR), NONE, [1], [], [0]),
            "step_sizes must be finite numbers, at least one; got ().",
        ),
        (
            lambda: divergences(random_glm(LINEAR), NONE, [1], [1], [math.nan]),
            "angles must be finite numbers, at least one; got (nan,).",
        ),
        (
            lambda: divergences(random_glm(LINEAR), NONE, [0, 1], [1], [0]),
            "Weight norms are above 0 and step sizes 0 or more, got 0.0 and 1.0 as the smallest. "
            "Turn a step around with an angle of 180.",
        ),
        (lambda: divergences(random_glm(LINEAR), NONE, [1], [-1], [0]), "got 1.0 and -1.0"),
        (
            lambda: divergences(random_glm(LINEAR, units=1), LAYER, [1], [1], [0]),
            "LayerNorm divides by a spread, and for some case or unit of this model it is 0: "
            "derivatives do not exist there. Use two or more units, cases that differ, and "
            "weights that are not all 0.",
        ),
        (
            lambda: plane(random_glm(LINEAR), "bias"),
            "part must be one of matrix, vector; got 'bias'.",
        ),
        (
            lambda: plane(random_glm(LINEAR, inputs=1), "vector"),
            "A plane needs a weight of some length and two or more entries, got one weight vector "
            "with 1 entries and length",
        ),
    ],
)
def test_a_sweep_says_what_it_cannot_do(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
