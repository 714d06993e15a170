"""Numbers of calls, kept on the devices that they were computed on until somebody asks."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

TOGETHER = 256
"""Rows that become one tensor: a small tensor takes ten times the memory of its numbers."""


class Kept:
    """Rows of numbers, each added once or more often; the last one counts.

    Args:
        width: numbers of a row.

    Attributes:
        count: how often a row was added.
    """

    def __init__(self, width: int) -> None:
        self.width, self.count = width, 0
        self._waiting: list[tuple[int, Tensor]] = []
        self._packed: list[tuple[Tensor, Tensor]] = []

    def add(self, row: int, numbers: Float[Tensor, " width"]) -> None:
        """Keep the numbers of a row; nothing waits for the device."""
        self.count += 1
        self._waiting.append((row, numbers))
        if len(self._waiting) == TOGETHER:
            self._pack()

    def table(self, rows: int) -> Float[Tensor, "rows width"]:
        """Return all rows; NaN where nothing was added."""
        self._pack()
        table = torch.full((rows, self.width), torch.nan)
        for at, numbers in self._packed:
            table[at] = numbers.cpu()
        return table

    def _pack(self) -> None:
        by_device: dict[torch.device, list[tuple[int, Tensor]]] = {}
        for row, numbers in self._waiting:
            by_device.setdefault(numbers.device, []).append((row, numbers))
        for held in by_device.values():
            rows = torch.tensor([row for row, _ in held])
            self._packed.append((rows, torch.stack([numbers for _, numbers in held])))
        self._waiting.clear()
