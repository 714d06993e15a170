"""Metrics of training runs (losses and errors), with their units and number formats."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from lnviz.lessons.chart_axes import to_log10
from lnviz.norms import CATALOGUE


@dataclass(frozen=True)
class RunMetric:
    """A metric of training runs, such as the training loss or the validation error.

    Attributes:
        key: its name in URLs and in the names of tensors.
        label: its label on the page.
        name: its name in a training record.
        factor: the factor from recorded to shown values.
        unit: the unit of shown values.
        format: the number format in captions; with a d, that of logarithms.
    """

    key: str
    label: str
    name: str
    factor: float
    unit: str
    format: str

    def in_format(self, values: Tensor) -> Tensor:
        """Return the values as sent to the browser: logarithms if the format begins with d."""
        return to_log10(values) if self.format.startswith("d") else values


RUN_METRICS = (
    RunMetric("error", "validation error", "validation_error", 100, "%", "1"),
    RunMetric("validation-loss", "validation loss", "validation_loss", 1, "nats", "d3"),
    RunMetric("training-loss", "training loss", "loss", 1, "nats", "d3"),
)


def finite_or_nan(values: Tensor) -> Tensor:
    """Return the values with NaN in place of infinity."""
    return values.where(values.isfinite(), torch.nan)


def norm_label(norm: str) -> str:
    """Return the label of a norm, given its key."""
    return CATALOGUE[norm].label
