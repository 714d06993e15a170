"""The loss along the gradient direction, at every training step of a small network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.nn import functional as F

from lnviz.data.examples import digit_images
from lnviz.device import device
from lnviz.norms import NONE, Norm
from lnviz.progress import report_progress
from lnviz.training import initialize, sample_batches, train

LENGTHS = tuple(step / 5 for step in range(0, 21, 2))
"""Distances along the gradient, in training steps: from 0 to 4."""

CLASSES = 10

CHUNK_STEPS = 8
"""Number of training steps that are evaluated at once, so that they fit into the processor's cache.
"""


@dataclass(frozen=True)
class Recipe:
    """Settings for training a fully connected network on handwritten digits.

    Attributes:
        rate: learning rate of gradient descent without momentum.
        centered: whether each pixel's mean over all images is subtracted. Raw pixels lie between 0
            and 1.
        depth: hidden layers, each with a norm before its ReLU.
        width: units of a hidden layer.
        batch: examples in a mini-batch, drawn independently at every step.
        steps: number of steps.
        seed: seed of the weights and the mini-batches, the same for every norm.

    Raises:
        ValueError: a size is below 1, or the rate is not above 0.
    """

    rate: float = 0.1
    centered: bool = False
    depth: int = 4
    width: int = 32
    batch: int = 128
    steps: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("depth", "width", "batch", "steps"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if not 0 < self.rate < float("inf"):
            raise ValueError(f"rate must be a finite number above 0, got {self.rate}.")


@dataclass(frozen=True, eq=False)
class Downhill:
    r"""Losses along the gradient at every training step, and the roughness of the landscape.

    Attributes:
        lengths: distances along the gradient, in training steps.
        loss: loss of the step's mini-batch at each distance along its gradient.
        roughness: the largest rate of change of the gradient along the way,
            $\max |\nabla L(\theta') - \nabla L(\theta)| / |\theta' - \theta|$; 0 where the
            gradient is 0. Santurkar et al. call it the effective beta-smoothness.
    """

    lengths: tuple[float, ...]
    loss: Float[Tensor, "steps lengths"]
    roughness: Float[Tensor, " steps"]

    @property
    def lowest(self) -> Float[Tensor, " steps"]:
        """The lowest loss along the gradient, at every training step."""
        return self.loss.amin(-1)

    @property
    def highest(self) -> Float[Tensor, " steps"]:
        """The highest loss along the gradient, at every training step."""
        return self.loss.amax(-1)


class Mlp(nn.Module):
    r"""A fully connected network: layers $h = \mathrm{ReLU}(g \hat a + b)$, then logits.

    Without a norm there is no gain, and $\hat a = a$. The last layer has no norm. Weights are drawn
    with variance 2 / inputs; gains are 1, biases 0.

    Args:
        recipe: the settings that determine its shape.
        norm: the norm before each ReLU.
        inputs: number of input features.
    """

    def __init__(self, recipe: Recipe, norm: Norm, inputs: int) -> None:
        super().__init__()
        self.norm = norm
        sizes = [inputs, *[recipe.width] * recipe.depth, CLASSES]
        self.weights = nn.ParameterList(
            torch.randn(after, before) * (2 / before) ** 0.5 for before, after in pairwise(sizes)
        )
        self.biases = nn.ParameterList(torch.zeros(size) for size in sizes[1:])
        self.gains = nn.ParameterList(torch.ones(s) for s in sizes[1:-1] if norm is not NONE)

    def forward(self, x: Float[Tensor, "N I"]) -> Float[Tensor, "N classes"]:
        """Return the logits of each image."""
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if layer:
                x = torch.relu(x)
            x = x @ weight.T
            if layer < len(self.gains):
                x = self.norm.apply(x, "ND", gain=self.gains[layer], bias=bias).y
            else:
                x = x + bias
        return x


def downhill(norm: Norm, recipe: Recipe, lengths: Sequence[float] = LENGTHS) -> Downhill:
    r"""Train a network on digits, and evaluate the loss along the gradient at each training step.

    $$L\big(\theta_t - s\,\eta\, \nabla L(\theta_t)\big), \quad
    \nabla L\big(\theta_t - s\,\eta\, \nabla L(\theta_t)\big)$$

    for all lengths s at once, at each training step t; L is the cross-entropy of the step's
    mini-batch. Networks with different norms start from the same weights and see the same
    mini-batches.

    **Evidence.** Santurkar et al. measured this for BatchNorm, on VGG and CIFAR-10. With BatchNorm,
    loss and gradient vary less along the gradient, which they consider the reason why BatchNorm
    helps. They did not measure LayerNorm, and the explanation is contested for norms in general.
    Karakida et al. find, by the Fisher matrix of wide random networks, that BatchNorm removes sharp
    directions in the last layer but hardly any in hidden layers, and that LayerNorm does not remove
    them. Xu et al. attribute the benefit of LayerNorm to the derivatives of mean and variance.

    One more caution (derived): under a norm, multiplying the weights by c leaves the function
    unchanged, divides gradients by c and roughness by c^2. So roughness cannot compare networks
    whose weights differ in length, and the same learning rate does not mean the same step.

    Args:
        norm: the norm before each ReLU.
        recipe: the settings of the network and its training.
        lengths: s, distances in multiples of a training step, 0 or more, at least one above 0.

    Returns:
        Losses and roughness; not finite where training has diverged.

    Raises:
        ValueError: the lengths are negative or all 0.

    Source: Santurkar, Tsipras, Ilyas and Madry 2018 (arXiv 1805.11604);
        Karakida, Akaho and Amari 2019 (arXiv 1906.02926); Xu et al. 2019 (Understanding and
        Improving Layer Normalization). Data: scikit-learn's `load_digits`.

    >>> from lnviz.norms import LAYER
    >>> downhill(LAYER, Recipe(steps=3), [0.0, 1.0]).loss.shape
    torch.Size([3, 2])
    """
    allowed = all(0 <= length < float("inf") for length in lengths)
    if not allowed or not any(length > 0 for length in lengths):
        raise ValueError(
            f"lengths must be finite, 0 or more, and one above 0; got {tuple(lengths)}."
        )
    digits = digit_images()
    cases, labels = digits.images.to(device()), digits.targets.to(device())
    if recipe.centered:
        cases = cases - cases.mean(0)
    model = Mlp(recipe, norm, cases.shape[-1]).to(device())
    rows = sample_batches((recipe.seed,), len(cases), steps=recipe.steps, batch_size=recipe.batch)[
        :, 0
    ]  # T,N
    starts, slopes = _trained(norm, recipe, cases, labels, rows)
    taken = recipe.rate * cases.new_tensor(tuple(lengths))  # L

    def loss_of(parameters: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(functional_call(model, parameters, (x,)), y)

    everywhere = vmap(vmap(loss_of, (0, None, None)))  # steps, then lengths
    losses, roughness = [], []
    for at in range(0, recipe.steps, CHUNK_STEPS):
        report_progress(at / recipe.steps)
        piece = slice(at, at + CHUNK_STEPS)
        here = {name: slope[piece, None] for name, slope in slopes.items()}  # T,1,...
        there = {
            name: value[piece, None] - taken.view(-1, *[1] * (value.dim() - 1)) * here[name]
            for name, value in starts.items()
        }  # T,L,...
        there = {name: value.requires_grad_() for name, value in there.items()}
        along = everywhere(there, cases[rows[piece]], labels[rows[piece]])  # T,L
        # Each loss depends on its own parameters alone, so that their sum has all gradients.
        gradients = torch.autograd.grad(along.sum(), tuple(there.values()))
        losses.append(along.detach())
        changed = _length(
            {name: gradient - here[name] for name, gradient in zip(there, gradients, strict=True)}
        )  # T,L
        walked = taken * _length(here)
        roughness.append((changed / walked.where(walked > 0, torch.inf)).amax(-1).detach())
    return Downhill(tuple(lengths), torch.cat(losses), torch.cat(roughness))


def _trained(
    norm: Norm, recipe: Recipe, cases: Tensor, labels: Tensor, rows: Tensor
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Train a network; return its parameters and gradients, stacked over the training steps."""
    # A training at the edge of what is stable makes differences of rounding grow: in float64
    # they stay too small to see. Looking along its steps takes longer, and float32 is enough.
    runs = initialize(
        lambda: Mlp(recipe, norm, cases.shape[-1]).double(), (recipe.seed,), cases.device
    )
    batches = ((cases[row][None].double(), labels[row][None]) for row in rows)
    starts, slopes = [_copied(runs.parameters)], []
    for _ in train(runs, batches, rate=recipe.rate, optimizer=torch.optim.SGD):
        starts.append(_copied(runs.parameters))
        slopes.append({name: value.grad[0].float() for name, value in runs.parameters.items()})
    return _stacked(starts[:-1]), _stacked(slopes)


def _copied(parameters: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: value[0].detach().float() for name, value in parameters.items()}


def _stacked(parts: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    return {name: torch.stack([part[name] for part in parts]) for name in parts[0]}


def _length(parts: dict[str, Tensor]) -> Float[Tensor, "T L"]:
    """Return the Euclidean norm of parameters in several tensors, by step and step length."""
    squares = [part.square().flatten(2).sum(-1) for part in parts.values()]
    return torch.stack(squares).sum(0).sqrt()
