"""Functions that replace the norms of a published model without retraining it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.pretrained.model import NormRecord, Trace, sigma
from lnviz.pretrained.norm_swapping import Swap
from lnviz.topics.transformer import NormLayer

ALPHA_CANDIDATES = 128
"""Number of factors that the fit of tanh tries."""


def apply_affine(norm: NormLayer, x_hat: Tensor) -> Tensor:
    """Multiply normalized values by a norm's gain, and add its bias if it has one.

    Args:
        norm: the norm.
        x_hat: normalized values.
    """
    y = x_hat * gain_of(norm)
    return y if norm.bias is None else y + norm.bias


def gain_of(norm: NormLayer) -> Float[Tensor, " D"]:
    """Return the gain vector of a published model's norm.

    Args:
        norm: the norm.
    """
    assert norm.weight is not None
    return norm.weight


def toggle_centering(_: str, norm: NormLayer, x: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
    """Normalize without centering if the norm centers, and with centering if it does not.

    The divisor changes accordingly: LayerNorm becomes RMSNorm, and vice versa.
    """
    centered = x if norm.norm.center else x - x.mean(-1, keepdim=True)
    root = (centered.square().mean(-1, keepdim=True) + norm.eps).sqrt()
    return apply_affine(norm, centered / root)


def average_gain(_: str, norm: NormLayer, x: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
    """Apply the norm with all its gains replaced by their mean."""
    y = (x - x.mean(-1, keepdim=True) if norm.norm.center else x) / sigma(norm, x)
    y = y * gain_of(norm).mean()
    return y if norm.bias is None else y + norm.bias


@dataclass(frozen=True)
class FrozenSigma:
    """Norm replacement that divides by one constant per norm instead of each token's own sigma.

    Attributes:
        sigmas: the average sigma, by the norm's name.
    """

    sigmas: Mapping[str, float]

    def __call__(self, name: str, norm: NormLayer, x: Tensor) -> Tensor:
        """Center if the norm centers, divide by the norm's constant, and apply gain and bias."""
        centered = x - x.mean(-1, keepdim=True) if norm.norm.center else x
        return apply_affine(norm, centered / self.sigmas[name])


@dataclass(frozen=True)
class FittedTanh:
    r"""Norm replacement by DyT, $\gamma\, a \tanh(\alpha x) + \beta$: elementwise, no statistics.

    Gain and bias are those of the replaced norm. In training, DyT would learn α and γ; here, α and
    a factor a of the gains are fitted afterwards.

    Attributes:
        fits: α and a by the norm's name.

    Source: Zhu, Chen, He, LeCun and Liu 2025 (arXiv 2503.10622).
    """

    fits: Mapping[str, tuple[float, float]]

    def __call__(self, name: str, norm: NormLayer, x: Tensor) -> Tensor:
        """Apply DyT with the constants that were fitted to this norm."""
        alpha, scale = self.fits[name]
        return apply_affine(norm, scale * torch.tanh(alpha * x))


@dataclass(frozen=True, eq=False)
class EpsilonPerCopy:
    """Norm replacement that uses a different epsilon for each of K copies of the input.

    Attributes:
        eps: K epsilons.
    """

    eps: Float[Tensor, " K"]

    def __call__(
        self, name: str, norm: NormLayer, x: Float[Tensor, "K T D"]
    ) -> Float[Tensor, "K T D"]:
        """Normalize each copy of the input with its own epsilon."""
        centered = x - x.mean(-1, keepdim=True) if norm.norm.center else x
        root = (centered.square().mean(-1, keepdim=True) + self.eps[:, None, None]).sqrt()
        return apply_affine(norm, centered / root)


@dataclass(frozen=True)
class SwapPerCopy:
    """Norm replacement that applies a different replacement to each of K copies of the input.

    Attributes:
        swaps: K replacements.
    """

    swaps: Sequence[Swap]

    def __call__(
        self, name: str, norm: NormLayer, x: Float[Tensor, "K T D"]
    ) -> Float[Tensor, "K T D"]:
        """Apply the k-th replacement to the k-th copy of the input."""
        return torch.stack(
            [swap(name, norm, version) for swap, version in zip(self.swaps, x, strict=True)]
        )


def freeze_sigma(trace: Trace) -> FrozenSigma:
    """Return a norm replacement that divides by each norm's average sigma over a text.

    Args:
        trace: the trace of the text.
    """
    return FrozenSigma({name: float(record.sigma.mean()) for name, record in trace.norms.items()})


def fit_tanh(trace: Trace, norms: Mapping[str, NormLayer]) -> FittedTanh:
    """Fit DyT to the inputs and outputs of each norm, and return it as a replacement.

    Args:
        trace: the trace of a text.
        norms: the model's norms.
    """
    return FittedTanh(
        {name: _fit_alpha_and_scale(record, norms[name]) for name, record in trace.norms.items()}
    )


def _fit_alpha_and_scale(record: NormRecord, norm: NormLayer) -> tuple[float, float]:
    r"""Return the α and a for which $a \tanh(\alpha x)$ best fits the normalized values $\hat x$.

    For a given α, the best a is $\langle \tanh, \hat x\rangle / \langle \tanh, \tanh\rangle$. About
    a hundred values of α are tried, in the range where tanh is neither linear nor a step.
    """
    x = record.x.flatten()
    mean = record.mean[:, None] if norm.norm.center else 0.0
    x_hat = ((record.x - mean) / record.sigma[:, None]).flatten()
    low, high = 0.01 / float(record.sigma.max()), 10 / float(record.sigma.min())
    alphas = torch.logspace(math.log10(low), math.log10(high), ALPHA_CANDIDATES).to(x)
    parts = torch.tanh(alphas[:, None] * x)  # alphas,T D
    with_hat, with_self = parts @ x_hat, parts.square().sum(-1)
    best = (with_hat.square() / with_self).argmax()  # the sum of squares that a fit explains
    return float(alphas[best]), float(with_hat[best] / with_self[best])
