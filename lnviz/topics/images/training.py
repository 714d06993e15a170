"""Train a convolutional network on digits under each number of groups, and write down how it fared.

    python -m lnviz.topics.images.training

trains every norm at every batch size, all seeds at once, and writes the result that the lesson
shows.
"""

from __future__ import annotations

from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.data.examples import digit_images
from lnviz.results import GROUPS
from lnviz.results.making import Report, progress, run, versions
from lnviz.rounding import numbers
from lnviz.topics.images.groups import KEYS, Comparison, Specification, network
from lnviz.training import Runs, draws, outputs, start, train


def compare(
    specification: Specification, *, report: Report = lambda label, step: None
) -> Comparison:
    """Train a network under each norm at each batch size, and test it.

    Args:
        specification: what to do.
        report: called after every batch size, with the key of the norm and the sizes done.

    Returns:
        What became of each.
    """
    digits = digit_images()
    x, labels = digits.images.unflatten(1, (1, 8, 8)), digits.targets
    kept = digits.kept
    accuracy, filters = {}, {}
    for key in KEYS:
        shares = []
        for done, batch in enumerate(specification.batches, 1):
            runs = _trained(key, batch, specification, x[~kept], labels[~kept])
            shares.append(_right(runs, x[kept], labels[kept]))
            report(key, done)
        accuracy[key] = numbers(torch.stack(shares))
        filters[key] = runs.parameters["0.weight"][0, :, 0].detach()
    return Comparison(
        specification=specification,
        train=int((~kept).sum()),
        test=int(kept.sum()),
        accuracy=accuracy,
        filters=numbers(filters["batch"]),
        versions=versions(),
    )


def _trained(
    key: str,
    batch: int,
    specification: Specification,
    x: Float[Tensor, "N 1 H W"],
    labels: Int[Tensor, " N"],
) -> Runs:
    runs = start(lambda: network(key), specification.seeds)
    drawn = draws(specification.seeds, len(x), steps=specification.images // batch, batch=batch)
    batches = ((x[draw], labels[draw]) for draw in drawn)
    optimizer = partial(torch.optim.SGD, momentum=specification.momentum)
    for _ in train(runs, batches, rate=specification.rate_at(batch), optimizer=optimizer):
        pass
    return runs


def _right(
    runs: Runs, x: Float[Tensor, "N 1 H W"], labels: Int[Tensor, " N"]
) -> Float[Tensor, " R"]:
    return (outputs(runs, x).argmax(-1) == labels).float().mean(1)


def main() -> None:
    """Run from a command line."""
    found = run(
        GROUPS,
        "Train a convolutional network on digits under each number of groups.",
        Specification(),
        {"images": "that a run learns from"},
        lambda wanted: compare(wanted, report=progress(len(wanted.batches))),
    )
    for key, rows in found.accuracy.items():
        shown = " ".join(f"{sum(row) / len(row):.3f}" for row in rows)
        print(f"{key:>5} share named right by batch size: {shown}")


if __name__ == "__main__":
    main()
