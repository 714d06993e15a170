"""Buffer for statistics per call; they stay on their device until they are read."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

PACK_SIZE = 256
"""Number of rows that are stacked into one tensor. A tensor of a few numbers takes ten times the
memory of the numbers themselves.
"""


class RowBuffer:
    """Buffer of table rows, each a vector of statistics; adding a row again replaces it.

    Args:
        width: number of columns.

    Attributes:
        added: number of calls of `add`.
    """

    def __init__(self, width: int) -> None:
        self.width, self.added = width, 0
        self._waiting: list[tuple[int, Tensor]] = []
        self._packed: list[tuple[Tensor, Tensor]] = []

    def add(self, row: int, values: Float[Tensor, " width"]) -> None:
        """Add a row of statistics, or replace it, without waiting for the device."""
        self.added += 1
        self._waiting.append((row, values))
        if len(self._waiting) == PACK_SIZE:
            self._pack()

    def table(self, rows: Sequence[int]) -> Float[Tensor, "rows width"]:
        """Return the given rows as one CPU tensor; rows that were never added are NaN."""
        self._pack()
        table = torch.full((len(rows), self.width), torch.nan)
        wanted = torch.tensor(rows, dtype=torch.int64)
        for held, numbers in self._packed:
            at = torch.searchsorted(wanted, held).clamp(max=max(0, len(rows) - 1))
            found = wanted[at] == held if len(rows) else torch.zeros_like(held, dtype=torch.bool)
            table[at[found]] = numbers.cpu()[found]
        return table

    def keep(self, rows: Sequence[int]) -> None:
        """Drop all rows except the given rows."""
        table = self.table(rows)
        self._packed = [(torch.tensor(rows, dtype=torch.int64), table)]

    def _pack(self) -> None:
        by_device: dict[torch.device, list[tuple[int, Tensor]]] = {}
        for row, numbers in self._waiting:
            by_device.setdefault(numbers.device, []).append((row, numbers))
        for held in by_device.values():
            rows = torch.tensor([row for row, _ in held])
            self._packed.append((rows, torch.stack([numbers for _, numbers in held])))
        self._waiting.clear()
