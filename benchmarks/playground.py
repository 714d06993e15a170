"""The playground: 128 networks as one stack beside a loop over modules, and what is kept of them.

Both learn the spiral from the same cases with Adam: four norms, eight rates, four seeds. The loop
takes each network by itself, as PyTorch's manual says. The two take turns within a round; a time is
the median over the rounds, a ratio the median over the rounds of the times in one round.

    python -m benchmarks.playground --layers 2 6 12 --threads 1 2 --rounds 7
"""

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from statistics import median

import torch
from torch import nn

from benchmarks.norms import machine
from benchmarks.recurrence import STEPS, measured
from lnviz.book import find_figure
from lnviz.device import device
from lnviz.topics.playground.asked import BATCH, Asked
from lnviz.topics.playground.data import points
from lnviz.topics.playground.network import UNITS
from lnviz.topics.playground.stored import KEPT, result
from lnviz.topics.playground.trained import learning

NORMS: dict[str, Callable[[], nn.Module]] = {
    "none": lambda: nn.Identity(),
    "batch": lambda: nn.BatchNorm1d(UNITS),
    "layer": lambda: nn.LayerNorm(UNITS),
    "rms": lambda: nn.RMSNorm(UNITS),
}


def network(norm: str, layers: int) -> nn.Sequential:
    """Return one network, of PyTorch's layers."""
    parts: list[nn.Module] = []
    for inputs in [2, *[UNITS] * (layers - 1)]:
        parts += [nn.Linear(inputs, UNITS), NORMS[norm](), nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(UNITS, 1))


def one_by_one(asked: Asked, on: torch.device) -> Iterator[object]:
    """Train one network after the other, all of them at each turn."""
    found = points(asked.data)
    x, targets = found.x.to(on), found.classes.float().to(on)
    (layers,) = asked.depths
    each = list(product(asked.norms, asked.rates, asked.seeds))
    models = [network(norm, layers).to(on) for norm, _, _ in each]
    optimizers = [
        torch.optim.Adam(model.parameters(), lr=rate)
        for model, (_, rate, _) in zip(models, each, strict=True)
    ]
    loss = nn.functional.binary_cross_entropy_with_logits
    while True:
        draw = torch.randint(len(x), (BATCH,), device=on)
        for model, optimizer in zip(models, optimizers, strict=True):
            optimizer.zero_grad()
            loss(model(x[draw])[:, 0], targets[draw]).backward()
            optimizer.step()
        yield None


def stacked(asked: Asked, on: torch.device) -> Iterator[object]:
    """Train all networks, a step at each turn."""
    steps = learning(asked, on)
    next(steps)  # what is seen before the first step
    return steps


def beside(given: argparse.Namespace) -> None:
    """Print how long a step takes each way."""
    on = device()
    print("| device | threads | layers | networks | stacked, ms | one at a time, ms | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for threads, layers in product(given.threads, given.layers):
        torch.set_num_threads(threads)
        frames = tuple(range(STEPS * (given.rounds + 1) + 1))
        asked = replace(Asked(frames=frames), places=(layers,))
        ways = {"stacked": stacked(asked, on), "loop": one_by_one(asked, on)}
        times = measured(ways, given.rounds, on.type)
        ratio = median(b / a for a, b in zip(times["stacked"], times["loop"], strict=True))
        ours, loop = (1000 * median(times[way]) for way in ("stacked", "loop"))
        print(
            f"| {on.type} | {threads} | {layers} | {asked.networks} | {ours:.2f} | {loop:.0f} "
            f"| {ratio:.1f} |",
            flush=True,
        )


def kept() -> None:
    """Print what is kept, and what the page's figure makes of it."""
    figure = find_figure("playground", "networks")
    assert figure is not None
    print("\n| networks | file, kB | read, s | payload, s | payload, kB | compressed, kB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for stored in KEPT:
        asked = stored.default
        begun = time.process_time()
        result(asked.data, asked.axis, asked.bias)
        read = time.process_time() - begun
        query = {
            "data": asked.data,
            "across": asked.axis,
            "bias": "with" if asked.bias else "without",
        }
        begun = time.process_time()
        document = json.dumps(figure.payload(figure.parse(query))).encode()
        spent = time.process_time() - begun
        sizes = (stored.path.stat().st_size, len(document), len(gzip.compress(document)))
        file, whole, compressed = (f"{size / 1000:.0f}" for size in sizes)
        print(f"| {stored.name} | {file} | {read:.2f} | {spent:.2f} | {whole} | {compressed} |")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--layers", nargs="+", type=int, default=[2, 6, 12])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, torch.get_num_threads()])
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    print(machine(), end="\n\n")
    beside(given)
    kept()


if __name__ == "__main__":
    main()
