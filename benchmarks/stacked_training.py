"""One training step of 32 runs of an experiment: stacked, beside one at a time.

Both learn from the same cases with Adam. The loop takes each run by itself, as PyTorch's manual
says; stacked, the runs are one group. The two take turns within a round; a time is the median over
the rounds, a ratio the median over the rounds of the times in one round.

    python -m benchmarks.stacked_training --norms none layer --batch-sizes 4 128 --rounds 15
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from statistics import median

import torch

from benchmarks.harness import STEPS, alternate, machine
from lnviz.device import device
from lnviz.topics.lab import EXPERIMENTS
from lnviz.training.experiment import Experiment, TrainingSpec
from lnviz.training.group import RunGroup


def one_by_one(
    experiment: Experiment, specification: TrainingSpec, norm: str, on: torch.device
) -> Iterator[object]:
    """Train one model after the other, all of them at each turn."""
    s, train = specification, experiment.data().to(on).train
    models = [experiment.build(norm, s.head).to(on) for _ in s.seeds]
    optimizers = [torch.optim.Adam(model.parameters(), lr=s.rates[0]) for model in models]
    (size,) = s.batch_sizes
    while True:
        drawn = torch.randint(len(train.x), (len(models), size), device=on)
        for draw, model, optimizer in zip(drawn, models, optimizers, strict=True):
            optimizer.zero_grad()
            experiment.loss(model(train.x[draw]), train.targets[draw]).backward()
            optimizer.step()
        yield None


def stacked(group: RunGroup) -> Iterator[object]:
    """Train a group, a step at each turn."""
    points = group.train()
    next(points)  # what is measured before the first step
    return points


def steps(given: argparse.Namespace) -> None:
    """Print how long a step takes each way."""
    experiment, on = EXPERIMENTS[given.experiment], device()
    print("| device | norm | batch | stacked, ms | one at a time, ms | ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    for norm, size in product(given.norms, given.batch_sizes):
        count = STEPS * (given.rounds + 1) + 1
        wanted = replace(
            experiment.default,
            norms=(norm,),
            batch_sizes=(size,),
            seeds=tuple(range(given.runs)),
            steps=count,
            every=count,
        )
        ways = {
            "stacked": stacked(RunGroup(experiment, wanted, norm, size, on)),
            "loop": one_by_one(experiment, wanted, norm, on),
        }
        times = alternate(ways, given.rounds, on.type)
        ratio = median(b / a for a, b in zip(times["stacked"], times["loop"], strict=True))
        ours, loop = (1000 * median(times[way]) for way in ("stacked", "loop"))
        print(
            f"| {on.type} | {norm} | {size} | {ours:.2f} | {loop:.1f} | {ratio:.1f} |", flush=True
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    own = [name for name, each in EXPERIMENTS.items() if each.load_file is None]
    parser.add_argument("--experiment", choices=own, default="digits")
    parser.add_argument("--norms", nargs="+", default=["none", "batch", "layer", "rms"])
    parser.add_argument("--batch-sizes", nargs="+", type=int, default=[4, 128])
    parser.add_argument("--runs", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    print(machine(), end="\n\n")
    steps(given)


if __name__ == "__main__":
    main()
