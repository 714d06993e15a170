"""Random layers with random or given data, on which invariances are measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from lnviz.norms import CATALOGUE
from lnviz.norms.degenerate import normalize_degenerate
from lnviz.topics.invariance.arguments import as_data, require_sizes, require_squares
from lnviz.topics.invariance.transformations import TRANSFORMATIONS

ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = MappingProxyType(
    {"identity": lambda a: a, "relu": torch.relu, "tanh": torch.tanh}
)


@dataclass(frozen=True)
class RandomData:
    """Shape of random input data; every layer gets its own draw.

    Attributes:
        cases: N.
        inputs: I, number of inputs per unit.
        places: P, number of positions per example where the same weights are applied; 1 is a fully
            connected layer, more is a convolution with kernel size 1.
    """

    cases: int = 6
    inputs: int = 8
    places: int = 1


@dataclass(frozen=True, eq=False)
class RandomLayers:
    """Parameters and data of random layers, with the vectors that re-center weights or data.

    The leading axes are sweeps; in `data`, they have size 1 if all layers share the data.

    Attributes:
        weight: W.
        gain: g.
        bias: b.
        data: x.
        weight_shift: gamma, which re-centering adds to every row of W.
        data_shift: c, which re-centering adds to the inputs of every example.
    """

    weight: Float[Tensor, "*weights H I"]
    gain: Float[Tensor, "*layers H"]
    bias: Float[Tensor, "*layers H"]
    data: Float[Tensor, "*data N P I"]
    weight_shift: Float[Tensor, "*layers I"]
    data_shift: Float[Tensor, "*shared I"]

    def to(self, place: torch.device, dtype: torch.dtype) -> RandomLayers:
        """Return the same layers on another device or in another dtype."""
        return RandomLayers(*(part.to(place, dtype) for part in vars(self).values()))

    def transformed(self, transformation: str, strengths: Float[Tensor, " S"]) -> RandomLayers:
        """Return transformed layers, with the transformation strength as the leading dimension."""
        change = TRANSFORMATIONS[transformation]
        weight, data = self.weight, self.data
        if change.part == "weight":
            weight = change.apply(weight, strengths, self.weight_shift)
        else:
            # One row per example, with all its positions.
            places = data.shape[-2]
            shift = self.data_shift.repeat(*[1] * (self.data_shift.dim() - 1), places)
            rows = change.apply(data.flatten(-2), strengths, shift)
            data = rows.unflatten(-1, (places, -1))
        return RandomLayers(weight, self.gain, self.bias, data, self.weight_shift, self.data_shift)

    def outputs(self, norms: Sequence[str], eps: float, activation: str) -> dict[str, LayerOutputs]:
        """Compute the layers' outputs under each of several norms.

        Raises:
            ValueError: as `preactivations`.
        """
        summed = preactivations(self.data, self.weight)
        gain, bias = (part[..., None, None, :] for part in (self.gain, self.bias))
        after = {}
        for norm in norms:
            result = normalize_degenerate(
                CATALOGUE[norm], summed, "NLD", eps=eps, weight=self.weight
            )
            h = ACTIVATIONS[activation](torch.addcmul(bias, result.x_hat, gain))
            after[norm] = LayerOutputs(h.flatten(-3, -2), bool(result.constant.any()))
        return after


@dataclass(frozen=True, eq=False)
class LayerOutputs:
    """Outputs of random layers, and whether any group of values was constant.

    Attributes:
        values: h, with the positions of an example as separate rows.
        flat: whether the norm met a constant group.
    """

    values: Float[Tensor, "*sweeps rows H"]
    flat: bool


def preactivations(
    data: Float[Tensor, "*sweeps N P I"], weight: Float[Tensor, "*more H I"]
) -> Float[Tensor, "*all N P H"]:
    r"""Return the pre-activations $a = W x$ for every example and position."""
    cases, places = data.shape[-3:-1]
    # Unlike matmul, einsum copies neither operand along dimensions that only the other has.
    rows = torch.einsum("...ri,...hi->...rh", data.flatten(-3, -2), weight)
    summed: Tensor = rows.unflatten(-2, (cases, places))
    require_squares(summed)
    return summed


def draw_layers(
    layers: int,
    units: int,
    data: RandomData | Shaped[Tensor, "..."],
    seed: int,
) -> RandomLayers:
    r"""Draw random layers: weights $N(0, 1/I)$, gains from 0.5 to 1.5, biases $N(0, 1/4)$.

    Each random input is normal with its own mean. Re-centering vectors are drawn like the rows they
    are added to; for given data, their values have the data's RMS.

    Args:
        layers: number of layers.
        units: H.
        data: the shape of random data, or the data of all layers: examples x inputs, or examples x
            positions x inputs.
        seed: the seed of the generator.

    Returns:
        The layers, in float64 on the CPU.

    Raises:
        TypeError, ValueError: as `measure`.

    >>> draw_layers(5, 3, torch.ones(4, 2), seed=0).weight.shape
    torch.Size([5, 3, 2])
    """
    require_sizes(layers=layers, units=units)
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    if isinstance(data, RandomData):
        require_sizes(**vars(data))
        inputs, scale = data.inputs, 1.0
        values = normal(layers, 1, 1, inputs) + normal(layers, data.cases, data.places, inputs)
        shared = layers
    else:
        values = as_data(data)[None]
        inputs, shared = values.shape[-1], 1
        scale = float(values.abs().max() or 1.0)
        scale *= float((values / scale).square().mean().sqrt()) or 1.0
    return RandomLayers(
        weight=normal(layers, units, inputs) / inputs**0.5,
        gain=torch.rand(layers, units, generator=generator, dtype=torch.float64) + 0.5,
        bias=normal(layers, units) / 2,
        data=values,
        weight_shift=normal(layers, inputs) / inputs**0.5,
        data_shift=scale * normal(shared, inputs),
    )
