"""Times of norms outside a network, by width and implementation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from lnviz.seeding import isolated_rng
from lnviz.topics.cost.clock import Times, quartile_tuples, time_interleaved
from lnviz.topics.cost.machine import Machine, machine
from lnviz.topics.cost.ways import WAYS, WRITTEN, Kernel, can_compile, kernel, parameters

COPY = "copy"
PASSES = ("forward", "both")
FLOAT = 4  # bytes
WIDTHS = (64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192)

Quartiles = tuple[float, float, float]  # first quartile, median, third quartile
Curve = tuple[Quartiles, ...]  # one for each width


@dataclass(frozen=True)
class KernelSpecification:
    """Settings for timing norms outside a network.

    Args:
        rows: number of rows that are normalized at once.
        widths: values per row.
        rounds: number of rounds; each round times every implementation once.
        block: approximate duration of one timing, in seconds.
        ways: the implementations, keys of `WAYS`.
        threads: number of PyTorch threads on a CPU. A single thread never waits for another
            thread that a different program delays.

    Raises:
        ValueError: a number is too small, the widths are not in ascending order, or an
            implementation is unknown.
    """

    rows: int = 1024
    widths: tuple[int, ...] = WIDTHS
    rounds: int = 15
    block: float = 0.004
    ways: tuple[str, ...] = tuple(WAYS)
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("rows", "rounds", "threads"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be 1 or more, got {getattr(self, name)}.")
        if not self.widths or list(self.widths) != sorted({max(1, each) for each in self.widths}):
            raise ValueError(
                f"widths are 1 or more, each larger than the one before, got {self.widths}."
            )
        if not self.ways or not set(self.ways) <= set(WAYS):
            raise ValueError(f"ways are some of {', '.join(WAYS)}, got {self.ways}.")


@dataclass(frozen=True)
class Kernels:
    """Measured times of norms outside a network, by implementation, pass and width.

    Attributes:
        specification: the measurement.
        machine: the machine.
        copy: seconds to copy a tensor of the same shape, by width.
        times: seconds per call, as quartiles over the rounds: by norm and implementation, such as
            `"layer written"`, then by pass (`PASSES`; "both" is forward and backward) and width.
        ratios: RMSNorm's time divided by LayerNorm's in the same round, by implementation;
            quartiles as in `times`.
        own: as in `clock.Times`.
    """

    specification: KernelSpecification
    machine: Machine
    copy: Curve
    times: Mapping[str, tuple[Curve, Curve]]
    ratios: Mapping[str, tuple[Curve, Curve]]
    own: float


def minimal_bytes(norm: str, rows: int, width: int, both: bool) -> int:
    r"""Return the minimum number of bytes that a norm reads and writes, in float32.

    Each input is read once and each output written once: $2ND + P$ values forward, with P the
    number of parameters. Backward, the norm reads x, the gradient and the parameters, and writes
    the gradients of x and of the parameters: $3ND + 2P$ more values. A copy moves $2ND$.

    >>> minimal_bytes("rms", 2, 10, both=False), minimal_bytes("copy", 2, 10, both=False)
    (200, 160)
    """
    learned = {COPY: 0, "rms": width, "dyt": 2 * width + 1}.get(norm, 2 * width)
    cells = rows * width
    return FLOAT * (2 * cells + learned + both * (3 * cells + 2 * learned))


def measure(specification: KernelSpecification, on: torch.device) -> Kernels:
    """Time every norm in every implementation, with and without gradients, and a plain copy.

    Args:
        specification: the measurement.
        on: the device.

    Returns:
        The times; without "compiled" where `torch.compile` does not work.

    Raises:
        Cancelled: The computation was cancelled.
    """
    s = specification
    ways = tuple(way for way in s.ways if way != "compiled" or can_compile(on))
    known = {f"{norm} {way}": kernel(norm, way) for way in ways for norm in WRITTEN}
    kernels = {name: run for name, run in known.items() if run is not None}
    runs: list[Callable[[], object]] = []
    with isolated_rng():
        torch.manual_seed(0)
        for width in s.widths:
            x = torch.randn(s.rows, width).to(on).requires_grad_()
            arriving = torch.randn(s.rows, width).to(on)
            runs.append(x.detach().clone)
            for name, call in kernels.items():
                learned = parameters(name.split()[0], width, on)
                runs.append(partial(_forward, call, x, learned))
                runs.append(partial(_both, call, x, learned, arriving))
    times = time_interleaved(runs, s.rounds, s.block, s.threads)
    return _kernels(
        KernelSpecification(**vars(s) | {"ways": ways}), machine(on, s.threads), kernels, times
    )


def _forward(run: Kernel, x: Tensor, learned: tuple[Tensor, ...]) -> None:
    with torch.no_grad():
        run(x, *learned)


def _both(run: Kernel, x: Tensor, learned: tuple[Tensor, ...], arriving: Tensor) -> None:
    torch.autograd.grad(run(x, *learned), (x, *learned), arriving)


def _kernels(
    s: KernelSpecification, where: Machine, kernels: Mapping[str, Kernel], times: Times
) -> Kernels:
    seconds = times.seconds.unflatten(1, (len(s.widths), -1))  # rounds,widths,1+2K
    passes = seconds[..., 1:].unflatten(2, (-1, len(PASSES)))  # rounds,widths,K,passes
    by_name = {name: passes[:, :, at].movedim(1, 2) for at, name in enumerate(kernels)}
    return Kernels(
        s,
        where,
        quartile_tuples(seconds[..., 0]),
        {name: quartile_tuples(each) for name, each in by_name.items()},
        {way: quartile_tuples(by_name[f"rms {way}"] / by_name[f"layer {way}"]) for way in s.ways},
        round(times.own, 3),
    )
