"""Layers to transform: random weights, with random or given data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from lnviz.invariance.layer import ACTIVATIONS, check_squares, standardize, summed_inputs
from lnviz.invariance.transformations import TRANSFORMATIONS


@dataclass(frozen=True)
class RandomData:
    """Random inputs, drawn anew for every layer.

    Attributes:
        cases: N.
        inputs: I, what each unit sums over.
        places: P, at how many places of each case the same weights are applied; 1 is a fully
            connected layer, more is a convolution with a kernel of size 1.
    """

    cases: int = 6
    inputs: int = 8
    places: int = 1


@dataclass(frozen=True, eq=False)
class Layers:
    """Layers with their data, and the vectors that re-center either.

    Sweeps lead; layers that share their data have size 1 there.

    Attributes:
        weight: W.
        gain: g.
        bias: b.
        data: x.
        weight_shift: gamma, which re-centering adds to every row of W.
        data_shift: c, which it adds to the inputs of every case.
    """

    weight: Float[Tensor, "*weights H I"]
    gain: Float[Tensor, "*layers H"]
    bias: Float[Tensor, "*layers H"]
    data: Float[Tensor, "*data N P I"]
    weight_shift: Float[Tensor, "*layers I"]
    data_shift: Float[Tensor, "*shared I"]

    def to(self, place: torch.device, dtype: torch.dtype) -> Layers:
        """Return the same layers elsewhere, in another precision."""
        return Layers(*(part.to(place, dtype) for part in vars(self).values()))

    def transformed(
        self, transformation: str, strengths: Float[Tensor, " S"], which: int = 0
    ) -> Layers:
        """Return the layers after a transformation by each strength, strengths leading."""
        change = TRANSFORMATIONS[transformation]
        weight, data = self.weight, self.data
        if change.part == "weight":
            weight = change.apply(weight, strengths, self.weight_shift, which)
        else:
            # A case is one row, with all its places.
            places = data.shape[-2]
            shift = self.data_shift.repeat(*[1] * (self.data_shift.dim() - 1), places)
            rows = change.apply(data.flatten(-2), strengths, shift, which)
            data = rows.unflatten(-1, (places, -1))
        return Layers(weight, self.gain, self.bias, data, self.weight_shift, self.data_shift)

    def outputs(self, norms: Sequence[str], eps: float, activation: str) -> dict[str, Outputs]:
        """Evaluate the layers under each norm.

        Raises:
            ValueError: as `check_squares`.
        """
        summed = summed_inputs(self.data, self.weight)
        check_squares(summed)
        gain, bias = (part[..., None, None, :] for part in (self.gain, self.bias))
        after = {}
        for norm in norms:
            result = standardize(norm, summed, self.weight, eps)
            h = ACTIVATIONS[activation](torch.addcmul(bias, result.x_hat, gain))
            after[norm] = Outputs(h.flatten(-3, -2), bool(result.flat.any()))
        return after


@dataclass(frozen=True, eq=False)
class Outputs:
    """What layers put out.

    Attributes:
        values: h, with the places of a case as rows of their own.
        flat: whether the norm met a group without spread.
    """

    values: Float[Tensor, "*sweeps rows H"]
    flat: bool


def draw_layers(
    layers: int,
    units: int,
    data: RandomData | Shaped[Tensor, "..."],
    seed: int,
) -> Layers:
    r"""Draw layers: weights from $N(0, 1/I)$, gains from 0.5 to 1.5, biases from $N(0, 1/4)$.

    Random inputs are normal with a mean of their own for each input. Re-centering vectors are drawn
    like the rows they are added to; for given data, with its root mean square.

    Args:
        layers: how many.
        units: H.
        data: what to draw, or what every layer gets: cases x inputs, or cases x places x inputs.
        seed: of the generator.

    Returns:
        The layers, in float64 on the CPU, whatever they are computed in later.

    Raises:
        TypeError, ValueError: as `measure`.

    >>> draw_layers(5, 3, torch.ones(4, 2), seed=0).weight.shape
    torch.Size([5, 3, 2])
    """
    check_sizes(layers=layers, units=units)
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    if isinstance(data, RandomData):
        check_sizes(**vars(data))
        inputs, scale = data.inputs, 1.0
        values = normal(layers, 1, 1, inputs) + normal(layers, data.cases, data.places, inputs)
        shared = layers
    else:
        values = given_data(data)[None]
        inputs, shared = values.shape[-1], 1
        scale = float(values.abs().max() or 1.0)
        scale *= float((values / scale).square().mean().sqrt()) or 1.0
    return Layers(
        weight=normal(layers, units, inputs) / inputs**0.5,
        gain=torch.rand(layers, units, generator=generator, dtype=torch.float64) + 0.5,
        bias=normal(layers, units) / 2,
        data=values,
        weight_shift=normal(layers, inputs) / inputs**0.5,
        data_shift=scale * normal(shared, inputs),
    )


def given_data(data: Shaped[Tensor, "..."]) -> Float[Tensor, "N P I"]:
    """Return data as cases x places x inputs, in float64, after checking it."""
    if not data.is_floating_point():
        raise TypeError(
            f"Data must be floating point, got {data.dtype}. Convert it, for example with "
            f"data.float()."
        )
    if data.dim() not in (2, 3) or not data.numel():
        raise ValueError(
            f"Data must be cases x inputs, or cases x places x inputs, with at least one of each; "
            f"got shape {tuple(data.shape)}. One case is data[None]."
        )
    if not bool(data.isfinite().all()):
        raise ValueError(
            "Data must be finite, got NaN or infinity in it. Leave those cases out, or put a "
            "number there."
        )
    return (data[:, None] if data.dim() == 2 else data).double()


def check_sizes(**sizes: int) -> None:
    """Raise where there would be nothing to compute."""
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} must be 1 or more, got {size}.")


def as_strengths(strengths: Sequence[float]) -> Float[Tensor, " S"]:
    """Return strengths as a tensor, after checking them."""
    tensor = torch.tensor(tuple(strengths), dtype=torch.float64)
    if not tensor.numel() or not bool(tensor.isfinite().all()):
        raise ValueError(f"strengths must be finite numbers, at least one; got {tuple(strengths)}.")
    return tensor
