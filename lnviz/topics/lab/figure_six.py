"""Section 6.6 of the paper, trained anew on ten thousand images of MNIST: its figure 6."""

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
    """What is trained, the same with every norm.

    Args:
        norms: keys of `lnviz.topics.lab.digits.NORMS`; BatchNorm stands on all three layers, others
            on the two hidden ones.
        batch_sizes: cases that a step learns from.
        steps: how many batches each run learns from, for each batch size.
        points: how often each run is measured, the start apart; divides all `steps`.
        rate: Adam's learning rate.
        seeds: one a run.

    Raises:
        ValueError: there are not as many `steps` as batch sizes, or `points` does not divide one.
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
    asked: FigureSixSpec, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Train the networks of section 6.6 under each norm at each batch size, on the same batches.

    Args:
        asked: what to do.
        on: the device to train on.
        report: called at every measurement, with norm and batch size, and the measurements done.

    Returns:
        `step`: the batches learned from, by batch size and point. `loss`: in training, the mean
        over the batches since the point before, in nats, by norm, batch size, seed and point; NaN
        at the start. `test_loss` and `test_error`: of the images that nothing was learned from.
        `train_images` and `test_images`: how many there are.

    Raises:
        Unavailable: the images are not here.

    Source: Ba, Kiros and Hinton 2016, section 6.6 and figure 6.
    """
    experiment = MNIST.with_file(read_bytes())
    data = experiment.data()
    kept: dict[str, list[Tensor]] = {"loss": [], "test_loss": [], "test_error": []}
    for norm in asked.norms:
        for size, steps in zip(asked.batch_sizes, asked.steps, strict=True):
            wanted = TrainingSpec(
                experiment=experiment.name,
                norms=(norm,),
                batch_sizes=(size,),
                rates=(asked.rate,),
                seeds=asked.seeds,
                steps=steps,
                every=steps // asked.points,
                head=PAPER,
                file=experiment.default.file,
            )
            experiment.check(wanted)
            group = RunGroup(experiment, wanted, norm, size, on)
            measured = []
            for point in group.train():
                if point is not None:
                    tested = group.test()
                    measured.append(torch.stack([point.loss, tested.loss, tested.error]).cpu())
                    report(f"{norm}, batches of {size}", len(measured) - 1)
            for values, of_group in zip(kept.values(), torch.stack(measured, -1), strict=True):
                values.append(of_group)  # seeds,points
    shape = (len(asked.norms), len(asked.batch_sizes))
    step = torch.tensor(asked.steps)[:, None] * torch.arange(asked.points + 1) // asked.points
    axes: Axes = {
        "norm": asked.norms,
        "batch_size": asked.batch_sizes,
        "seed": asked.seeds,
        "point": tuple(range(asked.points + 1)),
    }
    over = ("norm", "batch_size", "seed", "point")
    return ArrayDataset(
        axes,
        {
            name: NamedArray(over, torch.stack(each).unflatten(0, shape))
            for name, each in kept.items()
        }
        | {
            "step": NamedArray(("batch_size", "point"), step),
            "train_images": NamedArray((), torch.tensor(len(data.train.x))),
            "test_images": NamedArray((), torch.tensor(len(data.test.x))),
        },
    )


FIGURE_SIX = Artifact(
    "mnist",
    "The networks of section 6.6 of the paper, trained on ten thousand images of MNIST.",
    "results",
    train_figure_six,
    FigureSixSpec(),
    {"norms": ("layer",), "batch_sizes": (4,), "steps": (4,), "points": 2, "seeds": (0, 1)},
    count_steps=lambda asked: asked.points,
)
