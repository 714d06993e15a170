"""Description of the machine on which costs were measured."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

import torch

from lnviz.results.provenance import device_name

CPUINFO = Path("/proc/cpuinfo")  # on Linux


@dataclass(frozen=True)
class Machine:
    """Description of the machine on which costs were measured.

    Attributes:
        device: "cpu" or "cuda".
        words: a sentence that names the GPU, or the processor and PyTorch's number of threads.
    """

    device: str
    words: str


def processor() -> str:
    """Return the processor's model name as the operating system reports it."""
    if CPUINFO.exists():
        for line in CPUINFO.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    return platform.processor() or platform.machine()


def machine(on: torch.device, threads: int) -> Machine:
    """Describe the machine that a device belongs to.

    Args:
        on: the device.
        threads: number of PyTorch threads on a CPU.
    """
    if on.type != "cpu":
        return Machine(on.type, device_name(on))
    return Machine(on.type, f"{processor()} (CPU, {threads} thread{'s' * (threads > 1)})")
