"""Train deep networks on digits, with and without LayerNorm, from weights of many sizes.

    python -m lnviz.topics.depth.learning

trains all weight scales and seeds at once, on the GPU where there is one, and writes the result
that the lesson shows; `--quick` shows in a moment that it runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import nn

from lnviz.data.examples import digit_images
from lnviz.device import device
from lnviz.results import DEPTH
from lnviz.results.making import Report, named, progress, versions, write
from lnviz.rounding import numbers
from lnviz.topics.depth.comparison import SPECIFICATIONS, Comparison, Outcome, Result, Specification
from lnviz.topics.depth.spread import EPS, Network
from lnviz.training import draws, join, outputs, start, train

NORMS: dict[str, Callable[[int], nn.Module]] = {
    "none": lambda _: nn.Identity(),
    "layer": lambda units: nn.LayerNorm(units, EPS, elementwise_affine=False),
}
"""LayerNorm stands without gain and bias, so that both networks learn the same numbers."""
CLASSES = 10


def network(norm: str, layers: int, scale: float) -> nn.Sequential:
    """Return the network of `lnviz.topics.depth.spread`, and one more layer that names a digit.

    Args:
        norm: a key of `NORMS`.
        layers: L.
        scale: of the weights at the start.

    >>> len(list(network("layer", 3, 1.0).parameters()))
    5
    """
    units = digit_images().images.shape[1]
    seed = int(torch.randint(2**31, ()))
    parts: list[nn.Module] = []
    for weight in Network(layers=layers, seed=seed).weights(units):
        linear = nn.Linear(units, units, bias=False)
        linear.weight.data = scale * weight
        parts += [linear, NORMS[norm](units), nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(units, CLASSES))


def compare(
    specification: Specification,
    *,
    on: torch.device | str = "cpu",
    report: Report = lambda label, step: None,
) -> Comparison:
    """Train the networks with each norm on the same batches, and test them.

    Args:
        specification: what to do.
        on: the device to train on.
        report: called after every batch, with the norm and the batches done.

    Returns:
        What became of each.
    """
    digits = digit_images()
    images, targets = digits.images.to(on), digits.targets.to(on)
    kept = digits.kept.to(on)
    outcomes = {}
    for norm in NORMS:
        s = specification
        built = [partial(network, norm, s.layers, scale) for scale in s.scales]
        runs = join([start(build, s.seeds, on) for build in built])
        x, names = images[~kept], targets[~kept]
        drawn = draws(runs.seeds, len(x), steps=s.steps, batch=s.batch).to(x.device)
        losses = []
        for loss in train(runs, ((x[draw], names[draw]) for draw in drawn), rate=s.rate):
            losses.append(loss)
            report(f"{s.layers} layers, {norm}", len(losses))
        means = torch.stack(losses, 1).unflatten(1, (-1, s.every)).mean(-1)  # runs,points
        right = (outputs(runs, images[kept]).argmax(-1) == targets[kept]).float().mean(1)
        shape = (len(s.scales), len(s.seeds))
        outcomes[norm] = Outcome(
            numbers(means.unflatten(0, shape)), numbers(right.unflatten(0, shape))
        )
    count = int(kept.sum())
    return Comparison(specification, len(images) - count, count, outcomes)


def main() -> None:
    """Run from a command line."""
    parser = argparse.ArgumentParser(
        prog=DEPTH.command,
        description="Train deep networks on digits and write down how each fared.",
    )
    parser.add_argument("--quick", action="store_true", help="two batches, not four hundred")
    parser.add_argument("--out", type=Path, default=DEPTH.path, help="where to write it")
    given = parser.parse_args()
    comparisons = []
    for each in SPECIFICATIONS:
        wanted = replace(each, steps=2, every=1) if given.quick else each
        comparisons.append(compare(wanted, on=device(), report=progress(wanted.steps)))
    result = Result(tuple(comparisons), versions(), named(device()))
    write(result, given.out)
    for comparison in comparisons:
        for norm, outcome in comparison.norms.items():
            shares = [f"{sum(runs) / len(runs):.0%}" for runs in outcome.accuracy]
            print(f"{comparison.specification.layers} layers, {norm}: {', '.join(shares)} right")


if __name__ == "__main__":
    main()
