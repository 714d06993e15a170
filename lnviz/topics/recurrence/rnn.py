"""A recurrent layer: a cell applied to whole sequences."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lnviz.topics.recurrence.cell import RecurrentCell, check_finite
from lnviz.topics.recurrence.cell_steps import CellState


class RNN(nn.Module):
    """A recurrent layer: one cell applied at every step of a sequence.

    The only loop is over the steps; all examples and leading dimensions are computed at once.

    Args:
        cell: the cell.

    >>> from lnviz.topics.recurrence import LSTMCell
    >>> outputs, (h, c) = RNN(LSTMCell(3, 4))(torch.zeros(2, 5, 3))
    >>> outputs.shape, h.shape
    (torch.Size([2, 5, 4]), torch.Size([2, 4]))
    """

    def __init__(self, cell: RecurrentCell) -> None:
        super().__init__()
        self.cell = cell

    def forward(
        self, x: Float[Tensor, "*cases T I"], state: CellState | None = None
    ) -> tuple[Float[Tensor, "*cases T H"], CellState]:
        """Process a batch of sequences, as PyTorch's layers do with `batch_first=True`.

        Args:
            x: examples x steps x inputs, with any leading dimensions.
            state: the initial state, examples x units; zeros by default.

        Returns:
            The hidden state h after every step, examples x steps x units, and the cell's whole
            state after the last step.

        Raises:
            ValueError: there is no step, or the input is not finite, or the cell raises it.
        """
        _check(x)
        state = self.cell.initial_state(x[..., 0, :]) if state is None else state
        outputs = []
        for t, part in enumerate(x.unbind(-2)):
            step = self.cell.step(part, state, t)
            state = step.state
            outputs.append(step.h)
        return torch.stack(outputs, -2), state


def _check(x: Tensor) -> None:
    if x.dim() < 2 or not x.shape[-2]:
        raise ValueError(
            f"A sequence is cases x steps x inputs with one step or more, got shape "
            f"{tuple(x.shape)}. Add the missing dimension, or leave empty sequences out."
        )
    check_finite(x)
