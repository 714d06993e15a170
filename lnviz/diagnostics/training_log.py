"""Log of a training run: writes a few statistics of every norm after each recorded pass."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor

from lnviz.diagnostics.norm_statistics import GRADIENT_FIELDS
from lnviz.diagnostics.statistics import CALL_STATISTICS, GAIN_STATISTICS

LOGGED = (
    "x_median",
    "x_largest",
    "y_rms",
    "epsilon",
    "constant",
    "infinite",
    "gain_median",
    "gain_largest",
    *GRADIENT_FIELDS,
)
"""Statistics of a call that are logged."""
COLUMNS = ("pass", "norm", "call", "training", *LOGGED)
_AT = [(*CALL_STATISTICS, *GAIN_STATISTICS, *GRADIENT_FIELDS).index(name) for name in LOGGED]


class ScalarWriter(Protocol):
    """Interface for the part of TensorBoard's `SummaryWriter` that the log uses."""

    def add_scalar(self, tag: str, scalar_value: float, global_step: int) -> object:
        """Write one value."""


class TrainingLog:
    """Log of the statistics of each recorded pass, in a CSV file and in TensorBoard.

    Args:
        path: the CSV file, which is overwritten, or None.
        writer: a `SummaryWriter`, or None.
    """

    def __init__(self, path: str | Path | None, writer: ScalarWriter | None) -> None:
        self.path, self.writer = None if path is None else Path(path), writer
        self._is_begun = False
        self._rows: dict[int, tuple[int, str, int, int]] = {}
        self._values: dict[int, Tensor] = {}
        self._gradients: dict[int, list[Tensor | None]] = {}

    @property
    def is_on(self) -> bool:
        """True if the log writes to a file or to TensorBoard."""
        return self.path is not None or self.writer is not None

    def begin(self) -> None:
        """Create the CSV file with its column names, if this has not been done."""
        if self.path is not None and not self._is_begun:
            with self.path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow(COLUMNS)
        self._is_begun = True

    def add(
        self, row: int, pass_number: int, norm: str, call: int, training: int, values: Tensor
    ) -> None:
        """Log one call of a norm: its `CALL_STATISTICS` and `GAIN_STATISTICS`."""
        self._rows[row] = pass_number, norm, call, training
        self._values[row] = values
        self._gradients[row] = [None, None]

    def add_gradient(self, row: int, which: int, value: Tensor) -> None:
        """Add one of the `GRADIENT_FIELDS` to a logged call that has not been written yet."""
        if row in self._gradients:
            self._gradients[row][which] = value

    def write(self) -> None:
        """Write the calls logged since the last write."""
        rows, values, gradients = self._rows, self._values, self._gradients
        self._rows, self._values, self._gradients = {}, {}, {}
        if not rows:
            return
        missing = torch.full((1,), torch.nan)
        table = torch.stack(
            [
                torch.cat(
                    [
                        values[row].cpu(),
                        *(missing if g is None else g.cpu() for g in gradients[row]),
                    ]
                )
                for row in rows
            ]
        )[:, _AT]
        heads = list(rows.values())
        if self.path is not None:
            self._write_csv(heads, table)
        if self.writer is not None:
            self._write_scalars(heads, table, self.writer)

    def _write_csv(self, heads: Sequence[tuple[int, str, int, int]], table: Tensor) -> None:
        assert self.path is not None
        with self.path.open("a", newline="", encoding="utf-8") as file:
            lines = csv.writer(file)
            for head, numbers in zip(heads, table.tolist(), strict=True):
                known = ("" if math.isnan(number) else f"{number:.6g}" for number in numbers)
                lines.writerow((*head, *known))

    def _write_scalars(
        self, heads: Sequence[tuple[int, str, int, int]], table: Tensor, writer: ScalarWriter
    ) -> None:
        for (pass_number, norm, _, _), numbers in zip(heads, table.tolist(), strict=True):
            for name, value in zip(LOGGED, numbers, strict=True):
                if not math.isnan(value):
                    writer.add_scalar(f"norms/{name}/{norm}", value, pass_number)
