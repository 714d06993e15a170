"""Experiment on images: a convolutional network's accuracy, by norm and batch size.

All seeds of a norm and a batch size are trained at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.data.examples import digit_images
from lnviz.results.arrays import ArrayDataset, Axes, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.images.filters import SIZE
from lnviz.topics.images.groups import CHANNELS, KEYS, network
from lnviz.training import Runs, initialize, predict, sample_batches, train


@dataclass(frozen=True)
class ConvNetSpecification:
    """Settings for training the convolutional network, the same for every norm.

    The learning rate is proportional to the batch size, as in Wu and He 2018 (arXiv 1803.08494,
    section 4.1), and the number of training images is the same for every batch size.

    Args:
        batches: batch sizes, ascending.
        images: number of images per run; a multiple of every batch size.
        rate: SGD's learning rate at batch size 32.
        momentum: SGD's momentum.
        seeds: the seeds, one per run.

    Raises:
        ValueError: a batch size does not divide the number of images.
    """

    batches: tuple[int, ...] = (2, 4, 8, 32)
    images: int = 4320
    rate: float = 0.1
    momentum: float = 0.9
    seeds: tuple[int, ...] = tuple(range(10))

    def __post_init__(self) -> None:
        wrong = [batch for batch in self.batches if batch < 1 or self.images % batch]
        if wrong:
            raise ValueError(
                f"Every run sees the same number of images, got {self.images} in batches of "
                f"{wrong[0]}. Use batch sizes that divide it."
            )

    def rate_at(self, batch: int) -> float:
        """Return the learning rate for a batch size; the two are proportional."""
        return self.rate * batch / 32


def compare(
    specification: ConvNetSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train and test the convolutional network with each norm at each batch size.

    Args:
        specification: the settings.
        on: the device to train on.
        report: called after every batch size, with the norm's key and the number of sizes done.

    Returns:
        `accuracy`: fraction of test images classified correctly after training, by the norm's key,
        batch size and seed. `filters`: the filters of the first convolution, from BatchNorm's first
        run at the largest batch size. `train_images` and `test_images`: numbers of images.
    """
    digits = digit_images()
    x, labels = digits.images.unflatten(1, (1, 8, 8)).to(on), digits.targets.to(on)
    kept = digits.test_mask.to(on)
    batches, seeds = specification.batches, specification.seeds
    shares, filters = [], {}
    for key in KEYS:
        for done, batch in enumerate(batches, 1):
            runs = _trained(key, batch, specification, x[~kept], labels[~kept])
            shares.append(_right(runs, x[kept], labels[kept]))
            report(key, done)
        filters[key] = runs.parameters["0.weight"][0, :, 0].detach()
    side = tuple(range(SIZE))
    axes: Axes = {"norm": KEYS, "batch_size": batches, "seed": seeds}
    axes |= {"filter": tuple(range(CHANNELS)), "row": side, "column": side}
    return ArrayDataset(
        axes,
        {
            "accuracy": NamedArray(
                ("norm", "batch_size", "seed"),
                torch.stack(shares).unflatten(0, (len(KEYS), len(batches))),
            ),
            "filters": NamedArray(("filter", "row", "column"), filters["batch"]),
            "train_images": NamedArray((), (~kept).sum()),
            "test_images": NamedArray((), kept.sum()),
        },
    )


def _trained(
    key: str,
    batch: int,
    specification: ConvNetSpecification,
    x: Float[Tensor, "N 1 H W"],
    labels: Int[Tensor, " N"],
) -> Runs:
    runs = initialize(lambda: network(key), specification.seeds, x.device)
    drawn = sample_batches(
        specification.seeds, len(x), steps=specification.images // batch, batch_size=batch
    )
    batches = ((x[draw], labels[draw]) for draw in drawn.to(x.device))
    optimizer = partial(torch.optim.SGD, momentum=specification.momentum)
    for _ in train(runs, batches, rate=specification.rate_at(batch), optimizer=optimizer):
        pass
    return runs


def _right(
    runs: Runs, x: Float[Tensor, "N 1 H W"], labels: Int[Tensor, " N"]
) -> Float[Tensor, " R"]:
    return (predict(runs, x).argmax(-1) == labels).float().mean(1)


GROUPS = Artifact(
    "groups",
    "A small convolutional network trained with GroupNorm, BatchNorm or no norm.",
    "images",
    compare,
    ConvNetSpecification(),
    {"batches": (2, 4), "images": 8, "seeds": (0, 1)},
    count_steps=lambda s: len(s.batches),
)
