from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.geometry import FAMILIES, NORMS, Family, descend, draw, taught
from lnviz.geometry.descent import LOST

EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.key)
UNDER_A_NORM = pytest.mark.parametrize("norm", [norm for norm in NORMS if norm != "none"])
LINEAR = FAMILIES["linear"]
RATES = [0.1, 1.0, 100.0]


@UNDER_A_NORM
@EACH_FAMILY
def test_steps_are_at_right_angles_to_the_weight_so_that_it_grows(
    family: Family, norm: str
) -> None:
    glm = draw(family)
    run = descend(glm, taught(glm), [norm], RATES, steps=20)
    squares = run.length.square()
    step = torch.tensor(RATES).double()[:, None] * run.gradient
    assert_close(squares[..., 1:], squares[..., :-1] + step.square(), rtol=1e-7, atol=1e-9)
    assert run.length[0, -1, -1] > 2 * run.length[0, -1, 0]


@UNDER_A_NORM
@given(
    family=st.sampled_from(list(FAMILIES.values())),
    scale=st.floats(0.2, 5),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=12)
def test_a_longer_weight_with_a_rate_larger_by_the_square_is_the_same_run(
    norm: str, family: Family, scale: float, seed: int
) -> None:
    glm = draw(family, seed=seed)
    longer = replace(glm, weight=scale * glm.weight)
    targets = taught(glm)
    one = descend(glm, targets, [norm], [0.2], steps=5)
    other = descend(longer, targets, [norm], [0.2 * scale**2], steps=5)
    assert_close(other.loss, one.loss, rtol=1e-6, atol=1e-8)
    assert_close(other.moved, one.moved, rtol=1e-5, atol=1e-9)
    assert_close(other.length, scale * one.length, rtol=1e-6, atol=1e-8)
    assert_close(other.effective, one.effective, rtol=1e-6, atol=1e-9)


@UNDER_A_NORM
def test_a_rate_far_too_high_lowers_itself(norm: str) -> None:
    glm = draw(LINEAR)
    run = descend(glm, taught(glm), [norm, "none"], [10.0], steps=100)
    effective = run.effective[0, 0]
    assert effective[-1] < effective[0] / 10
    assert run.moved[0, 0, -1] < run.moved[0, 0, 0] / 1000
    assert run.loss[0, 0, -1] < run.loss[0, 0, 0]
    assert run.loss[1, 0, -1] > LOST


def test_a_run_that_diverges_stays_finite() -> None:
    glm = draw(LINEAR)
    run = descend(glm, taught(glm), ["none"], [0.01, 1e6], steps=300)
    for curve in (run.loss, run.length, run.gradient, run.moved):
        assert bool(curve.isfinite().all())
    assert run.loss[0, 0, -1] < run.loss[0, 0, 0]  # its neighbor goes on


@pytest.mark.parametrize("norm", NORMS)
@EACH_FAMILY
def test_small_steps_go_down(family: Family, norm: str) -> None:
    glm = draw(family)
    run = descend(glm, taught(glm), [norm], [1e-3], steps=20)
    assert bool((run.loss.diff() < 0).all())
    # To first order a step of rate r down a gradient g lowers the loss by r g^2.
    expected = 1e-3 * run.gradient[..., 0].square()
    assert_close(run.loss[..., 0] - run.loss[..., 1], expected, rtol=5e-2, atol=0.0)


@pytest.mark.parametrize("norm", NORMS)
def test_runs_side_by_side_do_not_see_each_other(norm: str) -> None:
    glm = draw(FAMILIES["softmax"])
    together = descend(glm, taught(glm), ["batch", norm], RATES, steps=4)
    alone = descend(glm, taught(glm), [norm], RATES[1:2], steps=4)
    for name in ("loss", "length", "gradient", "moved"):
        assert_close(getattr(together, name)[1, 1], getattr(alone, name)[0, 0])


def test_what_a_step_moves_is_the_divergence_between_its_ends() -> None:
    glm = draw(LINEAR)
    targets = taught(glm)
    run = descend(glm, targets, ["none"], [0.1], steps=1)
    residual = glm.natural("none") - targets
    gradient = (glm.gain * residual).T @ glm.x / len(glm.x)
    after = replace(glm, weight=glm.weight - 0.1 * gradient)
    assert_close(run.gradient.squeeze(), gradient.norm())
    moved = LINEAR.divergence(glm.natural("none"), after.natural("none")).mean()
    assert_close(run.moved.squeeze(), moved)


def test_targets_are_what_another_model_expects_for_the_same_data() -> None:
    glm = draw(FAMILIES["logistic"])
    targets = taught(glm)
    assert bool(((targets > 0) & (targets < 1)).all())
    assert torch.equal(targets, taught(glm, seed=1))
    assert not torch.equal(targets, taught(glm, seed=2))


def test_a_run_says_what_it_cannot_do() -> None:
    glm = draw(LINEAR)
    targets = taught(glm)
    with pytest.raises(ValueError, match=r"rates be finite numbers above 0; got .*\(0\.0,\)"):
        descend(glm, targets, ["layer"], [0.0])
    with pytest.raises(ValueError, match="norm must be one of"):
        descend(glm, targets, ["group"], [1.0])
    with pytest.raises(ValueError, match="steps must be 1 or more, got 0"):
        descend(glm, targets, ["layer"], [1.0], steps=0)
    with pytest.raises(ValueError, match=r"one column a unit, \(24, 3\); got shape \(24, 2\)"):
        descend(glm, targets[:, :2], ["layer"], [1.0])
    single = draw(LINEAR, units=1)
    with pytest.raises(ValueError, match="LayerNorm divides by a spread"):
        descend(single, taught(single), ["layer"], [1.0])
