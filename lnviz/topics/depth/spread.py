"""Signal propagation: the RMS and similarity of examples after many random layers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.norms import CATALOGUE
from lnviz.progress import report_progress

EPS = 1e-5

NONLINEARITIES = {"relu": torch.relu, "tanh": torch.tanh}

WEIGHT_GAIN = {"relu": math.sqrt(2), "tanh": 1.0}
r"""The gain of the weights' standard deviation $1/\sqrt D$ at weight scale 1, by nonlinearity.

With these gains, wide layers preserve the mean square of the signal: exactly for ReLU (He, Zhang,
Ren and Sun 2015, arXiv 1502.01852), and for tanh as long as the values are so small that it is
linear (Glorot and Bengio 2010). Larger values are reduced by tanh.
"""


@dataclass(frozen=True)
class RandomNetwork:
    """Shape and seed of an untrained network of square layers without biases.

    Args:
        nonlinearity: a key of `NONLINEARITIES`.
        layers: L.
        seed: seed of the weights.
        residual: whether each layer adds to its input (a residual connection) in the order of
            He et al. (2016): norm, nonlinearity, weights.

    Raises:
        ValueError: the nonlinearity is unknown, or there is no layer.
    """

    nonlinearity: str = "relu"
    layers: int = 50
    seed: int = 0
    residual: bool = False

    def __post_init__(self) -> None:
        if self.nonlinearity not in NONLINEARITIES:
            raise ValueError(
                f"A nonlinearity is one of {', '.join(NONLINEARITIES)}; got {self.nonlinearity!r}."
            )
        if self.layers < 1:
            raise ValueError(f"A network has 1 layer or more, got {self.layers}.")

    def weights(self, units: int) -> Float[Tensor, "L D D"]:
        """Draw weights from a normal distribution with mean 0 and variance `WEIGHT_GAIN`² / D."""
        generator = torch.Generator().manual_seed(self.seed)
        drawn = torch.randn(self.layers, units, units, generator=generator)
        return drawn * (WEIGHT_GAIN[self.nonlinearity] / math.sqrt(units))


@dataclass(frozen=True, eq=False)
class Spread:
    """RMS and similarity of the outputs of each layer, by weight scale; layer 0 is the input.

    Attributes:
        size: RMS over examples and features.
        different_classes: mean cosine similarity over all pairs of examples of different classes.
        same_class: mean cosine similarity over all pairs of examples of the same class.
        first_pair: cosine similarity of the first two examples.
        activations: activations of the first two examples, at the selected layers.
    """

    size: Float[Tensor, "S layers"]
    different_classes: Float[Tensor, "S layers"]
    same_class: Float[Tensor, "S layers"]
    first_pair: Float[Tensor, "S layers"]
    activations: Float[Tensor, "S 2 at D"]


def spread(
    norm: str,
    scales: Float[Tensor, " S"],
    network: RandomNetwork,
    x: Float[Tensor, "N D"],
    classes: Int[Tensor, " N"],
    *,
    at: Sequence[int] = (0,),
) -> Spread:
    r"""Propagate examples through a deep random network, for every weight scale at once.

    $$a^l = s\, W^l h^{l-1}, \quad h^l = f(\mathrm{norm}(a^l)), \quad h^0 = x$$

    With residual connections, layers are

    $$h^l = h^{l-1} + s\, W^l f(\mathrm{norm}(h^{l-1})) .$$

    Args:
        norm: a key of `CATALOGUE`, such as `"none"` or `"layer"`, without gain and bias.
        scales: weight scales s.
        network: the layers and their weights W.
        x: the examples; the first two are also tracked individually.
        classes: the class of each example.
        at: the selected layers, from 0 (the input) to L.

    Returns:
        RMS and similarities at all layers, and the activations at the selected layers.

    Raises:
        ValueError: a layer is out of range, or the examples lack a pair of the same class or a pair
            of different classes.

    >>> x, classes = torch.eye(8), torch.arange(8) // 2
    >>> network = RandomNetwork("relu", layers=10)
    >>> spreading = spread("none", torch.tensor([0.5, 1.0]), network, x, classes)
    >>> spreading.size[0] / spreading.size[1] == 0.5 ** torch.arange(11)
    tensor([True, True, True, True, True, True, True, True, True, True, True])
    """
    _check(network, classes, at)
    apply, f = CATALOGUE[norm].apply, NONLINEARITIES[network.nonlinearity]
    h = x.expand(len(scales), *x.shape)  # S,N,D
    weights = network.weights(x.shape[-1]).to(x.device)
    states, shown = [_measured(h, classes)], {0: h[:, :2]}
    for layer, weight in enumerate(weights, 1):
        report_progress(layer / network.layers)
        scaled = scales[:, None, None] * weight.T  # S,D,D
        if network.residual:
            h = h + f(apply(h, "ND", eps=EPS).x_hat) @ scaled
        else:
            h = f(apply(h @ scaled, "ND", eps=EPS).x_hat)
        states.append(_measured(h, classes))
        if layer in at:
            shown[layer] = h[:, :2]
    size, different, same, first = torch.stack(states, -1)  # S,layers each
    kept = torch.stack([shown[layer] for layer in at], 2)  # S,2,at,D
    return Spread(size, different, same, first, kept)


def _check(network: RandomNetwork, classes: Tensor, at: Sequence[int]) -> None:
    outside = [layer for layer in at if not 0 <= layer <= network.layers]
    if outside:
        raise ValueError(
            f"This network has layers 1 to {network.layers}, and 0 is the input; got layer "
            f"{outside[0]}. Leave it out, or give the network more layers."
        )
    count = classes.unique(return_counts=True)[1]
    if len(count) < 2 or count.max() < 2:
        raise ValueError(
            "Cases are compared within a class and across classes, got classes "
            f"{classes.tolist()}. Give two classes or more, one of them twice."
        )


def _measured(h: Float[Tensor, "S N D"], classes: Int[Tensor, " N"]) -> Float[Tensor, "4 S"]:
    """Return the RMS and the cosine similarities of a layer's outputs, as defined in `Spread`."""
    unit = h / torch.linalg.vector_norm(h, dim=-1, keepdim=True)  # S,N,D
    # Likenesses sum up to squared lengths of sums: of all cases, and of those of each class.
    member = (classes[:, None] == classes.unique()).to(h.dtype)  # N,classes
    sums = member.T @ unit  # S,classes,D
    everyone, own = sums.sum(-2).square().sum(-1), sums.square().sum((-2, -1))
    count, pairs = len(classes), member.sum(0).square().sum()
    return torch.stack(
        [
            h.square().mean((-2, -1)).sqrt(),
            (everyone - own) / (count**2 - pairs),
            (own - count) / (pairs - count),
            (unit[:, 0] * unit[:, 1]).sum(-1),
        ]
    )
