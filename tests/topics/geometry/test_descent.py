from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from lnviz.norms import BATCH, LAYER, NONE, RMS, WEIGHT, Norm
from lnviz.topics.geometry import FAMILIES, Family, Glm, descend, random_glm, teacher_targets
from lnviz.topics.geometry.descent import DIVERGED_LOSS

EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda f: f.key)
UNDER_A_NORM = pytest.mark.parametrize(
    "norm", [BATCH, WEIGHT, LAYER, RMS], ids=lambda norm: norm.key
)
EACH_NORM = pytest.mark.parametrize(
    "norm", [NONE, BATCH, WEIGHT, LAYER, RMS], ids=lambda norm: norm.key
)
LINEAR = FAMILIES["linear"]
RATES = [0.1, 1.0, 100.0]


@EACH_NORM
@EACH_FAMILY
def test_runs_go_as_pytorch_takes_each_alone(family: Family, norm: Norm) -> None:
    glm = random_glm(family)
    targets = teacher_targets(glm)
    run = descend(glm, targets, norm, [0.1, 0.5], steps=4)
    weight = glm.weight.clone().requires_grad_()
    stepping = torch.optim.SGD([weight], lr=0.5)
    for step in range(5):
        loss = family.loss(replace(glm, weight=weight).natural(norm), targets).mean()
        assert_close(run.loss[1, step], loss.detach())
        assert_close(run.length[1, step], weight.detach().norm())
        stepping.zero_grad()
        loss.backward()
        stepping.step()


@UNDER_A_NORM
@EACH_FAMILY
def test_steps_are_at_right_angles_to_the_weight_so_that_it_grows(
    family: Family, norm: Norm
) -> None:
    glm = random_glm(family)
    run = descend(glm, teacher_targets(glm), norm, RATES, steps=20)
    weight = glm.weight.clone().requires_grad_()
    family.loss(replace(glm, weight=weight).natural(norm), teacher_targets(glm)).mean().backward()
    step = torch.tensor(RATES).double() * weight.grad.norm()
    assert_close(run.length[:, 1].square(), run.length[:, 0].square() + step.square())
    assert bool((run.length.diff() >= 0).all())
    assert run.length[-1, -1] > 2 * run.length[-1, 0]


@pytest.mark.slow
@UNDER_A_NORM
@given(
    family=st.sampled_from(list(FAMILIES.values())),
    scale=st.floats(0.2, 5),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=12)
def test_a_longer_weight_with_a_rate_larger_by_the_square_is_the_same_run(
    norm: Norm, family: Family, scale: float, seed: int
) -> None:
    glm = random_glm(family, seed=seed)
    longer = replace(glm, weight=scale * glm.weight)
    targets = teacher_targets(glm)
    one = descend(glm, targets, norm, [0.2], steps=5)
    other = descend(longer, targets, norm, [0.2 * scale**2], steps=5)
    assert_close(other.loss, one.loss, rtol=1e-6, atol=1e-8)
    assert_close(other.length, scale * one.length, rtol=1e-6, atol=1e-8)


@pytest.mark.slow
@UNDER_A_NORM
def test_a_rate_far_too_high_lowers_itself(norm: Norm) -> None:
    glm = random_glm(LINEAR)
    run = descend(glm, teacher_targets(glm), norm, [10.0], steps=100)
    assert run.length[0, -1].square() > 10 * run.length[0, 0].square()
    assert run.loss[0, -1] < run.loss[0, 0]
    assert descend(glm, teacher_targets(glm), NONE, [10.0], steps=100).loss[0, -1] > DIVERGED_LOSS


def lengths(
    glm: Glm, norm: Norm, optimizer: Callable[[list[torch.Tensor]], torch.optim.Optimizer]
) -> torch.Tensor:
    """The weight length before and after each of 100 steps of PyTorch's optimizer."""
    weight, targets = glm.weight.clone().requires_grad_(), teacher_targets(glm)
    stepping = optimizer([weight])
    found = [weight.detach().norm()]
    for _ in range(100):
        stepping.zero_grad()
        glm.family.loss(replace(glm, weight=weight).natural(norm), targets).mean().backward()
        stepping.step()
        found.append(weight.detach().norm())
    return torch.stack(found)


@pytest.mark.slow
@UNDER_A_NORM
@pytest.mark.parametrize("seed", range(4))
def test_weight_decay_shortens_the_weights_at_every_step(norm: Norm, seed: int) -> None:
    glm = random_glm(FAMILIES["softmax"], seed=seed)
    plain, decayed = (
        lengths(glm, norm, partial(torch.optim.SGD, lr=1.0, weight_decay=decay))
        for decay in (0.0, 0.05)
    )
    assert (plain.diff() >= 0).all()
    stepped = plain[1].square() - plain[0].square()  # what the gradient alone adds
    assert_close(decayed[1].square(), (0.95 * plain[0]).square() + stepped)
    assert decayed.mean() < plain.mean()
    assert decayed[-1] < plain[-1]


@pytest.mark.slow
@UNDER_A_NORM
def test_adam_shortens_the_weights_in_some_steps(norm: Norm) -> None:
    for seed in (0, 1):
        glm = random_glm(FAMILIES["softmax"], cases=24, inputs=5, units=3, seed=seed)
        assert (lengths(glm, norm, partial(torch.optim.Adam, lr=0.01)).diff() < 0).sum() > 5


@pytest.mark.slow
def test_a_run_that_diverges_stays_finite() -> None:
    glm = random_glm(LINEAR)
    run = descend(glm, teacher_targets(glm), NONE, [0.01, 1e6], steps=300)
    for curve in (run.loss, run.length):
        assert bool(curve.isfinite().all())
    assert run.loss[0, -1] < run.loss[0, 0]  # its neighbor goes on


@pytest.mark.slow
@EACH_NORM
@EACH_FAMILY
def test_small_steps_go_down(family: Family, norm: Norm) -> None:
    glm = random_glm(family)
    run = descend(glm, teacher_targets(glm), norm, [1e-3], steps=20)
    assert bool((run.loss.diff() < 0).all())


def test_targets_are_what_another_model_expects_for_the_same_data() -> None:
    glm = random_glm(FAMILIES["logistic"])
    targets = teacher_targets(glm)
    assert bool(((targets > 0) & (targets < 1)).all())
    assert torch.equal(targets, teacher_targets(glm, seed=1))
    assert not torch.equal(targets, teacher_targets(glm, seed=2))


def test_a_run_says_what_it_cannot_do() -> None:
    glm = random_glm(LINEAR)
    targets = teacher_targets(glm)
    with pytest.raises(ValueError, match=r"rates must be finite numbers above 0, .*\(0\.0,\)"):
        descend(glm, targets, LAYER, [0.0])
    with pytest.raises(ValueError, match="steps must be 1 or more, got 0"):
        descend(glm, targets, LAYER, [1.0], steps=0)
    with pytest.raises(ValueError, match=r"one column a unit, \(24, 3\); got shape \(24, 2\)"):
        descend(glm, targets[:, :2], LAYER, [1.0])
    single = random_glm(LINEAR, units=1)
    with pytest.raises(ValueError, match="LayerNorm divides by a spread"):
        descend(single, teacher_targets(single), LAYER, [1.0])
