"""One layer under any norm, defined also where the formula divides 0 by 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lnviz.norms import BATCH, GROUP, INSTANCE, LAYER, RMS, WEIGHT, Norm
from lnviz.norms.spread import without_spread

ALPHA = 0.5
"""The factor DyT starts from. Source: Zhu, Chen, He, LeCun and Liu 2025 (arXiv 2503.10622)."""

LABELS: Mapping[str, str] = MappingProxyType(
    {
        **{n.key: n.label for n in (BATCH, WEIGHT, LAYER, RMS, GROUP(1), INSTANCE)},
        "dyt": "DyT",
        "none": "no norm",
    }
)
"""How each norm's name is printed, by its key."""

NORMS = tuple(LABELS)

PLAIN = ("dyt", "none")
"""Those that take no statistics."""

ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = MappingProxyType(
    {"identity": lambda a: a, "relu": torch.relu, "tanh": torch.tanh}
)


@dataclass(frozen=True, eq=False)
class Standardized:
    """Summed inputs under a norm, before gain and bias.

    Attributes:
        mean: what was subtracted.
        var: sigma squared, without epsilon; 1 where there is no norm to divide by it.
        x_hat: standardized values, 0 in groups without spread.
        flat: where a group has no spread, so that the formula alone gives 0/0.
    """

    mean: Float[Tensor, "*#shape"]
    var: Float[Tensor, "*#shape"]
    x_hat: Float[Tensor, "*shape"]
    flat: Bool[Tensor, "*#shape"]


def standardize(
    norm: str,
    summed: Float[Tensor, "*shape"],
    weight: Float[Tensor, "*rows H I"],
    eps: Float[Tensor, "..."] | float,
) -> Standardized:
    r"""Standardize summed inputs by a norm's statistics.

    $$\hat x = \frac{a - \mu}{\sqrt{\sigma^2 + \epsilon}}$$

    A group whose values differ by no more than rounding has $\hat x = 0$: no value deviates from
    the mean. DyT has no statistics, $\hat x = \tanh(\alpha a)$, and without a norm $\hat x = a$.

    Args:
        norm: one of `NORMS`.
        summed: cases x places x units in the last dimensions, sweeps leading.
        weight: one row of weights a unit, sweeps leading; WeightNorm's sigma is their length.
        eps: added to the variance; a tensor that broadcasts against `summed` sweeps it.

    Returns:
        Statistics and standardized values.

    Source: Ba, Kiros and Hinton 2016, equation 5; Zhu et al. 2025 for DyT.

    >>> a = torch.tensor([[[1.0, 3.0]], [[5.0, 5.0]]])
    >>> standardize("layer", a, torch.ones(2, 1), 0.0).x_hat.squeeze(-2)
    tensor([[-1.,  1.],
            [ 0.,  0.]])
    """
    if norm in PLAIN:
        x_hat = torch.tanh(ALPHA * summed) if norm == "dyt" else summed
        one = summed.new_ones(())
        return Standardized(0 * one, one, x_hat, one < 0)
    result = _named(norm, summed.shape[-1]).apply(
        summed, "NLD", eps=eps, weight=weight if norm == "weight" else None
    )
    flat = without_spread(result)
    x_hat = result.x_hat.masked_fill(flat, 0.0) if bool(flat.any()) else result.x_hat
    return Standardized(result.mean, result.var, x_hat, flat)


def summed_inputs(
    data: Float[Tensor, "*sweeps N P I"], weight: Float[Tensor, "*more H I"]
) -> Float[Tensor, "*all N P H"]:
    r"""Return $a = W x$ for every case and place, sweeps broadcast.

    >>> summed_inputs(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[3.0, 4.0]]))
    tensor([[[11.]]])
    """
    cases, places = data.shape[-3:-1]
    # Unlike matmul, einsum copies neither operand along dimensions that only the other has.
    rows = torch.einsum("...ri,...hi->...rh", data.flatten(-3, -2), weight)
    summed: Tensor = rows.unflatten(-2, (cases, places))
    return summed


def groups(norm: str, cases: int, units: int) -> Int[Tensor, "N H"]:
    """Return for every cell of cases x units which statistics it shares: same id, same ones.

    Args:
        norm: one of `NORMS` that applies to a layer with one place.
        cases: N.
        units: H.

    Returns:
        Ids from 0. Under DyT and without a norm no cell shares with another.

    >>> groups("dyt", 1, 3)
    tensor([[0, 1, 2]])
    """
    if norm in PLAIN:
        return torch.arange(cases * units).view(cases, units)
    return _named(norm, units).groups((cases, units), "ND")


def applies(norm: str, places: int = 1) -> str:
    """Say why a norm does not apply to a layer; an empty string where it does.

    Args:
        norm: one of `NORMS`.
        places: at how many places of each case the layer is applied: 1 in a fully connected layer,
            the pixels of the image in a convolution.

    Returns:
        A sentence, or "".

    >>> applies("layer"), applies("instance", places=4)
    ('', '')
    >>> applies("instance")
    'InstanceNorm averages over the places of a case; this layer has one, so nothing would be left.'
    """
    if norm == "instance" and places == 1:
        return (
            f"{LABELS[norm]} averages over the places of a case; this layer has one, so nothing "
            f"would be left."
        )
    return ""


def require(name: str, given: str, allowed: Mapping[str, object]) -> None:
    """Raise where a name is none of the known ones."""
    if given not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}; got {given!r}.")


def check_squares(summed: Float[Tensor, "..."]) -> None:
    """Raise where a variance would overflow: outputs divided by infinity say nothing."""
    if not bool(summed.square().sum().isfinite()):
        name = str(summed.dtype).removeprefix("torch.")
        raise ValueError(
            f"The squares of the summed inputs must fit into {name}, whose largest number is "
            f"{torch.finfo(summed.dtype).max:.3g}; got summed inputs up to "
            f"{float(summed.abs().max()):.3g}. Divide the data, or choose smaller strengths."
        )


def _named(norm: str, units: int) -> Norm:
    if norm == "group":
        # With an odd number of units there is one group, and GroupNorm is LayerNorm.
        return GROUP(2 if units % 2 == 0 else 1)
    return {n.key: n for n in (BATCH, WEIGHT, LAYER, RMS, INSTANCE)}[norm]
