import dataclasses
import inspect
import math

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lnviz.norms import (
    BATCH,
    LAYER,
    RMS,
    Norm,
    group_norm,
    normalize,
    one_pass_variance,
    reference,
)
from tests.drawing import drawn
from tests.norms.drawing import named


@pytest.mark.slow
@pytest.mark.parametrize("norm", [LAYER, BATCH, RMS, group_norm(2)], ids=named)
def test_gradients_flow_through_every_intermediate(norm: Norm) -> None:
    x = drawn(4, 6, dtype=torch.float64).requires_grad_()
    gain, bias = (drawn(6, seed=seed, dtype=torch.float64).requires_grad_() for seed in (1, 2))

    def intermediates(x: Tensor, gain: Tensor, bias: Tensor) -> tuple[Tensor, ...]:
        result = norm.apply(x, "ND", gain=gain, bias=bias)
        outputs = (result.mean, result.var, result.x_hat, result.y)
        return outputs if norm.center else outputs[1:]

    assert torch.autograd.gradcheck(intermediates, (x, gain, bias))
    assert torch.autograd.gradgradcheck(intermediates, (x, gain, bias))


# Torch's own import of its decompositions for forward mode warns.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("shape", [(3, 4, 6), (3, 32, 40)])
def test_torch_func_transforms_see_the_statistics_move(shape: tuple[int, ...]) -> None:
    x = drawn(*shape, dtype=torch.float64)
    ones = torch.ones_like(x)

    def statistics(x: Tensor) -> tuple[Tensor, Tensor]:
        result = normalize(x, -1)
        return result.mean, result.var

    _, (mean, var) = torch.func.jvp(statistics, (x,), (ones,))
    assert_close(mean, torch.ones_like(mean))
    assert_close(var, torch.zeros_like(var))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, ones)
        moved = torch.autograd.forward_ad.unpack_dual(normalize(dual, -1).mean).tangent
    assert_close(moved, torch.ones_like(mean))
    batched = torch.func.vmap(lambda grid: normalize(grid, -1).mean)
    assert_close(batched(x), x.mean(-1, keepdim=True))
    assert_close(torch.func.grad(lambda x: batched(x).sum())(x), ones / shape[-1])


def test_a_gain_and_bias_are_learned_where_the_values_are_not() -> None:
    x = drawn(64, 40)
    gain, bias = torch.ones(40, requires_grad=True), torch.zeros(40, requires_grad=True)
    result = normalize(x, -1, gain=gain, bias=bias)
    result.y.sum().backward()
    assert_close(gain.grad, result.x_hat.sum(0))
    assert_close(bias.grad, torch.full((40,), 64.0))


def test_a_swept_gain_enlarges_the_output_alone() -> None:
    x = drawn(4, 6)
    gains, biases = torch.linspace(-3, 3, 9), torch.linspace(-1, 1, 5)
    result = normalize(x, -1, gain=gains.view(9, 1, 1, 1), bias=biases.view(5, 1, 1))
    assert result.x_hat.shape == (4, 6)
    assert result.y.shape == (9, 5, 4, 6)
    assert_close(result.y[2, 3], result.x_hat * gains[2] + biases[3])
    assert_close(normalize(x, -1, gain=gains.view(9, 1, 1)).y[2], result.x_hat * gains[2])
    assert_close(normalize(x, -1, bias=biases.view(5, 1, 1)).y[3], result.x_hat + biases[3])


def test_without_gain_and_bias_the_output_is_the_standardized_tensor_itself() -> None:
    for x in (drawn(4, 6), drawn(4, 6, dtype=torch.float16), drawn(64, 64)):
        result = normalize(x, -1)
        assert result.y is result.x_hat


def test_half_precision_keeps_statistics_it_could_not_hold() -> None:
    x = torch.tensor([-300.0, 300.0], dtype=torch.float16)
    result = normalize(x, 0)
    assert_close(result.var, torch.tensor([90000.0]))
    assert result.y.tolist() == [-1, 1]


@pytest.mark.parametrize("norm", [LAYER, BATCH, RMS], ids=named)
@pytest.mark.parametrize("cells", [6, 200])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_stays_in_its_group(norm: Norm, cells: int, bad: float) -> None:
    x = drawn(cells, cells)
    spoiled = x.clone()
    spoiled[2, 3] = bad
    clean, result = norm.apply(x, "ND"), norm.apply(spoiled, "ND")
    groups = norm.groups(x.shape, "ND")
    own = groups == groups[2, 3]
    assert torch.equal(result.x_hat[~own], clean.x_hat[~own])
    assert torch.equal(result.var.expand_as(x)[~own], clean.var.expand_as(x)[~own])
    assert not result.var.expand_as(x)[own].isfinite().any()
    assert result.x_hat[2, 3].isnan()
    if norm.center:
        assert not result.mean.expand_as(x)[own].isfinite().any()


@pytest.mark.parametrize("norm", [LAYER, BATCH, RMS], ids=named)
def test_one_value_alone_is_standardized_to_zero_or_its_sign(norm: Norm) -> None:
    result = norm.apply(torch.tensor([[-3.0]]), "ND", gain=torch.tensor(2.0), bias=0.5)
    assert result.var.item() == (0 if norm.center else 9)
    assert_close(result.y.item(), 0.5 if norm.center else 0.5 - 2 * 3 / math.sqrt(9 + 1e-5))


def test_batchnorm_of_one_case_has_nothing_left_to_normalize() -> None:
    case = drawn(1, 2000)
    result = BATCH.apply(case, "ND")
    assert torch.equal(result.mean, case)
    assert not result.var.any()
    assert not result.y.any()


def test_the_one_pass_formula_loses_what_two_passes_keep() -> None:
    x = torch.tensor([1.0, 2.0, 3.0, 4.0]) + 1e4
    assert one_pass_variance(x, 0).item() == -8.0
    assert normalize(x, 0).var.item() == 1.25
    exact = x.double()
    assert_close(one_pass_variance(exact, 0), reference(exact, 0).var, rtol=1e-6, atol=0)


def test_normalize_and_reference_are_called_alike() -> None:
    assert inspect.signature(normalize) == inspect.signature(reference)


def test_results_and_norms_cannot_be_changed() -> None:
    result = normalize(torch.ones(3), 0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.y = torch.zeros(3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        LAYER.center = False
