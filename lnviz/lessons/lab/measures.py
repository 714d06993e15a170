"""What is measured of runs, and how a page shows it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from lnviz.lessons.chart_axes import to_log10
from lnviz.norms import CATALOGUE


@dataclass(frozen=True)
class Measure:
    """What a chart shows of the runs.

    Attributes:
        key: its name in addresses and in the names of tensors.
        label: its name on the page.
        name: the name of what was measured in a record.
        factor: the factor from what is recorded to what is shown.
        unit: the unit of what is shown.
        format: the format of its numbers in a sentence; with a d, of their logarithms.
    """

    key: str
    label: str
    name: str
    factor: float
    unit: str
    format: str

    def said(self, values: Tensor) -> Tensor:
        """Return the values as the format has them."""
        return to_log10(values) if self.format.startswith("d") else values


MEASURES = (
    Measure("error", "validation error", "validation_error", 100, "%", "1"),
    Measure("validation-loss", "validation loss", "validation_loss", 1, "nats", "d3"),
    Measure("training-loss", "training loss", "loss", 1, "nats", "d3"),
)


def known(values: Tensor) -> Tensor:
    """Return the values, NaN in place of infinity."""
    return values.where(values.isfinite(), torch.nan)


def label(norm: str) -> str:
    """Return what a norm is called in a sentence, at its beginning or after a colon."""
    return CATALOGUE[norm].label
