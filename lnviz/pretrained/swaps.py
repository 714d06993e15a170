"""What can stand in for a norm of a published model, without training it again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.pretrained.model import NormRecord, Trace, sigma
from lnviz.pretrained.swapping import Swap
from lnviz.topics.transformer import NormLayer

ALPHAS = 128
"""Factors that a fit of tanh tries."""


def affine(norm: NormLayer, x_hat: Tensor) -> Tensor:
    """Return values behind a norm's gain, and bias if it has one.

    Args:
        norm: the norm whose gain and bias are taken.
        x_hat: normalized values.
    """
    y = x_hat * gain(norm)
    return y if norm.bias is None else y + norm.bias


def gain(norm: NormLayer) -> Float[Tensor, " D"]:
    """Return a norm's gain; every published norm here has one.

    Args:
        norm: the norm whose gain it is.
    """
    assert norm.weight is not None
    return norm.weight


def centering(_: str, norm: NormLayer, x: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
    """Subtract the mean where the norm does not, and do not where it does.

    The divisor goes along: of LayerNorm without its centering RMSNorm is left.
    """
    centered = x if norm.norm.center else x - x.mean(-1, keepdim=True)
    root = (centered.square().mean(-1, keepdim=True) + norm.eps).sqrt()
    return affine(norm, centered / root)


def one_gain(_: str, norm: NormLayer, x: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
    """Give every component the mean of the gains."""
    y = (x - x.mean(-1, keepdim=True) if norm.norm.center else x) / sigma(norm, x)
    y = y * gain(norm).mean()
    return y if norm.bias is None else y + norm.bias


@dataclass(frozen=True)
class Frozen:
    """Divide by one number, the same for all tokens.

    Attributes:
        sigmas: the average sigma, by the norm's name.
    """

    sigmas: Mapping[str, float]

    def __call__(self, name: str, norm: NormLayer, x: Tensor) -> Tensor:
        """Return what comes out."""
        centered = x - x.mean(-1, keepdim=True) if norm.norm.center else x
        return affine(norm, centered / self.sigmas[name])


@dataclass(frozen=True)
class Tanh:
    r"""DyT: $\gamma\, a \tanh(\alpha x) + \beta$, value by value, without statistics.

    Gain and bias are the norm's. DyT learns α and γ in training; here α and a factor a on the
    gains are fitted afterwards.

    Attributes:
        fits: α and a by the norm's name.

    Source: Zhu, Chen, He, LeCun and Liu 2025 (arXiv 2503.10622).
    """

    fits: Mapping[str, tuple[float, float]]

    def __call__(self, name: str, norm: NormLayer, x: Tensor) -> Tensor:
        """Return what comes out."""
        alpha, scale = self.fits[name]
        return affine(norm, scale * torch.tanh(alpha * x))


@dataclass(frozen=True, eq=False)
class Epsilons:
    """Add another epsilon to each of several versions.

    Attributes:
        eps: K of them.
    """

    eps: Float[Tensor, " K"]

    def __call__(
        self, name: str, norm: NormLayer, x: Float[Tensor, "K T D"]
    ) -> Float[Tensor, "K T D"]:
        """Return what comes out for each epsilon."""
        centered = x - x.mean(-1, keepdim=True) if norm.norm.center else x
        root = (centered.square().mean(-1, keepdim=True) + self.eps[:, None, None]).sqrt()
        return affine(norm, centered / root)


@dataclass(frozen=True)
class Each:
    """Several replacements side by side.

    Attributes:
        swaps: K of them.
    """

    swaps: Sequence[Swap]

    def __call__(
        self, name: str, norm: NormLayer, x: Float[Tensor, "K T D"]
    ) -> Float[Tensor, "K T D"]:
        """Return what comes out of each."""
        return torch.stack(
            [swap(name, norm, version) for swap, version in zip(self.swaps, x, strict=True)]
        )


def frozen(trace: Trace) -> Frozen:
    """Return norms that divide by their average sigma over a text.

    Args:
        trace: the trace of the text.
    """
    return Frozen({name: float(record.sigma.mean()) for name, record in trace.norms.items()})


def tanh(trace: Trace, norms: Mapping[str, NormLayer]) -> Tanh:
    """Return DyT fitted, norm by norm, to what goes into the norm and comes out of it.

    Args:
        trace: the trace of a text.
        norms: the model's.
    """
    return Tanh({name: _fit(record, norms[name]) for name, record in trace.norms.items()})


def _fit(record: NormRecord, norm: NormLayer) -> tuple[float, float]:
    r"""α and a for which $a \tanh(\alpha x)$ is closest to $\hat x$ in the mean square.

    For a given α the best a is $\langle \tanh, \hat x\rangle / \langle \tanh, \tanh\rangle$; of the
    αs, some hundred over the range in which tanh is neither a line nor a step are tried.
    """
    x = record.x.flatten()
    mean = record.mean[:, None] if norm.norm.center else 0.0
    x_hat = ((record.x - mean) / record.sigma[:, None]).flatten()
    low, high = 0.01 / float(record.sigma.max()), 10 / float(record.sigma.min())
    alphas = torch.logspace(math.log10(low), math.log10(high), ALPHAS).to(x)
    parts = torch.tanh(alphas[:, None] * x)  # alphas,T D
    with_hat, with_self = parts @ x_hat, parts.square().sum(-1)
    best = (with_hat.square() / with_self).argmax()  # what of x_hat's square a fit accounts for
    return float(alphas[best]), float(with_hat[best] / with_self[best])
