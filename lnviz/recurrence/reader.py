"""Networks that read a sequence and say at every step which class it looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor, nn

from lnviz.recurrence.cell import Cell
from lnviz.recurrence.cells import (
    GRUCell,
    LayerNormGRUCell,
    LayerNormLSTMCell,
    LSTMCell,
    RecurrentBatchNormLSTMCell,
)
from lnviz.recurrence.layer import Layer


class Reader(nn.Module):
    """A recurrent layer, and a linear one on its state.

    Args:
        cell: of the recurrent layer.
        classes: how many there are to tell apart.

    >>> import torch
    >>> Reader(LSTMCell(8, 32), 10)(torch.zeros(4, 28, 8)).shape
    torch.Size([4, 28, 10])
    """

    def __init__(self, cell: Cell, classes: int) -> None:
        super().__init__()
        self.layer = Layer(cell)
        self.head = nn.Linear(cell.hidden_size, classes)

    def forward(self, x: Float[Tensor, "*cases T I"]) -> Float[Tensor, "*cases T classes"]:
        """Return after each step a score for each class."""
        states, _ = self.layer(x)
        scores: Tensor = self.head(states)
        return scores


def last_step(scores: Float[Tensor, "N T classes"], labels: Int[Tensor, " N"]) -> Float[Tensor, ""]:
    """Return the cross-entropy of the scores after the last step.

    >>> import torch
    >>> last_step(torch.zeros(2, 5, 10), torch.tensor([3, 7]))
    tensor(2.3026)
    """
    return nn.functional.cross_entropy(scores[:, -1], labels)


@dataclass(frozen=True)
class Kind:
    """A cell to compare.

    Attributes:
        label: as printed.
        build: from input size, hidden size and the longest training sequence.
    """

    label: str
    build: Callable[[int, int, int], Cell]


KINDS = {
    "lstm": Kind("LSTM", lambda inputs, units, steps: LSTMCell(inputs, units)),
    "lstm-layer": Kind(
        "LSTM, LayerNorm", lambda inputs, units, steps: LayerNormLSTMCell(inputs, units)
    ),
    "lstm-batch": Kind(
        "LSTM, recurrent BatchNorm",
        lambda inputs, units, steps: RecurrentBatchNormLSTMCell(inputs, units, steps=steps),
    ),
    "lstm-batch-gain-1": Kind(
        "LSTM, recurrent BatchNorm, gain 1",
        lambda inputs, units, steps: RecurrentBatchNormLSTMCell(
            inputs, units, steps=steps, gain=1.0
        ),
    ),
    "gru": Kind("GRU", lambda inputs, units, steps: GRUCell(inputs, units)),
    "gru-layer": Kind(
        "GRU, LayerNorm", lambda inputs, units, steps: LayerNormGRUCell(inputs, units)
    ),
}
