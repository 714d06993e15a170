"""Experiment on overfitting: networks trained on few digits, by norm and batch size.

All seeds of a norm and a batch size are trained at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lnviz.data.examples import digit_images
from lnviz.norms import BATCH, CATALOGUE, normalize
from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.batch.sampling import epoch_batches, shuffled_epochs
from lnviz.training import Runs, initialize, predict, train

CLASSES = 10
MOMENTUM = 0.1  # PyTorch's
Data = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class RegularizerSpecification:
    """Settings of the overfitting experiment, the same for every norm and every batch size.

    A network of two hidden layers classifies handwritten digits. It sees every training image once
    per epoch, so smaller batches mean more steps. To separate the two effects, one variant always
    uses batches of the largest size and computes statistics over chunks of them ("ghost"
    BatchNorm; Hoffer, Hubara and Soudry 2017, arXiv 1705.08741). It has the noise of a small batch
    and the number of steps of a large batch.

    Attributes:
        units: number of units of each hidden layer.
        images: number of training images.
        sizes: batch sizes, or chunk sizes of the variant, ascending; each divides the largest.
        epochs: number of epochs; an epoch's incomplete last batch is dropped.
        rate: Adam's learning rate, the same for all networks and tuned for none of them.
        seeds: the seeds, one per run.
    """

    units: int = 64
    images: int = 300
    sizes: tuple[int, ...] = (2, 4, 8, 16, 32, 64, 128)
    epochs: int = 40
    rate: float = 0.003
    seeds: tuple[int, ...] = tuple(range(8))

    def __post_init__(self) -> None:
        if not all(2 <= size <= self.images for size in self.sizes):
            raise ValueError(
                f"A batch has from 2 cases to all {self.images} images, got {self.sizes}. "
                f"BatchNorm needs two."
            )
        if any(self.sizes[-1] % size for size in self.sizes):
            raise ValueError(f"Each size has to divide the last, got {self.sizes}.")


class GhostBatchNorm(nn.BatchNorm1d):
    """BatchNorm whose training statistics cover a small chunk of the batch ("ghost" BatchNorm).

    Args:
        units: D.
        size: examples per chunk; divides the batch size.
    """

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, units: int, size: int) -> None:
        super().__init__(units)
        self.size = size

    def forward(self, x: Float[Tensor, "N D"]) -> Float[Tensor, "N D"]:
        """Normalize each chunk of the batch separately, then apply gain and bias."""
        if not self.training:
            return super().forward(x)
        shares = x.unflatten(0, (-1, self.size))  # K,B,D
        result = normalize(shares, 1, gain=self.weight, bias=self.bias, eps=self.eps)
        with torch.no_grad():
            # Written out, since vmap has no batching rule for lerp_.
            for running, seen in (
                (self.running_mean, result.mean),
                (self.running_var, result.var * self.size / (self.size - 1)),
            ):
                running.mul_(1 - MOMENTUM).add_(seen.mean((0, 1)), alpha=MOMENTUM)
        return result.y.flatten(0, 1)


NORMS: dict[str, Callable[[int, int], nn.Module]] = {
    "none": lambda units, size: nn.Identity(),
    "batch": lambda units, size: nn.BatchNorm1d(units, momentum=MOMENTUM),
    "layer": lambda units, size: nn.LayerNorm(units),
    "ghost": GhostBatchNorm,
}


def label(norm: str) -> str:
    """Return the display name of a trained network, given the key of its norm."""
    return f"Ghost {BATCH.label}" if norm == "ghost" else CATALOGUE[norm].label


def compare(
    specification: RegularizerSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train and test a network for each norm and batch size, on the same images in the same order.

    Args:
        specification: the settings.
        on: the device to train on.
        report: called after every batch size, with the label of the norm and the sizes done.

    Returns:
        Error rates (`train_error`, `test_error`) and cross-entropy in nats (`train_loss`,
        `test_loss`) at inference, by norm, batch size and seed; the norm `"ghost"` is BatchNorm
        over chunks. `test_images`: number of test images.
    """
    s = specification
    learned, asked = ((x.to(on), t.to(on)) for x, t in _split(s.images))
    measures = []
    for key in NORMS:
        for done, size in enumerate(s.sizes, 1):
            runs = initialize(partial(_network, key, s.units, size), s.seeds, on)
            batches = _batches(learned, s.sizes[-1] if key == "ghost" else size, s)
            for _ in train(runs, batches, rate=s.rate):
                pass
            of_both = [measure for data in (learned, asked) for measure in _measured(runs, data)]
            measures.append(torch.stack(of_both))  # 4,R
            report(label(key), done)
    by_norm = torch.stack(measures, 1).unflatten(1, (len(NORMS), -1))  # 4,norms,sizes,R
    names = ("train_error", "train_loss", "test_error", "test_loss")
    over = ("norm", "batch_size", "seed")
    arrays = {name: NamedArray(over, values) for name, values in zip(names, by_norm, strict=True)}
    return ArrayDataset(
        {"norm": tuple(NORMS), "batch_size": s.sizes, "seed": s.seeds},
        arrays | {"test_images": NamedArray((), torch.tensor(len(asked[0])))},
    )


def _split(images: int) -> tuple[Data, Data]:
    """Return training images, evenly spaced in the data set; all other images are test images."""
    digits = digit_images()
    kept = torch.zeros(len(digits.images), dtype=torch.bool)
    kept[torch.arange(images) * len(kept) // images] = True
    learned = (digits.images[kept], digits.targets[kept])
    return learned, (digits.images[~kept], digits.targets[~kept])


def _network(key: str, units: int, size: int) -> nn.Sequential:
    norm = NORMS[key]
    return nn.Sequential(
        *(nn.Linear(64, units), norm(units, size), nn.ReLU()),
        *(nn.Linear(units, units), norm(units, size), nn.ReLU()),
        nn.Linear(units, CLASSES),
    )


def _batches(data: Data, size: int, specification: RegularizerSpecification) -> Iterator[Data]:
    """Yield a batch for each run at every training step, in an order set by the seed alone."""
    x, targets = data
    count = specification.epochs * (len(x) // size)
    orders = [
        shuffled_epochs(len(x), specification.epochs, torch.Generator().manual_seed(seed))
        for seed in specification.seeds
    ]
    drawn = torch.stack([epoch_batches(order, size, count) for order in orders], 1)  # steps,R,B
    for step in drawn.to(x.device):
        yield x[step], targets[step]


def _measured(runs: Runs, data: Data) -> tuple[Tensor, Tensor]:
    """Return the error rate and the cross-entropy of every run in evaluation mode."""
    x, targets = data
    scores = predict(runs, x)  # R,N,classes
    wrong = (scores.argmax(-1) != targets).float().mean(1)
    targets = targets.expand(len(scores), -1)
    return wrong, cross_entropy(scores.movedim(-1, 1), targets, reduction="none").mean(1)


REGULARIZER = Artifact(
    "regularizer",
    "Networks trained on few images of digits, with batches of many sizes.",
    "batch",
    compare,
    RegularizerSpecification(),
    {"units": 4, "images": 8, "sizes": (2, 4), "epochs": 1, "seeds": (0, 3)},
    count_steps=lambda s: len(s.sizes),
)
