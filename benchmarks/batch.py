"""Ten thousand mini-batches in one call beside a Python loop over them.

Both shuffle all handwritten digits once an epoch, cut them into batches, and take a mean and a
variance for every unit. The two take turns; a time is the shortest of the rounds, since what else
the machine does only adds to it.

    python -m benchmarks.batch --rounds 7
"""

import argparse
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from benchmarks.norms import machine, settle_allocator
from lnviz.data.examples import DIGIT_CASES, digits
from lnviz.topics.batch import estimates

SIZE, UNITS, COUNT = 32, 64, 10_000
Way = Callable[[Tensor], object]


def at_once(x: Tensor) -> object:
    """Estimate all in one call."""
    return estimates(x, SIZE, COUNT, torch.Generator(x.device).manual_seed(0))


def looped(x: Tensor, of_one: Callable[[Tensor], object]) -> list[object]:
    """Take one mini-batch after the other, as a training loop does."""
    results: list[object] = []
    while True:
        for batch in torch.randperm(len(x)).split(SIZE):
            if len(batch) == SIZE:
                results.append(of_one(x[batch]))
            if len(results) == COUNT:
                return results


def var_mean(batch: Tensor) -> object:
    """Take PyTorch's own mean and variance."""
    return torch.var_mean(batch, 0, correction=0)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    x = digits(cases=DIGIT_CASES, units=UNITS).values
    norm = nn.BatchNorm1d(UNITS, affine=False)
    ways: dict[str, Way] = {
        "one call of `estimates`": at_once,
        "loop, `torch.var_mean`": lambda x: looped(x, var_mean),
        "loop, `nn.BatchNorm1d` in training": lambda x: looped(x, norm),
    }
    settle_allocator()
    fewest = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            begin = time.perf_counter()
            way(x)
            fewest[name] = min(fewest[name], time.perf_counter() - begin)
    print(machine(), end="\n\n")
    print(f"| {COUNT:,} mini-batches of {SIZE} x {UNITS} | ms | ratio |")
    print("| --- | --- | --- |")
    own = next(iter(fewest.values()))
    for name, seconds in fewest.items():
        print(f"| {name} | {1e3 * seconds:.0f} | {seconds / own:.1f} |")


if __name__ == "__main__":
    main()
