"""Outputs of every norm and of every replacement for norms, for one vector at many scales."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import CATALOGUE, Norm

NORMS = {key: norm for key, norm in CATALOGUE.items() if norm.family != "places"}
"""All norms that apply to vectors, which have no positions to share statistics over."""
INPUTS = 8  # of the units whose weights WeightNorm divides by
EPS = 1e-5


def treats_units_alike(key: str) -> bool:
    """Return whether a norm applies the same function to every feature of a vector."""
    norm = NORMS[key]
    return norm.family != "batch" and norm.group_count is None and not norm.from_weights


@dataclass(frozen=True, eq=False)
class Curves:
    """Outputs of every norm for one vector at several scales, by the norm's key.

    Attributes:
        x: the vector before scaling.
        outputs: the outputs of the vector's features, at every scale.
        along: other values, at which the functions are evaluated, before scaling.
        functions: outputs for each of these values with the vector's statistics, for norms that
            treat all features alike.
        mean: the mean of the scaled vector.
        std: the standard deviation of the scaled vector (biased: the sum is divided by D).
        rms: the RMS of the scaled vector.
    """

    x: Float[Tensor, " D"]
    outputs: Mapping[str, Float[Tensor, "S D"]]
    along: Float[Tensor, " P"]
    functions: Mapping[str, Float[Tensor, "S P"]]
    mean: Float[Tensor, " S"]
    std: Float[Tensor, " S"]
    rms: Float[Tensor, " S"]


def curves(
    cases: Float[Tensor, "N D"],
    case: int,
    scales: Float[Tensor, " S"],
    along: Float[Tensor, " P"],
) -> Curves:
    """Apply every norm to a batch in which one example is multiplied by each of several factors.

    Norms have no gain and bias; DyT and Derf have their initial alpha. WeightNorm divides by the
    lengths of random weight vectors.

    Args:
        cases: the batch.
        case: index of the scaled example.
        scales: the factors.
        along: values at which to evaluate the functions, before scaling.

    Returns:
        The outputs and the functions.

    >>> from lnviz.data.examples import worked_example
    >>> computed = curves(worked_example().values, 0, torch.tensor([1.0, 2.0]), torch.zeros(3))
    >>> computed.outputs["dyt"].shape, computed.functions["layer"].shape
    (torch.Size([2, 6]), torch.Size([2, 3]))
    """
    scaled = scales[:, None] * cases[case]  # S,D
    batch = cases.repeat(len(scales), 1, 1)  # S,N,D
    batch[:, case] = scaled
    functions = {
        key: _apply_with_statistics(norm, scaled, scales[:, None] * along)
        for key, norm in NORMS.items()
        if treats_units_alike(key)
    }
    weight = torch.randn(cases.shape[1], INPUTS, generator=torch.Generator().manual_seed(0))
    weight = (weight / INPUTS**0.5).to(cases)
    return Curves(
        x=cases[case],
        outputs={
            key: norm.apply(batch, "ND", eps=EPS, weight=weight).y[:, case]
            for key, norm in NORMS.items()
        },
        along=along,
        functions=functions,
        mean=scaled.mean(1),
        std=scaled.std(1, correction=0),
        rms=scaled.square().mean(1).sqrt(),
    )


def _apply_with_statistics(norm: Norm, scaled: Tensor, places: Tensor) -> Float[Tensor, "S P"]:
    """Apply a norm to the values `places`, with the statistics of the vectors `scaled`."""
    if norm.elementwise:
        return norm.elementwise(places)
    normalized = norm.apply(scaled, "ND", eps=EPS)
    x_hat = (places - normalized.mean) / (normalized.var + EPS).sqrt()
    return x_hat if norm.self_gate is None else norm.self_gate(x_hat) * x_hat
