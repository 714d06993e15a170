"""LayerNorm computed by PyTorch's fused kernel, and the conditions for its use."""

from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd import forward_ad

# vector_norm adds squares in a few running sums, which lose digits as they grow long.
MAX_ROW_LENGTH = 4096
# Below it a variance of 0 would come out as 0 / 0.
MIN_EPS = 1e-30

Statistics = tuple[Float[Tensor, "*#shape"], Float[Tensor, "*#shape"], Float[Tensor, "*#shape"]]


def requires_derivatives(values: Float[Tensor, "..."]) -> bool:
    """Return whether autograd or a torch.func transform tracks a tensor.

    If so, LayerNorm's kernel cannot be used: it differentiates only its output, and silently treats
    the returned mean and rstd as constants.
    """
    return (
        (values.requires_grad and torch.is_grad_enabled())
        or torch._C._functorch.is_functorch_wrapped_tensor(values)
        or forward_ad.unpack_dual(values).tangent is not None
    )


def is_fusable(x: Float[Tensor, "..."], dims: tuple[int, ...], eps: float) -> bool:
    """Return whether PyTorch's LayerNorm kernel can be used with full precision for `x`."""
    return (
        eps >= MIN_EPS
        and dims[0] == x.dim() - len(dims)
        and x.shape[dims[0] :].numel() <= MAX_ROW_LENGTH
        and not requires_derivatives(x)
    )


def fused(x: Float[Tensor, "*#shape"], dims: tuple[int, ...], eps: float) -> Statistics:
    r"""Compute mean, variance and normalized values with PyTorch's LayerNorm kernel.

    The variance is computed as $\frac1n \sum \hat x^2 / \text{rstd}^2$, since
    $1 / \text{rstd}^2 - \epsilon$ would be imprecise if epsilon is much larger than the variance.
    """
    shape = x.shape[dims[0] :]
    gain, bias, count = _constants(shape, x.dtype, x.device)
    x_hat, mean, rstd = torch.native_layer_norm(x, shape, gain, bias, eps)
    length: Tensor = torch.linalg.vector_norm(x_hat, dim=dims, keepdim=True)
    return mean, length.div_(rstd).square_().div_(count), x_hat


@lru_cache(64)
def _constants(
    shape: torch.Size, dtype: torch.dtype, device: torch.device
) -> tuple[Float[Tensor, "*shape"], Float[Tensor, "*shape"], Float[Tensor, ""]]:
    """Return the kernel's constant arguments (a gain of 1, a bias of 0), and the group size n.

    They are cached, since creating them takes a quarter of the time of a call at 64 x 256.
    """
    gain = torch.ones(shape, dtype=dtype, device=device)
    return gain, torch.zeros_like(gain), gain.sum()
