"""Backward pass of norms, with and without the derivatives of mean and variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import ADA, LAYER

EPS = 1e-5


@dataclass(frozen=True)
class BackwardVariant:
    """Variant of a norm, such as LayerNorm with the mean or variance detached from autograd.

    Attributes:
        key: short name, for URLs.
        label: printed name.
        normalizes: whether there is a norm at all.
        mean: whether gradients flow through the mean.
        variance: whether gradients flow through the variance.
        affine: whether it has a gain and a bias.
        adaptive: whether it has AdaNorm's factor.
    """

    key: str
    label: str
    normalizes: bool = True
    mean: bool = True
    variance: bool = True
    affine: bool = False
    adaptive: bool = False

    def forward(
        self,
        x: Float[Tensor, "*N D"],
        gain: Float[Tensor, " D"],
    ) -> Float[Tensor, "*N D"]:
        """Normalize x as this variant does; `gain` is used only by variants that have a gain."""
        if not self.normalizes:
            return x
        if self.affine:
            return LAYER.apply(x, "ND", gain=gain, bias=0.0, eps=EPS).y
        if self.adaptive:
            return ADA.apply(x, "ND", eps=EPS).y
        mean = x.mean(-1, keepdim=True)
        var = (x - mean).square().mean(-1, keepdim=True)
        mean = mean if self.mean else mean.detach()
        var = var if self.variance else var.detach()
        return (x - mean) / (var + EPS).sqrt()


VARIANTS: Mapping[str, BackwardVariant] = MappingProxyType(
    {
        variant.key: variant
        for variant in (
            BackwardVariant("none", "no norm", normalizes=False),
            BackwardVariant("both", "DetachNorm", mean=False, variance=False),
            BackwardVariant("mean", "mean detached", mean=False),
            BackwardVariant("variance", "variance detached", variance=False),
            BackwardVariant("simple", "LayerNorm-simple"),
            BackwardVariant("layer", "LayerNorm", affine=True),
            BackwardVariant("ada", "AdaNorm", adaptive=True),
        )
    }
)
"""The variants by key. Source: Xu, Sun, Zhang, Zhao and Lin 2019 (arXiv 1911.07013)."""


@dataclass(frozen=True, eq=False)
class Backward:
    r"""Gradients with respect to a norm's output and, for each variant of the norm, its input.

    Attributes:
        x: the norm's input.
        x_hat: the normalized input.
        sigma: standard deviation of the input, epsilon included.
        gain: the gain of the variants that have one; their bias is 0.
        arriving: gradient of the loss with respect to the norm's output.
        gradients: gradients of the loss with respect to x, by the key of the variant.
    """

    x: Float[Tensor, " D"]
    x_hat: Float[Tensor, " D"]
    sigma: Float[Tensor, ""]
    gain: Float[Tensor, " D"]
    arriving: Float[Tensor, "*N D"]
    gradients: Mapping[str, Float[Tensor, "*N D"]]

    def mean(self, variant: str) -> Float[Tensor, "*N"]:
        """Return the mean of a variant's gradient over the features."""
        return self.gradients[variant].mean(-1)

    def parallel(self, variant: str) -> Float[Tensor, "*N"]:
        r"""Return the projection of a gradient on $\hat x$: $\frac1D \sum_i \hat x_i \nabla_i$."""
        return (self.gradients[variant] * self.x_hat).mean(-1)

    def size(self, variant: str) -> Float[Tensor, "*N"]:
        """Return the RMS of a variant's gradient."""
        return self.gradients[variant].square().mean(-1).sqrt()


def backward(
    x: Float[Tensor, " D"],
    equal: Float[Tensor, " E"],
    parallel: Float[Tensor, " P"],
    *,
    seed: int = 0,
) -> Backward:
    r"""Compute the gradient with respect to the input for every variant of a norm, by autograd.

    The gradient with respect to the output is the sum of three orthogonal components: one that is
    the same for all units, one along $\hat x$, and a random remainder.

    $$g = e\,\mathbf{1} + p\,\hat x + r, \quad \mathbf{1}^\top \hat x = \mathbf{1}^\top r =
    \hat x^\top r = 0$$

    LayerNorm without gain and bias removes the first two components:

    $$\nabla_x = \frac1\sigma \Big(g - \frac1D \mathbf{1}\mathbf{1}^\top g
    - \frac1D \hat x \hat x^\top g\Big)$$

    up to epsilon. Gains are drawn from a distribution around 1.

    Args:
        x: the vector.
        equal: values of e.
        parallel: values of p.
        seed: seed of the rest and the gain.

    Returns:
        The gradients; the first axis is e, the second p.

    Source: Xu, Sun, Zhang, Zhao and Lin 2019 (arXiv 1911.07013), who call the two effects
        re-centering and re-scaling.

    >>> back = backward(torch.tensor([1.0, 2.0, 4.0]), torch.ones(2), torch.ones(5))
    >>> back.gradients["simple"].shape
    torch.Size([2, 5, 3])
    """
    drawn = torch.Generator().manual_seed(seed)
    rest, around = (torch.randn(len(x), generator=drawn).to(x) for _ in range(2))
    gain = 1 + around / 3
    sigma = (x.var(correction=0) + EPS).sqrt()
    x_hat = (x - x.mean()) / sigma
    rest = rest - rest.mean()
    rest = rest - x_hat * (rest * x_hat).sum() / x_hat.square().sum()
    rest = rest / rest.square().mean().sqrt()
    arriving = equal[:, None, None] + parallel[:, None] * x_hat + rest  # E,P,D
    gradients = {}
    for key, variant in VARIANTS.items():
        copies = x.expand(arriving.shape).clone().requires_grad_()
        y = variant.forward(copies, gain)
        (gradients[key],) = torch.autograd.grad(y, copies, arriving)
    return Backward(x, x_hat, sigma, gain, arriving, gradients)
