"""The loss along the gradient, with and without normalization, on a small real network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.nn import functional as F

from lnviz.data.examples import digit_images
from lnviz.device import device
from lnviz.norms import BATCH, LAYER, Norm

NORMS: Mapping[str, Norm | None] = MappingProxyType({"none": None, "batch": BATCH, "layer": LAYER})
"""The norms by key."""

STEPS = tuple(range(200))
LENGTHS = tuple(step / 5 for step in range(0, 21, 2))
"""How far to look along the gradient: from 0 to 4 steps of the training."""

LOST = 1e6
"""The largest loss told apart. A run beyond it has diverged and stays where it is."""

CLASSES = 10

PIECE = 20
"""Training steps looked along at once: as many as memory should hold."""


@dataclass(frozen=True)
class Network:
    """A fully connected network for handwritten digits, and how it is trained.

    Attributes:
        depth: hidden layers, each with a norm before its ReLU.
        width: units of a hidden layer.
        rate: learning rate of plain gradient descent, the same for every norm.
        batch: cases of a mini-batch.
        centered: whether every pixel's mean over all images is subtracted. As they are, pixels lie
            between 0 and 1.
        seed: draws the weights, the same for every norm, and the mini-batches.

    Raises:
        ValueError: a size below 1, or a rate that is not above 0.
    """

    depth: int = 4
    width: int = 32
    rate: float = 0.1
    batch: int = 128
    centered: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name, size in (("depth", self.depth), ("width", self.width), ("batch", self.batch)):
            if size < 1:
                raise ValueError(f"{name} must be 1 or more, got {size}.")
        if not 0 < self.rate < float("inf"):
            raise ValueError(f"rate must be a finite number above 0, got {self.rate}.")


@dataclass(frozen=True, eq=False)
class Range:
    """The smallest and the largest of what was found along the gradient."""

    lowest: Float[Tensor, "norms steps"]
    highest: Float[Tensor, "norms steps"]

    @property
    def width(self) -> Float[Tensor, "norms steps"]:
        """The largest less the smallest."""
        return self.highest - self.lowest


@dataclass(frozen=True, eq=False)
class Landscape:
    """The loss along the gradient at several steps of a training, for every norm.

    Attributes:
        norms: keys of the norms.
        steps: of the training, at which the landscape was looked at.
        lengths: how far along the gradient, in multiples of the learning rate.
        rate: the learning rate.
        loss: of the step's mini-batch, that far down its gradient.
        change: length of the difference of the gradient there from that at length 0.
        gradient: length of the gradient at length 0.
        trained: loss of the mini-batch at every step of the training.
    """

    norms: tuple[str, ...]
    steps: tuple[int, ...]
    lengths: tuple[float, ...]
    rate: float
    loss: Float[Tensor, "norms steps lengths"]
    change: Float[Tensor, "norms steps lengths"]
    gradient: Float[Tensor, "norms steps"]
    trained: Float[Tensor, "norms trained"]

    @property
    def variation(self) -> Range:
        """Lowest and highest loss along the gradient."""
        return Range(self.loss.amin(-1), self.loss.amax(-1))

    @property
    def predictiveness(self) -> Range:
        """Smallest and largest change of the gradient beyond length 0: small is predictive."""
        change = self.change[..., self._beyond]
        return Range(change.amin(-1), change.amax(-1))

    @property
    def smoothness(self) -> Float[Tensor, "norms steps"]:
        r"""Effective beta-smoothness: $\max |\nabla L(\theta') - \nabla L(\theta)| /
        |\theta' - \theta|$ along the gradient; 0 where the gradient is.
        """  # noqa: D205 (a formula)
        lengths = self.loss.new_tensor(self.lengths)[self._beyond]
        distance = self.rate * self.gradient[..., None] * lengths
        change = self.change[..., self._beyond]
        return (change / torch.where(distance > 0, distance, 1.0)).amax(-1)

    @property
    def _beyond(self) -> list[int]:
        return [at for at, length in enumerate(self.lengths) if length > 0]


def landscape(
    norms: Sequence[str] = tuple(NORMS),
    steps: Sequence[int] = STEPS,
    lengths: Sequence[float] = LENGTHS,
    network: Network = Network(),
) -> Landscape:
    r"""Train a network on handwritten digits and look along the gradient as it trains.

    $$L\big(\theta_t - s\,\eta\, \nabla L(\theta_t)\big), \quad
    \big|\nabla L\big(\theta_t - s\,\eta\, \nabla L(\theta_t)\big) - \nabla L(\theta_t)\big|$$

    for all lengths s at once, at each of the training steps t; L is the cross-entropy of the step's
    mini-batch. Every norm starts from the same weights (normal, variance 2 / inputs), gain 1, bias
    0, and meets the same mini-batches.

    **What was shown, and what was not.** Santurkar et al. drew this for BatchNorm, on VGG and
    CIFAR-10: loss and gradient vary less along the gradient, and they see in that the reason why
    BatchNorm helps. They did not show it for LayerNorm, and it is contested for norms at large:
    Karakida et al. find, by the Fisher matrix of wide random networks, that BatchNorm removes sharp
    directions in the last layer, hardly in the hidden ones, and that LayerNorm does not remove
    them; Xu et al. find the reason for LayerNorm in the derivatives of mean and variance.

    What this small network shows (medians over the steps, seeds 0 to 2): at rate 0.1 the loss
    varies along the gradient 20 to 21 times less with BatchNorm than without a norm, with LayerNorm
    1.6 to 2 times less. At rate 0.03 neither varies clearly less; BatchNorm's gradients are
    then 6 to 12 times more predictive, LayerNorm's less than without a norm. With `centered` pixels
    at rate 0.1 the loss varies alike with all three, within a factor of 2.3, and BatchNorm's
    gradients are 3 to 4 times more predictive instead of 21 to 24: most of what BatchNorm does
    here is to take out the mean of its inputs over the cases, which LayerNorm leaves in.

    One more caution (derived): under a norm, weights c times as long give the same function,
    gradients 1/c and smoothness 1/c^2. So neither compares networks whose weights differ in
    length, and "the same learning rate" is not the same step.

    Args:
        norms: keys of `NORMS`.
        steps: training steps to look at, rising, from 0.
        lengths: multiples of the learning rate, 0 or more, one of them above 0.
        network: its shape and training.

    Returns:
        Losses and changes of the gradient. Losses beyond `LOST` are given as `LOST`.

    Raises:
        ValueError: an unknown norm, steps that do not rise from 0 or more, lengths that are not
            allowed, or a mini-batch larger than the data.

    Source: Santurkar, Tsipras, Ilyas and Madry 2018 (arXiv 1805.11604);
        Karakida, Akaho and Amari 2019 (arXiv 1906.02926); Xu et al. 2019 (Understanding and
        Improving Layer Normalization). Data: scikit-learn's `load_digits`.

    >>> seen = landscape(["none", "batch"], steps=[0, 3], lengths=[0.0, 1.0, 2.0])
    >>> seen.loss.shape, seen.trained.shape
    (torch.Size([2, 2, 3]), torch.Size([2, 4]))
    """
    _check(norms, steps, lengths)
    digits = digit_images()
    cases, labels = digits.images.to(device()), digits.targets.to(device())
    if network.centered:
        cases = cases - cases.mean(0)
    rows = _batches(network, steps[-1] + 1, len(cases))
    found = [_train(network, norm, steps, lengths, cases, labels, rows) for norm in norms]
    loss, change, gradient, trained = (torch.stack(part) for part in zip(*found, strict=True))
    return Landscape(
        tuple(norms),
        tuple(steps),
        tuple(lengths),
        network.rate,
        loss.nan_to_num(LOST, LOST).clamp(max=LOST),
        change.nan_to_num(LOST, LOST).clamp(max=LOST),
        gradient,
        trained,
    )


class Mlp(nn.Module):
    r"""A network for the digits: $h = \mathrm{ReLU}(g \hat a + b)$ layer after layer, then logits.

    Without a norm there is no gain, and $\hat a = a$. The last layer has no norm.

    Args:
        network: its shape, and the seed of its weights.
        norm: a key of `NORMS`.
        inputs: how many each case has.
    """

    def __init__(self, network: Network, norm: str, inputs: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(network.seed)
        self.norm = NORMS[norm]
        sizes = [inputs, *[network.width] * network.depth, CLASSES]
        self.weights = nn.ParameterList(
            torch.randn(after, before, generator=generator) * (2 / before) ** 0.5
            for before, after in pairwise(sizes)
        )
        self.biases = nn.ParameterList(torch.zeros(size) for size in sizes[1:])
        self.gains = nn.ParameterList(torch.ones(size) for size in sizes[1:-1] if self.norm)

    def forward(self, x: Float[Tensor, "N I"]) -> Float[Tensor, "N classes"]:
        """Return the logits."""
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            if layer:
                x = torch.relu(x)
            x = x @ weight.T
            if self.norm and layer < len(self.gains):
                x = self.norm.apply(x, "ND", gain=self.gains[layer], bias=bias).y
            else:
                x = x + bias
        return x


def _train(
    network: Network,
    norm: str,
    steps: Sequence[int],
    lengths: Sequence[float],
    cases: Tensor,
    labels: Tensor,
    rows: Int[Tensor, "trained batch"],
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Train one network; return losses and changes along the gradient, its length, and losses."""
    # A training at the edge of what is stable makes differences of rounding grow: in float64
    # they stay too small to see. Looking along its steps takes longer, and float32 is enough.
    model = Mlp(network, norm, cases.shape[-1]).to(cases.device, torch.float64)
    parameters = {name: value.detach() for name, value in model.named_parameters()}
    taken = network.rate * cases.new_tensor(tuple(lengths))

    def loss_of(parameters: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return F.cross_entropy(functional_call(model, parameters, (x,)), y)

    everywhere = vmap(vmap(loss_of, (0, None, None)))  # steps, then lengths
    seen, trained = [], []
    for step, batch in enumerate(rows):
        loss, gradient = _descent(loss_of, parameters, cases[batch].double(), labels[batch])
        trained.append(loss)
        if step in steps:
            seen.append((parameters, gradient))
        if loss < LOST:
            parameters = {n: p - network.rate * gradient[n] for n, p in parameters.items()}
    losses, changes, sizes = [], [], []
    for at in range(0, len(steps), PIECE):
        batch = rows[list(steps[at : at + PIECE])]  # T,N
        starts, slopes = (_together(parts) for parts in zip(*seen[at : at + PIECE], strict=True))
        there = {
            name: value[:, None] - taken.view(-1, *[1] * (value.dim() - 1)) * slopes[name][:, None]
            for name, value in starts.items()
        }
        along, gradients = _descent(everywhere, there, cases[batch], labels[batch])  # T,L
        losses.append(along)
        changes.append(_length({n: g - slopes[n][:, None] for n, g in gradients.items()}, 2))
        sizes.append(_length(slopes, 1))
    return torch.cat(losses), torch.cat(changes), torch.cat(sizes), torch.stack(trained).float()


def _together(parts: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Return tensors of the same names, stacked, in float32."""
    return {name: torch.stack([part[name] for part in parts]).float() for name in parts[0]}


def _descent(
    loss_of: Callable[..., Tensor], parameters: dict[str, Tensor], x: Tensor, y: Tensor
) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the losses and their gradients; positions do not see each other, so sums do."""
    leaves = {name: value.detach().requires_grad_() for name, value in parameters.items()}
    loss = loss_of(leaves, x, y)
    gradients = torch.autograd.grad(loss.sum(), list(leaves.values()))
    return loss.detach(), dict(zip(leaves, gradients, strict=True))


def _length(parts: dict[str, Tensor], leading: int) -> Tensor:
    """Return the length of vectors held in parts, leading dimensions kept."""
    flat = torch.cat([part.flatten(leading) for part in parts.values()], -1)
    return flat.square().sum(-1).sqrt()


def _batches(network: Network, count: int, cases: int) -> Int[Tensor, "trained batch"]:
    """Return the rows of every mini-batch: shuffled anew each time all cases were seen."""
    if network.batch > cases:
        raise ValueError(
            f"A mini-batch holds no more than the {cases} cases there are, got batch="
            f"{network.batch}."
        )
    generator = torch.Generator().manual_seed(network.seed)
    per_pass = cases // network.batch
    passes = [
        torch.randperm(cases, generator=generator)[: per_pass * network.batch]
        for _ in range(-(-count // per_pass))
    ]
    return torch.cat(passes).view(-1, network.batch)[:count]


def _check(norms: Sequence[str], steps: Sequence[int], lengths: Sequence[float]) -> None:
    unknown = [norm for norm in norms if norm not in NORMS]
    if unknown or not norms:
        raise ValueError(f"norms must be out of {', '.join(NORMS)}, at least one; got {norms!r}.")
    rising = all(before < after for before, after in pairwise(steps))
    if not steps or steps[0] < 0 or not rising:
        raise ValueError(
            f"steps must rise from 0 or more, at least one; got {tuple(steps)}. "
            f"For example range(0, 100, 10)."
        )
    allowed = all(0 <= length < float("inf") for length in lengths)
    if not allowed or not any(length > 0 for length in lengths):
        raise ValueError(
            f"lengths must be finite, 0 or more, and one above 0; got {tuple(lengths)}."
        )
