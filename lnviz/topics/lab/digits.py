"""Lab experiment: a fully connected network that classifies scikit-learn's digits."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lnviz.data.examples import TEST_EVERY, digit_images
from lnviz.norms import ALPHA
from lnviz.training.experiment import DataSplit, DataSplits, Experiment, TrainingSpec

PIXELS, UNITS, CLASSES = 64, 100, 10
GROUPS = 10
PLAIN, PAPER = "plain", "paper"


BIASED = ("batch", "layer", "group", "dyt")
"""Norms with a bias of their own: a bias of the linear layer before them has little effect."""


class DyT(nn.Module):
    r"""Dynamic Tanh: $y = \gamma \odot \tanh(\alpha x) + \beta$ with a learned $\alpha$.

    Source: Zhu, Chen, He, LeCun and Liu 2025 (arXiv 2503.10622).

    >>> DyT(2)(torch.tensor([[0.0, 2.0]]))
    tensor([[0.0000, 0.7616]], grad_fn=<AddBackward0>)
    """

    def __init__(self, units: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(ALPHA))
        self.weight = nn.Parameter(torch.ones(units))
        self.bias = nn.Parameter(torch.zeros(units))

    def forward(self, x: Float[Tensor, "*N D"]) -> Float[Tensor, "*N D"]:
        """Apply Dynamic Tanh to each element."""
        return self.weight * torch.tanh(self.alpha * x) + self.bias


class WeightNormed(nn.Linear):
    r"""A linear layer with WeightNorm: $a_i = g_i \frac{w_i}{\lVert w_i \rVert} x + b_i$.

    The gains are initialized to the Euclidean norms of the weight vectors, so that the layer is
    initially an ordinary linear layer. It does not use PyTorch's `weight_norm`, which
    `torch.func.vmap` does not support.

    Source: Salimans and Kingma 2016 (arXiv 1602.07868), equation 2.
    """

    def __init__(self, inputs: int, units: int) -> None:
        super().__init__(inputs, units)
        self.gain = nn.Parameter(self.weight.detach().norm(dim=1))

    def forward(self, x: Float[Tensor, "*N I"]) -> Float[Tensor, "*N D"]:
        """Return the pre-activations a."""
        weight = self.gain[:, None] * self.weight / self.weight.norm(dim=1, keepdim=True)
        return nn.functional.linear(x, weight, self.bias)


NORMS: dict[str, Callable[[int], nn.Module]] = {
    "none": lambda units: nn.Identity(),
    "batch": nn.BatchNorm1d,
    "layer": nn.LayerNorm,
    "rms": lambda units: nn.RMSNorm(units, eps=1e-5),
    "weight": lambda units: nn.Identity(),  # part of the linear layer
    "group": lambda units: nn.GroupNorm(GROUPS, units),
    "dyt": DyT,
}


def network(
    norm: str,
    head: str = PLAIN,
    *,
    inputs: int = PIXELS,
    units: int = UNITS,
    classes: int = CLASSES,
) -> nn.Sequential:
    """Return a network with two hidden layers, each with a norm on its pre-activations.

    Args:
        norm: a key of `NORMS`.
        head: `"plain"` for no norm on the logits; `"paper"` for BatchNorm on the logits, but no
            other norm.
        inputs: number of features of an example, such as the pixels of an image.
        units: number of units of a hidden layer, a multiple of `GROUPS`.
        classes: number of classes.

    Source: Ba, Kiros and Hinton 2016, section 6.6, where the network has 784 inputs and hidden
        layers of 1,000 units.

    >>> [type(part).__name__ for part in network("layer")]
    ['Linear', 'LayerNorm', 'ReLU', 'Linear', 'LayerNorm', 'ReLU', 'Linear']
    """
    softmax: list[nn.Module] = [nn.Linear(units, classes)]
    if head == PAPER and norm == "batch":
        softmax.append(nn.BatchNorm1d(classes))
    return nn.Sequential(
        *(_linear(norm, inputs, units), NORMS[norm](units), nn.ReLU()),
        *(_linear(norm, units, units), NORMS[norm](units), nn.ReLU()),
        *softmax,
    )


def _linear(norm: str, inputs: int, units: int) -> nn.Linear:
    if norm == "weight":
        return WeightNormed(inputs, units)
    return nn.Linear(inputs, units, bias=norm not in BIASED)


@cache
def data(shape: tuple[int, ...] = (PIXELS,)) -> DataSplits:
    """Return scikit-learn's digits as training, validation and test splits.

    For each digit, every fifth image is in the test split, and the image after it in the validation
    split.

    >>> [len(part.x) for part in (data().train, data().validation, data().test)]
    [1078, 364, 355]
    """
    digits = digit_images()
    images, ordinal = digits.images.unflatten(1, shape), digits.ordinal % TEST_EVERY
    parts = (ordinal > 1, ordinal == 1, ordinal == 0)
    return DataSplits(*(DataSplit(images[part], digits.targets[part]) for part in parts))


DIGITS = Experiment(
    name="digits",
    label="A fully connected network for digits",
    norms=tuple(NORMS),
    data=data,
    build=network,
    default=TrainingSpec(
        experiment="digits",
        norms=("none", "batch", "layer", "rms"),
        batch_sizes=(128, 4),
        rates=(0.001,),
        seeds=(0, 1, 2, 3, 4),
        steps=2000,
    ),
    heads=(PLAIN, PAPER),
    min_batch={"batch": 2},
)
