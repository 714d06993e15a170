"""Faster ways to the numbers of `norms.reference`, where no derivative is asked for."""

import math

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd import forward_ad

# Up to here the written-out steps cost less than the checks behind a fused kernel.
SMALL = 512
# LayerNorm's kernel gives every row to one thread.
FEW_ROWS = 8
# From here on a temporary tensor no longer stays in the cache.
LARGE = 2**17
# vector_norm adds squares in a few running sums, BatchNorm's kernel in one: they lose digits as
# they grow long, so long ones are cut in pieces.
LONGEST_ROW, LONGEST_COLUMN, SHORTEST_PIECE = 2048, 256, 32

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
    row = x.shape[dims[0] :].numel()
    if dims[0] == x.dim() - len(dims) and x.numel() > SMALL and x.numel() >= FEW_ROWS * row:
        return _fused(x, dims, eps)
    mean, var, centered = _two_pass(x, dims)
    return mean, var, centered.div_((var + eps).sqrt_())


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
    # mean loses its own where the mean outweighs the deviations a hundredfold. NaN is never sure.
    surety = torch.addcmul(var, mean, mean, value=-1e-4)
    if not surety.amin().item() > eps:
        unsure = ~(surety > eps).flatten()
        exact_mean, exact_var, centered = _two_pass(x.reshape(len(unsure), -1)[unsure], (1,))
        mean.view(-1, 1)[unsure] = exact_mean
        var.view(-1, 1)[unsure] = exact_var
        x_hat.view(len(unsure), -1)[unsure] = centered.div_((exact_var + eps).sqrt_())
    return mean, var, x_hat


def _two_pass(x: Tensor, dims: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """Return mean, variance, and the values less their mean."""
    if 0 < x.numel() <= SMALL:
        var, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
        return mean, var, x - mean
    mean = x.mean(dims, keepdim=True)
    centered = x - mean
    return mean, mean_square(centered, dims), centered


def mean_square(x: Float[Tensor, "..."], dims: tuple[int, ...]) -> Float[Tensor, "..."]:
    """Return the mean square, where memory allows without storing the squares.

    >>> mean_square(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), (1,))
    tensor([[12.5000],
            [50.0000]])
    """
    if x.is_contiguous() and x.numel() > SMALL:
        trailing = 0
        while trailing < len(dims) and dims[-1 - trailing] == x.dim() - 1 - trailing:
            trailing += 1
        if trailing:
            piece = _piece(x.shape[x.dim() - trailing :].numel(), LONGEST_ROW)
            if piece:
                return _mean_square_of_rows(x, dims, trailing, piece)
        elif x.is_cpu and x.numel() > LARGE and dims[-1] == len(dims) - 1:
            piece = _piece(x.shape[: len(dims)].numel(), LONGEST_COLUMN)
            if piece:
                return _mean_square_of_columns(x, len(dims), piece)
    return x.square().mean(dims, keepdim=True)


def _piece(length: int, longest: int) -> int:
    """Return into pieces of what length to cut a sum, 0 where no even cut is worth it."""
    piece = length if length <= longest else math.gcd(length, longest)
    return piece if piece >= min(length, SHORTEST_PIECE) else 0


def _mean_square_of_rows(x: Tensor, dims: tuple[int, ...], trailing: int, piece: int) -> Tensor:
    kept = x.shape[: x.dim() - trailing]
    pieces = x.view(*kept, *[1] * (trailing - 1), -1, piece)
    lengths: Tensor = torch.linalg.vector_norm(pieces, dim=-1)
    squares = lengths.square_().sum((*dims[: len(dims) - trailing], -1), keepdim=True)
    return squares.div_(math.prod(x.shape[d] for d in dims))


def _mean_square_of_columns(x: Tensor, leading: int, piece: int) -> Tensor:
    # BatchNorm's statistics are those about the mean, which is put back.
    mean, var = torch.batch_norm_update_stats(x.view(piece, -1), None, None, 0.0)
    squares = var.addcmul_(mean, mean)
    return squares.view(-1, *[1] * (leading - 1), *x.shape[leading:]).mean(0, keepdim=True)
