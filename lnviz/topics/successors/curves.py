"""One vector at many scales under every norm and replacement, from input to output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.norms import CATALOGUE, Norm

NORMS = {key: norm for key, norm in CATALOGUE.items() if norm.family != "places"}
"""All norms that a vector can have: it has no places to share statistics along."""
INPUTS = 8  # of the units whose weights WeightNorm divides by
EPS = 1e-5


def treats_units_alike(key: str) -> bool:
    """Return whether a norm makes the same of a number in whichever unit of a vector it stands."""
    norm = NORMS[key]
    return norm.family != "batch" and norm.group_count is None and not norm.from_weights


@dataclass(frozen=True, eq=False)
class Curves:
    """What becomes of a vector, by the key of the norm.

    Attributes:
        x: the vector before it is scaled.
        outputs: the outputs of the vector's units, at every scale.
        along: places between its units and beyond, before they are scaled.
        functions: what norms that treat all units alike make of a unit at each of
            these places beside this vector: its statistics stay.
        mean: the mean of the scaled vector.
        std: its standard deviation, with the variance divided by D.
        rms: its root mean square.
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
    """Scale one case of a batch, the others as they are, and normalize it by everything there is.

    Norms stand without gain and bias, DyT and Derf with the alpha they start from. WeightNorm
    divides by the lengths of random weights.

    Args:
        cases: the batch.
        case: the case that is scaled, counted from 0.
        scales: the factors that it is scaled by.
        along: places to evaluate the functions at, before they are scaled.

    Returns:
        Outputs and functions.

    >>> from lnviz.data.examples import worked_example
    >>> computed = curves(worked_example().values, 0, torch.tensor([1.0, 2.0]), torch.zeros(3))
    >>> computed.outputs["dyt"].shape, computed.functions["layer"].shape
    (torch.Size([2, 6]), torch.Size([2, 3]))
    """
    scaled = scales[:, None] * cases[case]  # S,D
    batch = cases.repeat(len(scales), 1, 1)  # S,N,D
    batch[:, case] = scaled
    functions = {
        key: _function(norm, scaled, scales[:, None] * along)
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


def _function(norm: Norm, scaled: Tensor, places: Tensor) -> Float[Tensor, "S P"]:
    """What a norm makes of values that do not enter its statistics."""
    if norm.elementwise:
        return norm.elementwise(places)
    normalized = norm.apply(scaled, "ND", eps=EPS)
    x_hat = (places - normalized.mean) / (normalized.var + EPS).sqrt()
    return x_hat if norm.self_gate is None else norm.self_gate(x_hat) * x_hat
