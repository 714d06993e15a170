"""The same numbers through PyTorch's own module, for readers who want to check."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lnviz.norms import normalize


@dataclass(frozen=True)
class PyTorchDifferences:
    """Largest absolute differences between outputs and those of `nn.LayerNorm`.

    Attributes:
        biased: Differences with the variance divided by D, as the paper and PyTorch define it.
        unbiased: Differences with the variance divided by D - 1, as `torch.var` does by default.
    """

    biased: float
    unbiased: float


def compare_with_layer_norm(
    x: Float[Tensor, "N D"], *, gain: float = 1.0, bias: float = 0.0, eps: float = 1e-5
) -> PyTorchDifferences:
    """Run `nn.LayerNorm` beside `normalize`, and beside the formula with the other variance.

    Args:
        x: N cases of D units, D at least 2.
        gain: One gain for all units.
        bias: One bias for all units.
        eps: Added to the variance.

    Returns:
        The largest difference of an output, for either variance.

    Source: equation 3 of Ba, Kiros and Hinton 2016; the documentation of `torch.nn.LayerNorm`.

    >>> against_layer_norm(torch.tensor([[1.0, 2.0, 3.0, 4.0]])).biased < 1e-6
    True
    """
    width = x.shape[-1]
    module = nn.LayerNorm(width, eps=eps).to(x)
    nn.init.constant_(module.weight, gain)
    nn.init.constant_(module.bias, bias)
    with torch.no_grad():
        theirs = module(x)
    ours = normalize(x, -1, gain=gain, bias=bias, eps=eps)
    wider = gain * (x - ours.mean) / (x.var(-1, correction=1, keepdim=True) + eps).sqrt() + bias
    return PyTorchDifferences(
        biased=float((ours.y - theirs).abs().max()),
        unbiased=float((wider - theirs).abs().max()),
    )
