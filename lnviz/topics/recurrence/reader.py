"""Networks that read a sequence and predict its class after every step."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float, Int
from torch import Tensor, nn

from lnviz.topics.recurrence.cell import RecurrentCell
from lnviz.topics.recurrence.cells import BATCH_GAIN, GRUCell, LSTMCell
from lnviz.topics.recurrence.rnn import RNN


class SequenceClassifier(nn.Module):
    """A recurrent layer, followed by a linear layer that maps its state to class logits.

    Args:
        cell: the cell of the recurrent layer.
        classes: number of classes.

    >>> import torch
    >>> SequenceClassifier(LSTMCell(8, 32), 10)(torch.zeros(4, 28, 8)).shape
    torch.Size([4, 28, 10])
    """

    def __init__(self, cell: RecurrentCell, classes: int) -> None:
        super().__init__()
        self.rnn = RNN(cell)
        self.head = nn.Linear(cell.hidden_size, classes)

    def forward(self, x: Float[Tensor, "*cases T I"]) -> Float[Tensor, "*cases T classes"]:
        """Return the class logits after each time step."""
        states, _ = self.rnn(x)
        scores: Tensor = self.head(states)
        return scores


def last_step(scores: Float[Tensor, "N T classes"], labels: Int[Tensor, " N"]) -> Float[Tensor, ""]:
    """Return the cross-entropy of the class logits after the last time step."""
    return nn.functional.cross_entropy(scores[:, -1], labels)


@dataclass(frozen=True)
class NetworkKind:
    """Configuration of a recurrent network to compare: its cell, norm and initial gain.

    Attributes:
        label: printed name.
        cell: the cell of its recurrent layer.
        norm: key of the cell's norm in the catalogue.
        gain: initial value of the norms' gains.
    """

    label: str
    cell: type[LSTMCell] | type[GRUCell]
    norm: str = "none"
    gain: float = 1.0

    def build(self, inputs: int, units: int, longest: int) -> RecurrentCell:
        """Create a new cell with this configuration.

        Args:
            inputs: I, number of input features per step.
            units: H, number of units of the state.
            longest: length of the longest training sequence.
        """
        steps = longest if self.norm == "batch" else None
        return self.cell(inputs, units, norm=self.norm, gain=self.gain, steps=steps)


KINDS = {
    "lstm": NetworkKind("LSTM", LSTMCell),
    "lstm-layer": NetworkKind("LSTM, LayerNorm", LSTMCell, "layer"),
    "lstm-batch": NetworkKind("LSTM, recurrent BatchNorm", LSTMCell, "batch", BATCH_GAIN),
    "lstm-batch-gain-1": NetworkKind("LSTM, recurrent BatchNorm, gain 1", LSTMCell, "batch"),
    "gru": NetworkKind("GRU", GRUCell),
    "gru-layer": NetworkKind("GRU, LayerNorm", GRUCell, "layer"),
}
