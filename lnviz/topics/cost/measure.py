"""Measures the costs that the lesson shows, and stores them: minutes, on a quiet machine."""

from __future__ import annotations

import argparse
import ctypes
import platform
from pathlib import Path

import torch

from lnviz.device import device
from lnviz.progress import Watch, watched
from lnviz.results import COST_CPU, COST_CUDA
from lnviz.results.making import progress, versions, write
from lnviz.topics.cost import block, kernels
from lnviz.topics.cost.costs import Costs

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # of malloc.h
PLACES = {"cpu": COST_CPU, "cuda": COST_CUDA}


def keep_memory() -> None:
    """Let this process keep the memory it has freed, where the C library is GNU's.

    That library hands large blocks back to the system and asks for them anew, and fetching a new
    page takes longer than normalizing what is on it. PyTorch itself keeps the memory of a graphics
    card in this way.
    """
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, -1)


class _Shown(Watch):
    """A watch that draws a bar."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label, self._draw = label, progress(100)

    def _report(self, share: float) -> None:
        super()._report(share)
        self._draw(self._label, int(100 * share))


def main() -> None:
    """Run the command."""
    default, blocks = kernels.Specification(), block.Specification()
    parser = argparse.ArgumentParser(
        prog="python -m lnviz.topics.cost.measure",
        description="Measure what norms cost on this machine, and store it for the lesson.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--device", choices=PLACES, default=device().type, help="what to measure")
    parser.add_argument("--rows", type=int, default=default.rows, help="normalized at once")
    parser.add_argument("--rounds", type=int, default=default.rounds, help="of turns")
    parser.add_argument("--tokens", type=int, default=blocks.tokens, help="that go through a block")
    parser.add_argument(
        "--block-rounds", type=int, default=blocks.rounds, help="of turns of blocks"
    )
    parser.add_argument("--out", type=Path, help="a file, if not the one that the lesson reads")
    given = parser.parse_args()
    on = torch.device(given.device)
    if on.type == "cuda" and not torch.cuda.is_available():
        parser.error("PyTorch finds no CUDA device here. Measure the CPU: --device cpu")
    keep_memory()
    try:
        asked = kernels.Specification(rows=given.rows, rounds=given.rounds)
        whole = block.Specification(tokens=given.tokens, rounds=given.block_rounds)
    except ValueError as error:
        parser.error(str(error))
    with watched(_Shown("norms by themselves")):
        found = kernels.measure(asked, on)
    with watched(_Shown("blocks")):
        others = block.measure(whole, on)
    write(Costs(found, others, versions()), given.out or PLACES[given.device].path)
    print(f"The measuring thread had a core for {min(found.own, others.own):.1%} of the time.")


if __name__ == "__main__":
    main()
