from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.testing import assert_close

from lnviz.norms import BATCH, INSTANCE, LAYER, RMS, WEIGHT, Norm, Normalized, group_norm
from tests.drawing import drawn
from tests.norms.drawing import SEEDS, SIZES

DTYPES = st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.float64])

# For each norm of PyTorch: ours, the layout, and how to make the module for a shape.
MODULES: dict[str, tuple[Callable[[int], Norm], str, Callable[..., nn.Module]]] = {
    "LayerNorm of vectors": (lambda c: LAYER, "ND", lambda n, d: nn.LayerNorm(d)),
    "LayerNorm of sequences": (lambda c: LAYER, "NTD", lambda n, t, d: nn.LayerNorm(d)),
    "LayerNorm of images": (lambda c: LAYER, "NCHW", lambda n, c, h, w: nn.LayerNorm((c, h, w))),
    "BatchNorm1d": (lambda c: BATCH, "ND", lambda n, d: nn.BatchNorm1d(d)),
    "BatchNorm1d of sequences": (lambda c: BATCH, "NCL", lambda n, c, t: nn.BatchNorm1d(c)),
    "BatchNorm2d": (lambda c: BATCH, "NCHW", lambda n, c, h, w: nn.BatchNorm2d(c)),
    "GroupNorm, one group": (
        lambda c: group_norm(1),
        "NCHW",
        lambda n, c, h, w: nn.GroupNorm(1, c),
    ),
    "GroupNorm, halves": (
        lambda c: group_norm(c // 2),
        "NCHW",
        lambda n, c, h, w: nn.GroupNorm(c // 2, c),
    ),
    "GroupNorm of vectors": (lambda c: group_norm(2), "ND", lambda n, d: nn.GroupNorm(2, d)),
    "InstanceNorm2d": (
        lambda c: INSTANCE,
        "NCHW",
        lambda n, c, h, w: nn.InstanceNorm2d(c, affine=True),
    ),
    "RMSNorm of vectors": (lambda c: RMS, "ND", lambda n, d: nn.RMSNorm(d, eps=1e-5)),
    "RMSNorm of sequences": (lambda c: RMS, "NTD", lambda n, t, d: nn.RMSNorm(d, eps=1e-5)),
}


def shape_of(layout: str, sizes: list[int]) -> tuple[int, ...]:
    """Sizes by axis; two cases and two places or more, as PyTorch's modules want them to train."""
    even = [
        2 * size if axis in "CD" else size + 1 for axis, size in zip(layout, sizes, strict=False)
    ]
    return tuple(even)


def with_module(
    name: str, sizes: list[int], seed: int, dtype: torch.dtype
) -> tuple[Norm, str, nn.Module, Tensor, Tensor, Tensor | None]:
    """A norm of ours, PyTorch's module with random gain and bias, both shaped for x, and x."""
    norm_for, layout, make = MODULES[name]
    shape = shape_of(layout, sizes)
    features = next(size for axis, size in zip(layout, shape, strict=True) if axis in "CD")
    module = make(*shape).to(dtype)
    shaped: list[Tensor] = []
    with torch.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter.copy_(1 + drawn(*parameter.shape, seed=seed + 2 + i))
            value = parameter.detach().clone()
            per_channel = "C" in layout and value.dim() == 1
            shaped.append(value.view(-1, *[1] * (len(shape) - 2)) if per_channel else value)
    gain, bias = (*shaped, None)[:2]
    return norm_for(features), layout, module, drawn(*shape, seed=seed, dtype=dtype), gain, bias


def assert_rounded(ours: Normalized, exact: Tensor, x: Tensor, gain: Tensor) -> None:
    """Assert an output as exact as the dtype computed in allows, rounded once to that of x."""
    assert ours.x_hat.dtype == ours.y.dtype == x.dtype
    amplified = x.abs().max() * gain.abs().max() / (ours.var.min() + 1e-5).sqrt()
    atol = 8 * torch.finfo(ours.var.dtype).eps * (1 + amplified.item())
    assert_close(ours.y.double(), exact, rtol=torch.finfo(x.dtype).eps, atol=atol)


@pytest.mark.parametrize("name", MODULES)
@given(sizes=st.lists(SIZES, min_size=4, max_size=4), seed=SEEDS, dtype=DTYPES)
@settings(max_examples=25)
def test_outputs_are_those_of_pytorchs_module(
    name: str, sizes: list[int], seed: int, dtype: torch.dtype
) -> None:
    norm, layout, module, x, gain, bias = with_module(name, sizes, seed, dtype)
    ours = norm.apply(x, layout, gain=gain, bias=bias)
    assert_rounded(ours, module.double()(x.double()).detach(), x, gain)


@pytest.mark.parametrize("name", MODULES)
def test_float32_outputs_are_those_of_pytorchs_float32_module(name: str) -> None:
    norm, layout, module, x, gain, bias = with_module(name, [7, 5, 6, 8], 0, torch.float32)
    assert_close(norm.apply(x, layout, gain=gain, bias=bias).y, module(x).detach())


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
@given(sizes=st.lists(SIZES, min_size=4, max_size=4), seed=SEEDS)
@settings(max_examples=25)
def test_gradients_are_those_of_pytorchs_module(name: str, sizes: list[int], seed: int) -> None:
    norm, layout, module, x, gain, bias = with_module(name, sizes, seed, torch.float64)
    upstream = drawn(*x.shape, seed=seed + 1, dtype=torch.float64)
    leaves = [x, gain] if bias is None else [x, gain, bias]
    for leaf in leaves:
        leaf.requires_grad_()
    parameters = list(module.parameters())
    theirs = torch.autograd.grad(module(x), [x, *parameters], upstream)
    ours = torch.autograd.grad(norm.apply(x, layout, gain=gain, bias=bias).y, leaves, upstream)
    for our, their in zip(ours, theirs, strict=True):
        assert_close(our, their.view_as(our))


@given(sizes=st.lists(SIZES, min_size=4, max_size=4), seed=SEEDS, dtype=DTYPES)
@settings(max_examples=25)
@pytest.mark.parametrize("name", ["BatchNorm1d", "BatchNorm2d"])
def test_given_statistics_make_batchnorm_at_inference(
    name: str, sizes: list[int], seed: int, dtype: torch.dtype
) -> None:
    norm, layout, module, x, gain, bias = with_module(name, sizes, seed, dtype)
    for _ in range(2):
        module(drawn(*x.shape, seed=seed + 7, dtype=dtype) * 3 + 1)
    module.eval()
    mean, var = (s.view_as(gain) for s in (module.running_mean, module.running_var))
    ours = norm.apply(x, layout, gain=gain, bias=bias, mean=mean, var=var)
    assert_rounded(ours, module.double()(x.double()).detach(), x, gain)
    assert torch.equal(ours.var, var.to(ours.var.dtype)[None])


def test_pytorchs_running_variance_is_ours_made_unbiased() -> None:
    x = drawn(5, 3)
    module = nn.BatchNorm1d(3, momentum=1.0)
    module(x)
    ours = BATCH.apply(x, "ND")
    assert_close(module.running_mean, ours.mean[0])
    assert_close(module.running_var, ours.var[0] * 5 / 4)


@given(n=SIZES, d=SIZES, k=SIZES, seed=SEEDS)
def test_weightnorm_is_pytorchs_reparametrized_layer(n: int, d: int, k: int, seed: int) -> None:
    x, w = (
        drawn(n, k, seed=seed, dtype=torch.float64),
        drawn(d, k, seed=seed + 1, dtype=torch.float64),
    )
    gain, bias = (
        drawn(d, seed=seed + 2, dtype=torch.float64),
        drawn(d, seed=seed + 3, dtype=torch.float64),
    )
    layer = nn.Linear(k, d, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(w)
        layer.bias.copy_(bias)
    nn.utils.parametrizations.weight_norm(layer)
    with torch.no_grad():
        layer.parametrizations.weight.original0.copy_(gain[:, None])
    ours = WEIGHT.apply(x @ w.T, "ND", gain=gain, bias=bias, weight=w, eps=0.0)
    assert_close(ours.y, layer(x).detach())
    assert torch.equal(ours.mean, torch.zeros(1, d, dtype=torch.float64))
