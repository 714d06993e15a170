"""Experiment on depth: deep networks with and without LayerNorm, by initialization scale.

All weight scales, learning rates and seeds are trained at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import repeat

import torch
from torch import nn

from lnviz.data.examples import digit_images
from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.depth.spread import EPS, RandomNetwork
from lnviz.training import concat_runs, initialize, predict, sample_batches, train

NORMS: dict[str, Callable[[int], nn.Module]] = {
    "none": lambda _: nn.Identity(),
    "layer": lambda units: nn.LayerNorm(units, EPS, elementwise_affine=False),
}
"""LayerNorm has neither gain nor bias, so that both networks have the same parameters."""
CLASSES = 10


@dataclass(frozen=True)
class DepthSpecification:
    """Settings of the experiment on depth, the same with and without LayerNorm.

    Args:
        layers: L, square layers with ReLU, before the output layer.
        scales: initialization scales, ascending; scale 1 is He initialization (He et al. 2015).
        rates: Adam's learning rates, ascending.
        seeds: the seeds, one per run.
        batch: examples in a batch.
        steps: number of training steps.
        every: number of steps that a training loss is averaged over.

    Raises:
        ValueError: a number is too small, or `every` does not divide `steps`.
    """

    layers: int = 20
    scales: tuple[float, ...] = (0.25, 0.5, 0.71, 1.0, 1.41, 2.0, 4.0, 8.0, 16.0)
    rates: tuple[float, ...] = (0.0001, 0.0003, 0.001, 0.003, 0.01)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    batch: int = 32
    steps: int = 400
    every: int = 20

    def __post_init__(self) -> None:
        for name in ("layers", "batch", "steps", "every"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if self.steps % self.every:
            raise ValueError(
                f"A loss is averaged over every {self.every} batches, to the end; got "
                f"{self.steps} steps. Use a divisor."
            )


def network(norm: str, layers: int, scale: float) -> nn.Sequential:
    """Return a deep network of square layers and an output layer; see `lnviz.topics.depth.spread`.

    Args:
        norm: a key of `NORMS`.
        layers: L.
        scale: initialization scale.

    >>> len(list(network("layer", 3, 1.0).parameters()))
    5
    """
    units = digit_images().images.shape[1]
    seed = int(torch.randint(2**31, ()))
    parts: list[nn.Module] = []
    for weight in RandomNetwork(layers=layers, seed=seed).weights(units):
        linear = nn.Linear(units, units, bias=False)
        linear.weight.data = scale * weight
        parts += [linear, NORMS[norm](units), nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(units, CLASSES))


def compare(
    specification: DepthSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train deep networks with and without LayerNorm on the same batches, and test them.

    Args:
        specification: the settings.
        on: the device to train on.
        report: called after every batch, with the norm and the number of batches done.

    Returns:
        `loss`: the training loss, averaged over each `every` batches, by norm, initialization
        scale, learning rate, seed and step (the last one of the average). `accuracy`: the fraction
        of test images classified correctly after training. `train_images` and `test_images`:
        numbers of images.
    """
    digits = digit_images()
    images, targets = digits.images.to(on), digits.targets.to(on)
    kept = digits.test_mask.to(on)
    s = specification
    loss_of, accuracy_of = [], []
    for norm in NORMS:
        built = [partial(network, norm, s.layers, scale) for scale in s.scales]
        started = [initialize(build, s.seeds, on) for build in built]
        runs = concat_runs([of_scale for of_scale in started for _ in s.rates])
        rates = torch.tensor(s.rates, device=on).repeat_interleave(len(s.seeds))
        rates = rates.repeat(len(s.scales))
        x, names = images[~kept], targets[~kept]
        drawn = sample_batches(runs.seeds, len(x), steps=s.steps, batch_size=s.batch).to(x.device)
        losses = []
        batches = ((x[draw], names[draw]) for draw in drawn)
        for loss in train(runs, batches, rate=repeat(rates)):
            losses.append(loss)
            report(f"{s.layers} layers, {norm}", len(losses))
        means = torch.stack(losses, 1).unflatten(1, (-1, s.every)).mean(-1)  # runs,points
        right = (predict(runs, images[kept]).argmax(-1) == targets[kept]).float().mean(1)
        shape = (len(s.scales), len(s.rates), len(s.seeds))
        loss_of.append(means.unflatten(0, shape))
        accuracy_of.append(right.unflatten(0, shape))
    over = ("norm", "scale", "rate", "seed")
    return ArrayDataset(
        {
            "norm": tuple(NORMS),
            "scale": s.scales,
            "rate": s.rates,
            "seed": s.seeds,
            "step": tuple(range(s.every, s.steps + 1, s.every)),
        },
        {
            "loss": NamedArray((*over, "step"), torch.stack(loss_of)),
            "accuracy": NamedArray(over, torch.stack(accuracy_of)),
            "train_images": NamedArray((), (~kept).sum()),
            "test_images": NamedArray((), kept.sum()),
        },
    )


DEPTH = Artifact(
    "depth",
    "Deep networks trained on digits, for many initialization scales and learning rates.",
    "why",
    compare,
    DepthSpecification(),
    {"steps": 2, "every": 1, "scales": (1.0,), "rates": (0.001,), "seeds": (0,)},
    count_steps=lambda s: s.steps,
)
