"""What `lnviz.watch` costs: a pass of a Transformer with it and without, side by side in one run.

Every way runs in turn within one round, each round in another order. A time is that of one CPU
thread, the shortest of the rounds, so that other work on the machine counts little; a ratio is that
of two such times. Memory is ten times what a hundred passes leave behind.

    python -m benchmarks.watch --rounds 6
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from contextlib import nullcontext

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from benchmarks.harness import machine, settle_allocator, table
from lnviz.diagnostics import NormWatcher
from lnviz.diagnostics.row_buffer import RowBuffer

WIDTH, LAYERS, HEADS = 768, 12, 12
CASES = (
    (64, 2, (8, 32)),
    (512, 4, (8, 128)),
    (WIDTH, LAYERS, (1, 1)),
    (WIDTH, LAYERS, (1, 128)),
)
"""Width and number of layers of a Transformer, and the examples x tokens of its input."""


class Block(nn.Module):
    """A block of a Pre-LN Transformer."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Attention, then the feed-forward layer."""
        heads = self.mix(self.first(x)).unflatten(-1, (3, -1, WIDTH // HEADS)).movedim(2, 0)
        q, k, v = heads.transpose(2, 3)  # N,H,T,C
        x = x + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        x = x + self.down(F.gelu(self.up(self.second(x))))
        return x


def seconds(model: nn.Module, x: Tensor, backward: bool, watch: NormWatcher | None) -> float:
    """Return the CPU time of a pass; the block is entered before, and its hooks stay out of it."""
    with watch or nullcontext(), torch.set_grad_enabled(backward):
        begin = time.thread_time()
        y = model(x)
        if backward:
            y.square().mean().backward()
        return time.thread_time() - begin


def compared(model: nn.Module, x: Tensor, backward: bool, rounds: int) -> tuple[float, ...]:
    """Return the fewest seconds without, on the first watched pass, on later ones, and between."""
    ways = ["plain", "first", "later", "skipped"]
    fewest = dict.fromkeys(ways, float("inf"))
    later, skipped = NormWatcher(model), NormWatcher(model, every=10**6)
    for _ in range(4):
        seconds(model, x, backward, later)
        seconds(model, x, backward, skipped)
    for _ in range(rounds):
        ways = [*ways[1:], ways[0]]
        for way in ways:
            watches = {"first": NormWatcher(model), "later": later, "skipped": skipped}
            watch = watches.get(way)
            fewest[way] = min(fewest[way], seconds(model, x, backward, watch))
    return tuple(fewest.values())


def memory(calls: int = 100) -> int:
    """Return the bytes that so many forward and backward passes of the norms leave behind."""
    model = nn.Sequential(*(nn.LayerNorm(WIDTH) for _ in range(2 * LAYERS + 1)))
    x = torch.randn(1, 2, WIDTH, requires_grad=True)
    watched = NormWatcher(model)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    with watched:
        for _ in range(calls):
            model(x).sum().backward()
        held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    # What tensors hold is not Python's; rows that wait to be packed are few.
    kept: list[RowBuffer] = [watched._rows, *watched._gradients]
    return held + sum(part.nbytes for each in kept for pair in each._packed for part in pair)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=6)
    rounds = parser.parse_args().rounds
    settle_allocator()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(machine(), end="\n\n")
    lines = []
    for width, layers, shape in CASES:
        model = nn.Sequential(*(Block(width) for _ in range(layers)), nn.LayerNorm(width))
        for backward in (False, True):
            times = compared(model, torch.randn(*shape, width), backward, rounds)
            what = "forward and backward" if backward else "forward"
            ratios = (f"{each / times[0]:.2f}" for each in times[1:])
            size = (f"{width}, {layers}", f"{shape[0]} x {shape[1]}")
            lines.append([*size, what, f"{1000 * times[0]:.1f}", *ratios])
    heads = ["width, layers", "examples x tokens", "pass", "ms without", "first watched", "later"]
    print(table([*heads, "every=100"], lines))
    print(f"\nA thousand passes of {2 * LAYERS + 1} norms keep {10 * memory() / 2**20:.1f} MB.")


if __name__ == "__main__":
    main()
