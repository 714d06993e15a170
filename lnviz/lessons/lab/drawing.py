"""What the figures of this lesson share: measures, outlines, axes, and steps to an error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.lessons.plots import decades, logarithmic, powers


@dataclass(frozen=True)
class Measure:
    """What a chart shows of the runs.

    Attributes:
        key: in addresses and in the names of tensors.
        label: on the page.
        attribute: of what was trained.
        factor: from what is stored to what is shown.
        unit: of what is shown.
        format: of its numbers in a sentence; with a d, of their logarithms.
    """

    key: str
    label: str
    attribute: str
    factor: float
    unit: str
    format: str

    def said(self, values: Tensor) -> Tensor:
        """The values as its format has them."""
        return decades(values) if self.format.startswith("d") else values


MEASURES = (
    Measure("error", "validation error", "validation_error", 100, "%", "1"),
    Measure("validation-loss", "validation loss", "validation_loss", 1, "nats", "d2"),
    Measure("training-loss", "training loss", "loss", 1, "nats", "d2"),
)
SCALES = {
    "activations": "root mean square of the summed inputs",
    "gradients": "root mean square of the weights' gradient",
}
FEW = 6  # layers whose names stand side by side
AXES = {"activations": "summed inputs, RMS", "gradients": "gradient, RMS"}


def there_and_back(
    there: Float[Tensor, "*at points"], back: Float[Tensor, "*at points"]
) -> Float[Tensor, "*at both"]:
    """The outline of a band: along one end and back along the other."""
    return torch.cat([there, back.flip(-1)], -1)


def sticks(
    low: Float[Tensor, "*at places"], high: Float[Tensor, "*at places"]
) -> Float[Tensor, "*at corners"]:
    """A line from one end to the other at each place, with a gap before the next one."""
    gap = torch.full_like(low, torch.nan)
    return torch.stack([low, high, gap], -1).flatten(-2)


def layers(figure: go.Figure, names: Sequence[str]) -> None:
    """An x axis with a place for each layer."""
    figure.update_xaxes(
        range=[-0.5, len(names) - 0.5],
        tickvals=list(range(len(names))),
        ticktext=list(names),
        tickangle=-90 if len(names) > FEW else 0,
        title="layer",
        zeroline=False,
    )


def magnitudes(figure: go.Figure, title: str, low: float, high: float) -> None:
    """A logarithmic y axis for few decades, or for many."""
    if high > 1000 * low:
        powers(figure, "y", [math.log10(low), math.log10(high)], title)
    else:
        logarithmic(figure, title, low, high)


def steps_to(
    error: Float[Tensor, "*runs points"], wanted: Float[Tensor, " targets"], points: Sequence[int]
) -> Float[Tensor, "targets *runs"]:
    """Return after how many steps a run has first been measured at an error, or below it.

    Args:
        error: of each run, at every point.
        wanted: errors to reach.
        points: after how many steps it was measured.

    Returns:
        Steps; infinite where a run never was.
    """
    reached = error <= wanted.view(-1, *[1] * error.dim()) + 1e-9  # targets,*runs,points
    first = torch.tensor(points, dtype=error.dtype)[reached.int().argmax(-1)]
    return first.where(reached.any(-1), torch.inf)


def known(values: Tensor) -> Tensor:
    """The values, NaN in place of infinity."""
    return values.where(values.isfinite(), torch.nan)
