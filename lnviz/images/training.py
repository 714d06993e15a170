"""Train a convolutional network on digits under each number of groups, and write down how it fared.

    python -m lnviz.images.training

trains every norm at every batch size, all seeds at once, and writes the result that the lesson
shows.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import torch
from jaxtyping import Float, Int
from torch import Tensor

from lnviz.data.examples import digit_images
from lnviz.images.groups import KEYS, Comparison, Specification, network
from lnviz.results import GROUPS
from lnviz.results.making import numbers, versions
from lnviz.training import Runs, draws, outputs, start, train

TEST_EVERY = 5  # images: each fifth is kept for testing
Report = Callable[[str], None]


def compare(
    specification: Specification,
    keys: Sequence[str],
    *,
    report: Report = lambda line: None,
) -> Comparison:
    """Train a network under each norm at each batch size, and test it.

    Args:
        specification: what to do.
        keys: of the norms; BatchNorm is among them.
        report: called after each, with a line that says how it fared.

    Returns:
        What became of each.
    """
    digits = digit_images()
    x, labels = digits.images.unflatten(1, (1, 8, 8)), digits.targets
    kept = torch.arange(len(x)) % TEST_EVERY == 0
    accuracy = {}
    for key in keys:
        shares = []
        for batch in specification.batches:
            begun = time.perf_counter()
            runs = _trained(key, batch, specification, x[~kept], labels[~kept])
            shares.append(_right(runs, x[kept], labels[kept]))
            spent = time.perf_counter() - begun
            report(f"{key:>5}, batches of {batch}: {shares[-1].mean():.3f} right, {spent:.0f} s")
            if key == "batch":
                filters = runs.parameters["0.weight"][0, :, 0].detach()
        accuracy[key] = numbers(torch.stack(shares))
    return Comparison(
        specification=specification,
        train=int((~kept).sum()),
        test=int(kept.sum()),
        accuracy=accuracy,
        filters=numbers(filters),
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
    default = Specification()
    parser = argparse.ArgumentParser(
        prog=GROUPS.command,
        description="Train a convolutional network on digits under each number of groups.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--images", type=int, default=default.images, help="that a run learns from")
    parser.add_argument("--seeds", type=int, default=len(default.seeds), help="how many runs")
    parser.add_argument("--out", type=Path, default=GROUPS.path, help="where to write it")
    given = parser.parse_args()
    try:
        specification = Specification(images=given.images, seeds=tuple(range(given.seeds)))
        found = compare(specification, KEYS, report=partial(print, file=sys.stderr, flush=True))
    except ValueError as error:
        parser.error(str(error))
    given.out.write_text(found.to_json(), encoding="utf-8")
    print(f"Written to {given.out}, {given.out.stat().st_size / 1000:.0f} kB.")


if __name__ == "__main__":
    main()
