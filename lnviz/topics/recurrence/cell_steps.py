"""Intermediate values of one time step of a recurrent cell."""

from __future__ import annotations

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from lnviz.norms import Normalized

Units = Float[Tensor, "*cases units"]
CellState = Units | tuple[Units, Units]


@dataclass(frozen=True, eq=False)
class ProjectionSum:
    """The projections of the input and of the previous state, their norms, and their sum.

    Attributes:
        from_input: the projection of the input.
        from_state: the projection of the previous state.
        norm_ih: the normalized `from_input`; None without a norm, or if the sum is normalized
            instead.
        norm_hh: the normalized `from_state`; None whenever `norm_ih` is.
        norm_sum: the normalized sum; None without a norm, or if the projections are normalized
            separately.
        total: the sum, after all norms.
    """

    from_input: Units
    from_state: Units
    norm_ih: Normalized | None
    norm_hh: Normalized | None
    norm_sum: Normalized | None
    total: Units


@dataclass(frozen=True, eq=False)
class LSTMStep:
    """Intermediate values of one time step of an `LSTMCell`.

    Attributes:
        joined: the two projections and their sum, with the four gates concatenated.
        i: input gate, from 0 to 1.
        f: forget gate, from 0 to 1.
        g: candidate, from -1 to 1.
        o: output gate, from 0 to 1.
        c: the new cell state.
        norm_cell: the normalized new cell state; None without a norm.
        h: the new hidden state.
    """

    joined: ProjectionSum
    i: Units
    f: Units
    g: Units
    o: Units
    c: Units
    norm_cell: Normalized | None
    h: Units

    @property
    def state(self) -> CellState:
        """The hidden state and the cell state, passed on to the next time step."""
        return self.h, self.c


@dataclass(frozen=True, eq=False)
class GRUStep:
    """Intermediate values of one time step of a `GRUCell`.

    Attributes:
        gates: the two projections and their sum, with reset and update gate concatenated.
        r: reset gate, from 0 to 1.
        z: update gate, from 0 to 1.
        new: the two projections of the candidate and their sum; the state's projection is
            multiplied by the reset gate first.
        n: candidate, from -1 to 1.
        h: the new state.
    """

    gates: ProjectionSum
    r: Units
    z: Units
    new: ProjectionSum
    n: Units
    h: Units

    @property
    def state(self) -> CellState:
        """The hidden state, passed on to the next time step."""
        return self.h


Step = LSTMStep | GRUStep
