"""A recurrent time step with norms on both projections separately, or on their sum."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from lnviz.topics.recurrence.cell_steps import GRUStep, LSTMStep, ProjectionSum
from lnviz.topics.recurrence.cells import GRUCell, LSTMCell
from lnviz.topics.recurrence.sequences import digit_sequences

CELLS: Mapping[str, type[LSTMCell] | type[GRUCell]] = {"lstm": LSTMCell, "gru": GRUCell}
ROW = 4  # of the digit: one with strokes and gaps
SEED = 0  # of all that is drawn
SPREAD = 0.25  # of gains around 1 and of biases around 0


@dataclass(frozen=True, eq=False)
class Wiring:
    """One time step of an LSTM or GRU cell with LayerNorm, computed for several input scales.

    Attributes:
        cell: the cell with its weights, gains and biases.
        x: the input, at every scale.
        state: h (and c of an LSTM) before the step; the same at every scale.
        step: all intermediate values; the first axis is the input scale.
    """

    cell: LSTMCell | GRUCell
    x: Float[Tensor, "S I"]
    state: tuple[Float[Tensor, " H"], ...]
    step: LSTMStep | GRUStep


def wiring(
    scales: Float[Tensor, " S"],
    *,
    cell: str = "lstm",
    separate: bool = True,
    per_gate: bool = False,
    units: int = 4,
) -> Wiring:
    """Compute one time step of a cell with LayerNorms, for a digit row scaled by each factor.

    The input is the fourth row of the first handwritten digit. Previous state, weights, gains and
    biases are random, and the same for every arrangement of the norms. Weights have PyTorch's
    default initialization, gains lie around 1, biases around 0, and the state between -1 and 1.

    Args:
        scales: factors of the input.
        cell: `"lstm"` or `"gru"`.
        separate: whether input and state have separate norms; False normalizes their sum.
        per_gate: whether each gate is normalized separately.
        units: H, number of units of the state.

    Returns:
        The time step with all intermediate values; the first axis is the scale.

    Raises:
        ValueError: the cell is neither of the two, or `LSTMCell` raises it.

    Source: Ba, Kiros and Hinton 2016, equations 20 to 22 and 26 to 28.

    >>> for separate in (True, False):
    ...     wired = wiring(torch.tensor([1.0, 100.0]), separate=separate)
    ...     print(state_share(wired.step.joined))
    tensor([0.4964, 0.4964])
    tensor([0.5712, 0.0131])
    """
    if cell not in CELLS:
        raise ValueError(f"The wiring shown is that of {' or '.join(CELLS)}, got {cell!r}.")
    row = digit_sequences("rows").train.x[0, ROW - 1].to(scales.device)  # I
    built = CELLS[cell](len(row), units, norm="layer", separate=separate, per_gate=per_gate)
    with torch.no_grad():
        for name, parameter in built.named_parameters():
            parameter.copy_(_drawn(name, parameter.shape, 1 / math.sqrt(units)))
        built.to(scales.device)
        count = 2 if cell == "lstm" else 1
        before = _drawn("state", (count, units)).to(scales.device)
        x = scales.float()[:, None] * row  # S,I
        states = tuple(part.expand(len(scales), -1) for part in before)  # S,H each
        state: Any = states if cell == "lstm" else states[0]
        step = built.step(x, state)
    return Wiring(built, x, tuple(before), step)


def state_share(joined: ProjectionSum) -> Float[Tensor, "*sweeps"]:
    r"""Return the fraction of the pre-activations' spread that comes from the state.

    $$\frac{s_h}{s_h + s_x}$$

    with the standard deviations, over the units, of the state's and of the input's projection. If
    the projections have norms of their own, s is measured after them. A norm on the sum divides
    both by the same value, and does not change the fraction.

    Args:
        joined: the two projections of a step.

    Returns:
        For each example, a value from 0 (only the input) to 1 (only the state).

    >>> part = torch.tensor([0.0, 2.0])
    >>> state_share(ProjectionSum(part, 3 * part, None, None, None, 4 * part))
    tensor(0.7500)
    """
    first = joined.from_input if joined.norm_ih is None else joined.norm_ih.y
    second = joined.from_state if joined.norm_hh is None else joined.norm_hh.y
    of_input, of_state = first.std(-1, correction=0), second.std(-1, correction=0)
    return of_state / (of_input + of_state)


def _drawn(name: str, shape: Sequence[int], bound: float = 1.0) -> Tensor:
    """Draw a random tensor with a seed that depends only on its name."""
    generator = torch.Generator().manual_seed(zlib.crc32(f"{SEED} {name}".encode()))
    if name.startswith("norm_"):
        start = 1.0 if name.endswith("weight") else 0.0
        return start + SPREAD * torch.randn(shape, generator=generator)
    return bound * (2 * torch.rand(shape, generator=generator) - 1)
