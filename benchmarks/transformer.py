"""The sweep over depths before training: all at once beside a plain loop.

The loop builds each network by itself, of every placement, depth and seed, and takes the gradient
of its last block's second feed-forward matrix by PyTorch's own autograd. Both are held to the same
numbers. The two take turns; a time is the shortest of the rounds, since what else the machine does
only adds to it.

    python -m benchmarks.transformer --rounds 3
"""

import argparse
import time
from collections.abc import Callable

import torch
from torch import Tensor

from benchmarks.norms import machine, settle_allocator
from lnviz.device import device
from lnviz.topics.transformer import PLACEMENTS, Transformer
from lnviz.topics.transformer.initialization import initialize, sublayers
from lnviz.topics.transformer.setups import Experiment, inputs
from lnviz.topics.transformer.theory import last_layer

DEPTHS = (2, 4, 8, 12, 16, 24, 32, 48)
COMPARED = ("post", "pre")
EXPERIMENT = Experiment()


def at_once() -> Tensor:
    """All depths and seeds together."""
    gradients = last_layer(COMPARED, DEPTHS, EXPERIMENT)
    return torch.stack([gradients[key].values for key in COMPARED]).cpu()


def one_by_one() -> Tensor:
    """One network after the other."""
    given = inputs(EXPERIMENT)
    lengths = torch.empty(len(COMPARED), len(DEPTHS), len(EXPERIMENT.seeds))
    for p, key in enumerate(COMPARED):
        for d, depth in enumerate(DEPTHS):
            for s, seed in enumerate(EXPERIMENT.seeds):
                model = Transformer(EXPERIMENT.shape(depth), PLACEMENTS[key])
                torch.manual_seed(seed)
                initialize(model, "theory")
                model.to(device())
                scores = model(given.x[s]).y @ given.readout[s].T
                loss = torch.nn.functional.cross_entropy(scores[0], given.targets[s, 0])
                *_, (_, last) = sublayers(model)
                (gradient,) = torch.autograd.grad(loss, last.second.weight)
                lengths[p, d, s] = gradient.norm()
    return lengths


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    ways: dict[str, Callable[[], Tensor]] = {"at once": at_once, "one by one": one_by_one}
    torch.testing.assert_close(at_once(), one_by_one(), rtol=1e-3, atol=1e-4)
    settle_allocator()
    fewest = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            begin = time.perf_counter()
            way()
            fewest[name] = min(fewest[name], time.perf_counter() - begin)
    print(machine(), end="\n\n")
    count = len(COMPARED) * len(DEPTHS) * len(EXPERIMENT.seeds)
    print(f"| {count} networks of {DEPTHS[0]} to {DEPTHS[-1]} layers, width 128 | s | ratio |")
    print("| --- | --- | --- |")
    for name, seconds in fewest.items():
        print(f"| {name} | {seconds:.2f} | {seconds / fewest['at once']:.1f} |")


if __name__ == "__main__":
    main()
