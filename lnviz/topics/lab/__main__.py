"""Train the network of digits under every norm at every batch size, and write down how it fared.

    python -m lnviz.topics.lab

trains all seeds of a norm and a batch size at once, and writes the result that the lesson shows.
"""

from __future__ import annotations

import torch

from lnviz.device import device
from lnviz.results import LAB
from lnviz.results.making import Report, named, progress, run, versions
from lnviz.rounding import numbers
from lnviz.topics.lab.comparison import SPECIFICATION, Comparison, Trained, as_in_the_paper
from lnviz.topics.lab.digits import DIGITS
from lnviz.training.experiment import Specification
from lnviz.training.group import Group, Point


def compare(
    specification: Specification,
    *,
    on: torch.device | str = "cpu",
    report: Report = lambda label, step: None,
) -> Comparison:
    """Train every norm at every batch size on the same draws, and BatchNorm as in the paper.

    Args:
        specification: what to do.
        on: the device to train on.
        report: called after every step, with norm and batch size, and the steps done of them.

    Returns:
        What became of each.

    Raises:
        SpecificationError: it cannot be run.
    """
    trained: list[Trained] = []
    steps: tuple[int, ...] = ()
    for each in (specification, as_in_the_paper(specification)):
        DIGITS.check(each)
        for norm, size in DIGITS.groups(each):
            group = Group(DIGITS, each, norm, size, on)
            points: list[Point] = []
            for point in group.points():
                report(f"{norm}, batches of {size}, {each.head}", group.step)
                points += [point] if point else []
            trained.append(_trained(group, points))
            steps = tuple(point.step for point in points)
    data = DIGITS.data()
    return Comparison(
        specification=specification,
        points=steps,
        trained=tuple(trained),
        train=len(data.train.x),
        validation=len(data.validation.x),
        test=len(data.test.x),
        versions=versions(),
        device=named(torch.device(on)),
    )


def _trained(group: Group, points: list[Point]) -> Trained:
    tested = group.tested()
    runs = {
        name: numbers(torch.stack([getattr(point, name) for point in points], 1))
        for name in ("loss", "validation_loss", "validation_error")
    }
    scales = {
        name.replace(" ", "_"): tuple(
            numbers(torch.stack([point.scales[name][layer].mean() for point in points]))
            for layer in points[0].scales[name]
        )
        for name in ("activations", "gradients", "gains", "gain spreads")
    }
    return Trained(
        norm=group.norm,
        batch_size=group.batch_size,
        head=group.specification.head,
        seconds=numbers(torch.tensor([point.seconds for point in points])),
        test_loss=numbers(tested.loss),
        test_error=numbers(tested.error),
        **runs,
        **scales,
    )


def main() -> None:
    """Run from a command line."""
    # Matrices are small: more threads would mostly wait for each other.
    torch.set_num_threads(1)
    found = run(
        LAB,
        "Train a network of digits under every norm at every batch size.",
        SPECIFICATION,
        {"steps": "batches that each run learns from", "every": "batches between measurements"},
        lambda wanted: compare(wanted, on=device(), report=progress(wanted.steps)),
    )
    for each in found.trained:
        shown = " ".join("diverged" if e is None else f"{e:.3f}" for e in each.test_error)
        print(f"{each.norm:<7} {each.batch_size:>4} {each.head:<6} test error by seed: {shown}")


if __name__ == "__main__":
    main()
