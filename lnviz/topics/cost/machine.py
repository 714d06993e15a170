"""The machine that something was measured on, in words."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

import torch

from lnviz.results.making import named

CPUINFO = Path("/proc/cpuinfo")  # on Linux


@dataclass(frozen=True)
class Machine:
    """What was measured on.

    Attributes:
        device: "cpu" or "cuda".
        name: of the processor or the graphics card.
        threads: that PyTorch used on a CPU.
    """

    device: str
    name: str
    threads: int

    @property
    def words(self) -> str:
        """The machine in a sentence.

        >>> Machine("cpu", "AMD EPYC", 1).words
        'AMD EPYC (CPU, 1 thread)'
        """
        if self.device != "cpu":
            return self.name
        return f"{self.name} (CPU, {self.threads} thread{'s' * (self.threads > 1)})"


def processor() -> str:
    """Return the processor's model, as far as the system says it."""
    if CPUINFO.exists():
        for line in CPUINFO.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name" and value.strip():
                return value.strip()
    return platform.processor() or platform.machine()


def machine(on: torch.device, threads: int) -> Machine:
    """Return the machine that a device is on."""
    return Machine(on.type, processor() if on.type == "cpu" else named(on), threads)
