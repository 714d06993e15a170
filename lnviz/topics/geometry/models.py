"""A generalized linear model with a norm, in the notation of Ba et al. (2016)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import Norm
from lnviz.norms.degenerate import normalize_degenerate
from lnviz.topics.geometry.families import Family


@dataclass(frozen=True, eq=False)
class Glm:
    r"""A generalized linear model (one layer) together with its data.

    $$z_i = \frac{g_i}{\sigma_i} (a_i - \mu_i) + b_i, \quad a_i = w_i^\top x, \quad
    y \sim P(y; z)$$

    Source: Ba, Kiros and Hinton 2016, equation 5 and section 5.2. There is no epsilon, as in the
    paper.

    Attributes:
        family: the distribution of the outputs.
        x: the data over which expectations are taken, one row per example.
        weight: W, one row per unit.
        gain: g.
        bias: b.

    Raises:
        TypeError: a tensor is not float64; divergences near 0 would lose precision in float32.
        ValueError: shapes do not match, or a value is not finite.
    """

    family: Family
    x: Float[Tensor, "N I"]
    weight: Float[Tensor, "H _"]  # _ is I or H: a misfit gets a message of its own
    gain: Float[Tensor, " _"]
    bias: Float[Tensor, " _"]

    def __post_init__(self) -> None:
        parts = {"x": self.x, "weight": self.weight, "gain": self.gain, "bias": self.bias}
        for name, part in parts.items():
            if part.dtype != torch.float64:
                raise TypeError(
                    f"Divergences lie near 0 and need float64, got {name} of {part.dtype}. "
                    f"Convert it with {name}.double()."
                )
            if not part.numel() or not bool(part.isfinite().all()):
                raise ValueError(
                    f"{name} must hold finite numbers, at least one; got shape "
                    f"{tuple(part.shape)}"
                    + (" with NaN or infinity in it." if part.numel() else ".")
                )
        units, inputs = self.weight.shape
        if self.x.shape[-1] != inputs or {self.gain.shape, self.bias.shape} != {(units,)}:
            raise ValueError(
                f"weight of shape (units, inputs) = {(units, inputs)} needs x of shape "
                f"(cases, {inputs}), gain and bias of shape ({units},); got "
                f"{', '.join(str(tuple(parts[n].shape)) for n in ('x', 'gain', 'bias'))}."
            )

    @property
    def summed(self) -> Float[Tensor, "N H"]:
        """The pre-activations a of every example."""
        return self.x @ self.weight.T

    def natural(self, norm: Norm) -> Float[Tensor, "N H"]:
        """Return the natural parameters z of every example, with the pre-activations normalized."""
        return natural(norm, self.summed, self.weight, self.gain, self.bias)


def natural(
    norm: Norm,
    summed: Float[Tensor, "*shape"],
    weight: Float[Tensor, "*sweeps H I"],
    gain: Float[Tensor, " H"],
    bias: Float[Tensor, " H"],
) -> Float[Tensor, "*shape"]:
    r"""Normalize pre-activations and return the natural parameters $z = g \hat x + b$.

    Args:
        norm: the norm that maps a to $\hat x$.
        summed: pre-activations a, with examples and units as last dimensions.
        weight: W, used by WeightNorm only.
        gain: g.
        bias: b.

    >>> from lnviz.norms import LAYER
    >>> one = torch.ones(2)
    >>> natural(LAYER, torch.tensor([[1.0, 3.0]]), torch.ones(2, 1), 2 * one, one)
    tensor([[-1.,  3.]])
    """
    return torch.addcmul(bias, normalize_degenerate(norm, summed, "ND", weight=weight).x_hat, gain)


def random_glm(
    family: Family, *, cases: int = 24, inputs: int = 5, units: int = 3, seed: int = 0
) -> Glm:
    """Draw a random generalized linear model and its data.

    Each input is normal with its own mean, so that the norms differ. Weights are $N(0, 1/I)$, gains
    lie between 0.5 and 1.5, and biases are $N(0, 1/4)$.

    Args:
        family: the distribution of the outputs.
        cases: N.
        inputs: I.
        units: H; LayerNorm needs at least 2 to distinguish examples.
        seed: seed of the generator.

    Returns:
        The model, in float64 on the CPU.

    Raises:
        ValueError: a size is less than 1.

    >>> from lnviz.topics.geometry import FAMILIES
    >>> random_glm(FAMILIES["softmax"], units=4).weight.shape
    torch.Size([4, 5])
    """
    for name, size in (("cases", cases), ("inputs", inputs), ("units", units)):
        if size < 1:
            raise ValueError(f"{name} must be 1 or more, got {size}.")
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    return Glm(
        family,
        x=normal(inputs) / 2 + normal(cases, inputs),
        weight=normal(units, inputs) / inputs**0.5,
        gain=torch.rand(units, generator=generator, dtype=torch.float64) + 0.5,
        bias=normal(units) / 2,
    )


def require_spread(norm: Norm, summed: Float[Tensor, "..."], weight: Float[Tensor, "..."]) -> None:
    """Raise if a norm would divide by a sigma of 0, so that no derivative exists."""
    if bool(normalize_degenerate(norm, summed, "ND", weight=weight).constant.any()):
        raise ValueError(
            f"{norm.label} divides by a spread, and for some case or unit of this model it is 0: "
            f"derivatives do not exist there. Use two or more units, cases that differ, and "
            f"weights that are not all 0."
        )
