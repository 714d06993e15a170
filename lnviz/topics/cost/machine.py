"""The machine that something was measured on, in words."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

import torch

from lnviz.results.provenance import device_name

CPUINFO = Path("/proc/cpuinfo")  # on Linux


@dataclass(frozen=True)
class Machine:
    """What was measured on.

    Attributes:
        device: "cpu" or "cuda".
        words: the machine in a sentence: the graphics card, or the processor and how many threads
            PyTorch used on it.
    """

    device: str
    words: str


def processor() -> str:
    """Return the processor's model, as far as the system says it."""
    if CPUINFO.exists():
        for line in CPUINFO.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    return platform.processor() or platform.machine()


def machine(on: torch.device, threads: int) -> Machine:
    """Return the machine that a device is on.

    Args:
        on: the device.
        threads: the number of threads that PyTorch uses on a CPU.
    """
    if on.type != "cpu":
        return Machine(on.type, device_name(on))
    return Machine(on.type, f"{processor()} (CPU, {threads} thread{'s' * (threads > 1)})")
