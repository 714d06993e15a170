"""Reproduction of figure 6 of Ba, Kiros and Hinton (2016) on ten thousand MNIST images."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from lnviz.data.mnist import read_bytes
from lnviz.results.arrays import ArrayDataset, Axes, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.lab.digits import PAPER
from lnviz.topics.lab.mnist import MNIST
from lnviz.training.experiment import TrainingSpec
from lnviz.training.group import RunGroup


@dataclass(frozen=True)
class FigureSixSpec:
    """Settings for the reproduction of figure 6 of Ba, Kiros and Hinton (2016).

    Args:
        norms: keys of `lnviz.topics.lab.digits.NORMS`; BatchNorm is applied in all three layers,
            other norms only in the two hidden layers.
        batch_sizes: numbers of examples in a batch.
        steps: number of training steps, for each batch size.
        points: number of measurements of each run, without the one before training; divides all
            `steps`.
        rate: learning rate of Adam.
        seeds: the seed of each run.

    Raises:
        ValueError: `steps` and `batch_sizes` differ in length, or `points` does not divide one of
            the `steps`.
    """

    norms: tuple[str, ...] = ("none", "batch", "layer")
    batch_sizes: tuple[int, ...] = (128, 4)
    steps: tuple[int, ...] = (1000, 3000)
    points: int = 20
    rate: float = 0.001
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)

    def __post_init__(self) -> None:
        if len(self.steps) != len(self.batch_sizes):
            raise ValueError(
                f"Each batch size has its own number of steps, got {len(self.batch_sizes)} batch "
                f"sizes and {len(self.steps)} numbers. Give as many of each."
            )
        uneven = [steps for steps in self.steps if steps < 1 or steps % self.points]
        if uneven:
            raise ValueError(
                f"Runs are measured {self.points} times at even distances, got {uneven[0]} steps. "
                "Use a multiple."
            )


def train_figure_six(
    specification: FigureSixSpec, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train the networks of section 6.6 with each norm and batch size, on the same batches.

    Args:
        specification: the settings.
        on: the device to train on.
        report: called at each measurement with norm and batch size, and the number of measurements.

    Returns:
        `step`: the training step of each measurement, by batch size and measurement. `loss`: mean
        training loss since the previous measurement, in nats, by norm, batch size, seed and
        measurement; NaN before training. `test_loss` and `test_error`: loss and error on the test
        split, on the same axes. `train_images` and `test_images`: numbers of images.

    Raises:
        Unavailable: the images have not been downloaded.

    Source: Ba, Kiros and Hinton 2016, section 6.6 and figure 6.
    """
    experiment = MNIST.with_file(read_bytes())
    data = experiment.data()
    curves: dict[str, list[Tensor]] = {"loss": [], "test_loss": [], "test_error": []}
    for norm in specification.norms:
        for size, steps in zip(specification.batch_sizes, specification.steps, strict=True):
            group_specification = TrainingSpec(
                experiment=experiment.name,
                norms=(norm,),
                batch_sizes=(size,),
                rates=(specification.rate,),
                seeds=specification.seeds,
                steps=steps,
                every=steps // specification.points,
                head=PAPER,
                file=experiment.default.file,
            )
            experiment.check(group_specification)
            group = RunGroup(experiment, group_specification, norm, size, on)
            measured = []
            for point in group.train():
                if point is not None:
                    tested = group.test()
                    measured.append(torch.stack([point.loss, tested.loss, tested.error]).cpu())
                    report(f"{norm}, batches of {size}", len(measured) - 1)
            for values, of_group in zip(curves.values(), torch.stack(measured, -1), strict=True):
                values.append(of_group)  # seeds,points
    shape = (len(specification.norms), len(specification.batch_sizes))
    step = (
        torch.tensor(specification.steps)[:, None]
        * torch.arange(specification.points + 1)
        // specification.points
    )
    axes: Axes = {
        "norm": specification.norms,
        "batch_size": specification.batch_sizes,
        "seed": specification.seeds,
        "point": tuple(range(specification.points + 1)),
    }
    over = ("norm", "batch_size", "seed", "point")
    return ArrayDataset(
        axes,
        {
            name: NamedArray(over, torch.stack(each).unflatten(0, shape))
            for name, each in curves.items()
        }
        | {
            "step": NamedArray(("batch_size", "point"), step),
            "train_images": NamedArray((), torch.tensor(len(data.train.x))),
            "test_images": NamedArray((), torch.tensor(len(data.test.x))),
        },
    )


FIGURE_SIX = Artifact(
    "mnist",
    "The networks of section 6.6 of Ba et al. (2016), trained on 10,000 MNIST images.",
    "results",
    train_figure_six,
    FigureSixSpec(),
    {"norms": ("layer",), "batch_sizes": (4,), "steps": (4,), "points": 2, "seeds": (0, 1)},
    count_steps=lambda specification: specification.points,
)
