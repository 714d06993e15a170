"""Faster ways to the numbers of `norms.reference`, where no derivative is asked for."""

import math

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd import forward_ad

# Up to here the written-out steps cost less than the checks behind a fused kernel.
SMALL = 1024
# vector_norm adds squares in eight running sums, which lose digits when they grow long.
LONGEST_ROW, SHORTEST_PIECE = 2048, 64

Triple = tuple[Float[Tensor, "*#shape"], Float[Tensor, "*#shape"], Float[Tensor, "*#shape"]]


def is_followed(values: Float[Tensor, "..."]) -> bool:
    """Say whether autograd or a torch.func transform follows the values.

    LayerNorm's kernel differentiates its output alone: the mean and rstd it returns count as
    constants, without an error.
    """
    return (
        (values.requires_grad and torch.is_grad_enabled())
        or torch._C._functorch.is_functorch_wrapped_tensor(values)
        or forward_ad.unpack_dual(values).tangent is not None
    )


def standardize(
    x: Float[Tensor, "*#shape"], dims: tuple[int, ...], center: bool, eps: float
) -> Triple:
    """Return mean, variance and standardized values.

    Args:
        x: float32 or float64.
        dims: the dimensions that share statistics, counted from 0, rising.
        center: False leaves the mean in.
        eps: added to the variance.

    Returns:
        Mean and variance with shared dimensions of size 1, and x standardized.
    """
    if not center:
        var = mean_square(x, dims)
        return torch.zeros_like(var), var, x / (var + eps).sqrt_()
    if x.numel() > SMALL and dims[0] == x.dim() - len(dims):
        return _fused(x, dims, eps)
    return _two_pass(x, dims, eps)


def _fused(x: Tensor, dims: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Standardize over trailing dimensions in one pass of LayerNorm's kernel."""
    shape = x.shape[dims[0] :]
    # The CPU kernel is vectorized only where it finds a gain and a bias.
    x_hat, mean, rstd = torch.native_layer_norm(
        x, shape, x.new_ones(shape), x.new_zeros(shape), eps
    )
    if not x.is_cpu:
        # Looking at the values, as below, would make the CPU wait for the device.
        return mean, x.var(dims, correction=0, keepdim=True), x_hat
    var = rstd.pow(-2).sub_(eps)
    # 1 / rstd^2 - eps loses its digits where eps outweighs the variance, and the kernel's running
    # mean loses its own where the mean outweighs the deviations. NaN compares as not sure.
    sure = torch.addcmul(var, mean, mean, value=-1e-4) > eps
    if not sure.all():
        unsure = ~sure.flatten()
        exact = _two_pass(x.reshape(len(unsure), -1)[unsure], (1,), eps)
        for fused, repaired in zip((mean, var, x_hat), exact, strict=True):
            fused.view(len(unsure), -1)[unsure] = repaired
    return mean, var, x_hat


def _two_pass(x: Tensor, dims: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor, Tensor]:
    if x.is_cpu and x.numel() > SMALL and dims[-1] == len(dims) - 1:
        kept = x.shape[len(dims) :]
        # BatchNorm's kernel: two passes down the columns, summed in float64.
        columns = torch.batch_norm_update_stats(x.reshape(-1, kept.numel()), None, None, 0.0)
        mean, var = (statistic.view(*[1] * len(dims), *kept) for statistic in columns)
        centered = x - mean
    else:
        mean = x.mean(dims, keepdim=True)
        centered = x - mean
        var = mean_square(centered, dims)
    return mean, var, centered.div_((var + eps).sqrt_())


def mean_square(x: Float[Tensor, "..."], dims: tuple[int, ...]) -> Float[Tensor, "..."]:
    """Return the mean square, without storing the squares where the last dimensions are shared.

    >>> mean_square(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), (1,))
    tensor([[12.5000],
            [50.0000]])
    """
    trailing = 0
    while trailing < len(dims) and dims[-1 - trailing] == x.dim() - 1 - trailing:
        trailing += 1
    row = x.shape[x.dim() - trailing :].numel()
    piece = row if row <= LONGEST_ROW else math.gcd(row, LONGEST_ROW)
    if not trailing or piece < min(row, SHORTEST_PIECE):
        return x.square().mean(dims, keepdim=True)
    pieces = x.reshape(*x.shape[: x.dim() - trailing], row // piece, piece)
    lengths: Tensor = torch.linalg.vector_norm(pieces, dim=-1)
    squares = lengths.square_().sum((*dims[: len(dims) - trailing], -1), keepdim=True)
    count = math.prod(x.shape[d] for d in dims)
    return squares.div_(count).view(*squares.shape[:-1], *[1] * trailing)
