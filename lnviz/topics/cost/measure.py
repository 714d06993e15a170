"""Measurement of the time that norms take, separately and in Transformer blocks.

It takes minutes and needs an otherwise idle machine.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from dataclasses import dataclass

import torch
from torch import Tensor

from lnviz.progress import Progress, track
from lnviz.results.arrays import ArrayDataset, NamedArray
from lnviz.results.provenance import ProgressCallback
from lnviz.results.stored import Artifact
from lnviz.topics.cost import block, kernels
from lnviz.topics.cost.machine import machine
from lnviz.topics.cost.ways import WRITTEN

M_TRIM_THRESHOLD, M_MMAP_MAX = -1, -4  # of malloc.h
KERNELS, BLOCKS = kernels.KernelSpecification(), block.BlockSpecification()
ALONE, INSIDE = "norms on their own", "blocks"  # as lines of progress say them
STEPS = 100  # of each line


@dataclass(frozen=True)
class CostSpecification:
    """Settings of the cost measurement: norms timed separately and in Transformer blocks.

    Attributes:
        rows: number of rows that a separate norm normalizes at once.
        widths: values per row.
        rounds: number of rounds for separate norms.
        ways: the implementations of a separate norm, keys of `WAYS`.
        tokens: length of the sequence in a block.
        block_widths: the widths of blocks, multiples of 32.
        block_rounds: number of rounds for blocks.
        turn: approximate duration of one timing, in seconds.
        threads: number of PyTorch threads on a CPU.

    Raises:
        ValueError: as `KernelSpecification` and `BlockSpecification`.
    """

    rows: int = KERNELS.rows
    widths: tuple[int, ...] = KERNELS.widths
    rounds: int = KERNELS.rounds
    ways: tuple[str, ...] = KERNELS.ways
    tokens: int = BLOCKS.tokens
    block_widths: tuple[int, ...] = BLOCKS.widths
    block_rounds: int = BLOCKS.rounds
    turn: float = KERNELS.block
    threads: int = KERNELS.threads

    def __post_init__(self) -> None:
        _ = self.kernels, self.blocks  # each raises an error for invalid settings

    @property
    def kernels(self) -> kernels.KernelSpecification:
        """Settings for timing norms separately."""
        return kernels.KernelSpecification(
            self.rows, self.widths, self.rounds, self.turn, self.ways, self.threads
        )

    @property
    def blocks(self) -> block.BlockSpecification:
        """Settings for timing Transformer blocks."""
        return block.BlockSpecification(
            self.tokens, self.block_widths, self.block_rounds, self.turn, self.threads
        )


def retain_freed_memory() -> None:
    """Make glibc keep freed memory in this process.

    glibc returns large blocks to the system and requests them again, and a page fault takes longer
    than normalizing the page's content. On GPUs PyTorch's allocator keeps memory in the same way.
    """
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(M_MMAP_MAX, 0)
        libc.mallopt(M_TRIM_THRESHOLD, -1)


class _ReportingWatch(Progress):
    """Progress tracker that forwards each report to a callback."""

    def __init__(self, label: str, tell: ProgressCallback) -> None:
        super().__init__()
        self._label, self._tell = label, tell

    def _report(self, share: float) -> None:
        super()._update(share)
        self._tell(self._label, int(STEPS * share))


def measure(
    specification: CostSpecification, on: torch.device, report: ProgressCallback
) -> ArrayDataset:
    """Time norms separately and in Transformer blocks.

    Args:
        specification: the settings.
        on: the device.
        report: called with the label of the measurement and the percentage done.

    Returns:
        Quartiles over the rounds, as seconds or fractions. `copy`, `times` (NaN where PyTorch has
        no function) and `ratios` of `kernels.Kernels`: by norm, implementation, pass and width,
        without "compiled" where `torch.compile` does not work. `whole`, `alone`, `shares` and
        `differences` of `block.BlockTimes`: by the kind of a block's norms, pass and width.
        `kernels_own` and `blocks_own`: the fraction of the time for which the measuring thread had
        a core.
    """
    retain_freed_memory()
    with track(_ReportingWatch(ALONE, report)):
        norms = kernels.measure(specification.kernels, on)
    report(ALONE, STEPS)
    with track(_ReportingWatch(INSIDE, report)):
        blocks = block.measure(specification.blocks, on)
    report(INSIDE, STEPS)
    own = min(norms.own, blocks.own)
    print(f"The measuring thread had a core for {own:.1%} of the time.", file=sys.stderr)
    return arrays(norms, blocks)


def arrays(norms: kernels.Kernels, blocks: block.BlockTimes) -> ArrayDataset:
    """Return the times of norms and of Transformer blocks as arrays with named axes."""
    ways = norms.specification.ways
    missing = torch.full((len(kernels.PASSES), len(norms.copy), 3), torch.nan).tolist()
    times = [[norms.times.get(f"{norm} {way}", missing) for way in ways] for norm in WRITTEN]
    curve, block_curve = ("pass", "width", "quartile"), ("pass", "block_width", "quartile")
    return ArrayDataset(
        {
            "norm": tuple(WRITTEN),
            "way": ways,
            "pass": kernels.PASSES,
            "width": norms.specification.widths,
            "quartile": (0.25, 0.5, 0.75),
            "kind": block.KINDS,
            "kind_or_none": (block.NONE, *block.KINDS),
            "block_width": blocks.specification.widths,
        },
        {
            "copy": NamedArray(("width", "quartile"), _exact(norms.copy)),
            "times": NamedArray(("norm", "way", *curve), _exact(times)),
            "ratios": NamedArray(("way", *curve), _exact([norms.ratios[way] for way in ways])),
            "kernels_own": NamedArray((), _exact(norms.own)),
            "whole": NamedArray(
                ("kind_or_none", *block_curve),
                _exact([blocks.whole[kind] for kind in (block.NONE, *block.KINDS)]),
            ),
            **{
                name: NamedArray(
                    ("kind", *block_curve), _exact([by_kind[kind] for kind in block.KINDS])
                )
                for name, by_kind in (
                    ("alone", blocks.alone),
                    ("shares", blocks.shares),
                    ("differences", blocks.differences),
                )
            },
            "blocks_own": NamedArray((), _exact(blocks.own)),
        },
    )


def _exact(values: object) -> Tensor:
    """Return values as a float64 tensor, since float32 has too few digits for times."""
    return torch.tensor(values, dtype=torch.float64)


def _stored(kind: str, words: str) -> Artifact[CostSpecification]:
    return Artifact(
        f"cost-{kind}",
        f"What norms cost on {words}.",
        "cost",
        measure,
        CostSpecification(),
        {
            **{"rows": 2, "widths": (4,), "rounds": 1, "ways": ("written", "function")},
            **{"tokens": 2, "block_widths": (32,), "block_rounds": 1, "turn": 1e-6},
        },
        count_steps=lambda _: STEPS,
        device=kind,
        describe_device=lambda s, on: machine(on, s.threads).words,
    )


COST_CPU = _stored("cpu", "a CPU")
COST_CUDA = _stored("cuda", "a GPU")
"""The costs on a GPU, available where they have been measured."""
