"""One training step of many recurrent networks: all seeds at once beside a loop over the seeds.

Both learn from the same batches of digits, read row by row, with Adam. The loop takes each network
by itself through PyTorch's own autograd; at once, parameters are stacked and go through
`torch.func.vmap`. The two take turns within a round; a time is the median over the rounds, a ratio
the median over the rounds of the times in one round.

    python -m benchmarks.recurrence --seeds 1 8 32 --rounds 7
"""

import argparse
import time
from collections.abc import Callable, Iterator
from statistics import median

import torch
from torch import Tensor

from benchmarks.norms import machine
from lnviz.device import device
from lnviz.topics.recurrence.reader import KINDS, Kind, Reader, last_step
from lnviz.topics.recurrence.sequences import CLASSES, digit_sequences
from lnviz.training import draws, start, train

UNITS, BATCH, RATE = 32, 8, 0.01
STEPS = 3  # timed together

Batches = list[tuple[Tensor, Tensor]]


def builder(kind: Kind, x: Tensor) -> Callable[[], Reader]:
    """Return what builds a network for sequences such as these."""
    return lambda: Reader(kind.build(x.shape[-1], UNITS, x.shape[-2]), CLASSES)


def at_once(kind: Kind, seeds: tuple[int, ...], batches: Batches) -> Iterator[object]:
    """Train all networks together, a step at each turn."""
    x, _ = batches[0]
    runs = start(builder(kind, x), seeds, x.device)
    return train(runs, batches, rate=RATE, loss=last_step)


def one_by_one(kind: Kind, seeds: tuple[int, ...], batches: Batches) -> Iterator[object]:
    """Train one network after the other, all of them at each turn."""
    x, _ = batches[0]
    models = [builder(kind, x)().to(x.device) for _ in seeds]
    optimizers = [torch.optim.Adam(model.parameters(), lr=RATE) for model in models]
    for x, labels in batches:
        for run, (model, optimizer) in enumerate(zip(models, optimizers, strict=True)):
            optimizer.zero_grad()
            last_step(model(x[run]), labels[run]).backward()
            optimizer.step()
        yield None


def measured(ways: dict[str, Iterator[object]], rounds: int, on: str) -> dict[str, list[float]]:
    """Return the seconds a step of each way took, round by round, after a first one to warm up."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for name in sorted(ways, reverse=bool(turn % 2)):
            begin = time.perf_counter()
            for _ in range(STEPS):
                next(ways[name])
            if on == "cuda":
                torch.cuda.synchronize()
            seconds[name].append((time.perf_counter() - begin) / STEPS)
    return {name: times[1:] for name, times in seconds.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 8, 32], metavar="N")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    on = device()
    data = digit_sequences("rows").train
    x, labels = data.x.to(on), data.labels.to(on)
    print(machine(), end="\n\n")
    print("| device | network | seeds | at once, ms | loop, ms | ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    for kind in KINDS.values():
        for count in arguments.seeds:
            seeds = tuple(range(count))
            drawn = draws(seeds, len(x), steps=STEPS * (arguments.rounds + 1), batch=BATCH)
            batches = [(x[d], labels[d]) for d in drawn.to(on)]
            ways = {
                "at once": at_once(kind, seeds, batches),
                "loop": one_by_one(kind, seeds, batches),
            }
            seconds = measured(ways, arguments.rounds, on.type)
            ratio = median(b / a for a, b in zip(*seconds.values(), strict=True))
            times = " | ".join(f"{1e3 * median(times):.1f}" for times in seconds.values())
            print(f"| {on.type} | {kind.label} | {count} | {times} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
