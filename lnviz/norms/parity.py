"""Comparison of `normalize` with PyTorch's `nn.LayerNorm`."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lnviz.norms import normalize


@dataclass(frozen=True)
class PyTorchDifferences:
    """Maximum differences from `nn.LayerNorm`, with biased and with unbiased variance.

    Attributes:
        biased: maximum difference with the variance divided by D, as in the paper and in PyTorch.
        unbiased: maximum difference with the variance divided by D - 1, the default of `torch.var`.
    """

    biased: float
    unbiased: float


def compare_with_layer_norm(
    x: Float[Tensor, "N D"], *, gain: float = 1.0, bias: float = 0.0, eps: float = 1e-5
) -> PyTorchDifferences:
    """Compare `nn.LayerNorm` with `normalize`, and with a LayerNorm with the unbiased variance.

    Args:
        x: N examples of D features, D at least 2.
        gain: a single gain for all features.
        bias: a single bias for all features.
        eps: added to the variance.

    Returns:
        The maximum difference of the outputs, for each of the two variances.

    Source: equation 3 of Ba, Kiros and Hinton 2016; the documentation of `torch.nn.LayerNorm`.

    >>> compare_with_layer_norm(torch.tensor([[1.0, 2.0, 3.0, 4.0]])).biased < 1e-6
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
