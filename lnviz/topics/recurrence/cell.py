"""Base class of recurrent cells: weights, norms, and the sum of input and state projections."""

from __future__ import annotations

import math
from typing import Any, TypedDict

import torch
from jaxtyping import Float
from torch import Tensor, nn

from lnviz.norms.kernels import requires_derivatives
from lnviz.topics.recurrence.cell_steps import CellState, ProjectionSum, Step
from lnviz.topics.recurrence.stepnorm import NORMS, StepNorm

Norms = tuple[StepNorm | None, StepNorm | None, StepNorm | None]


class Options(TypedDict, total=False):
    """Types of the keyword arguments that every cell accepts; documented in `RecurrentCell`."""

    norm: str
    separate: bool
    per_gate: bool
    gain: float
    eps: float
    steps: int | None


class RecurrentCell(nn.Module):
    """Base class of recurrent cells: weight matrices for input and state, biases, and norms.

    Args:
        input_size: I, number of input features.
        hidden_size: H, number of units of the state.
        blocks: number of blocks of H rows in the weight matrices.
        norm: `"none"`, `"layer"`, `"rms"` or `"batch"`.
        separate: whether the projections of input and state have separate norms; False applies one
            norm to their sum.
        per_gate: whether LayerNorm and RMSNorm normalize each gate separately; False normalizes all
            gates together, as the authors' code does.
        gain: initial value of the norms' gains.
        eps: added to variances.
        steps: for BatchNorm, the length of the longest training sequence.

    Raises:
        ValueError: a size is below 1, or the norm is unknown, or `StepNorm` raises it.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        *,
        blocks: int,
        norm: str = "none",
        separate: bool = True,
        per_gate: bool = False,
        gain: float = 1.0,
        eps: float = 1e-5,
        steps: int | None = None,
    ) -> None:
        super().__init__()
        if input_size < 1 or hidden_size < 1:
            raise ValueError(
                f"A cell needs inputs and units, got input_size={input_size} and "
                f"hidden_size={hidden_size}. Use 1 or more."
            )
        if norm not in ("none", *NORMS):
            raise ValueError(f"A cell's norm is none, {', '.join(NORMS)}; got {norm!r}.")
        self.input_size, self.hidden_size = input_size, hidden_size
        self.norm, self.separate, self.per_gate = norm, separate, per_gate
        self.gain, self.eps, self.steps = gain, eps, steps
        self.weight_ih = nn.Parameter(torch.empty(blocks * hidden_size, input_size))
        self.weight_hh = nn.Parameter(torch.empty(blocks * hidden_size, hidden_size))

    def reset_parameters(self) -> None:
        r"""Initialize weights and biases from $U(-1/\sqrt H, 1/\sqrt H)$, as PyTorch's cells do."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters(recurse=False):
            nn.init.uniform_(parameter, -bound, bound)

    def initial_state(self, x: Float[Tensor, "*cases I"]) -> CellState:
        """Return the initial state: a vector of zeros for each example in the input."""
        return x.new_zeros(*x.shape[:-1], self.hidden_size)

    def step(self, x: Float[Tensor, "*cases I"], state: Any, t: int = 0) -> Step:
        """Compute one time step of the cell, and return all intermediate values.

        Args:
            x: input, examples x inputs, with any leading dimensions.
            state: the state of the previous step, examples x units.
            t: index of the step, from 0; used by recurrent BatchNorm only.

        Raises:
            ValueError: sizes do not match, or `t` is one that the norm (`StepNorm`) does not have.
        """
        raise NotImplementedError

    def forward(
        self, x: Float[Tensor, "*cases I"], state: CellState | None = None, t: int = 0
    ) -> CellState:
        """Compute one time step of the cell, with the arguments and results of PyTorch's cells.

        Args:
            x: input, examples x inputs, with any leading dimensions.
            state: the state of the previous step, examples x units; zeros by default.
            t: index of the step, from 0; used by recurrent BatchNorm only.

        Returns:
            The new state.

        Raises:
            ValueError: the input is not finite, or `step` raises it.
        """
        check_finite(x)
        return self.step(x, self.initial_state(x) if state is None else state, t).state

    def _norm(self, units: int, *, gates: int = 1, bias: bool = True) -> StepNorm | None:
        if self.norm == "none":
            return None
        groups = gates if self.per_gate else 1
        return StepNorm(
            units,
            self.norm,
            groups=groups,
            gain=self.gain,
            bias=bias,
            eps=self.eps,
            steps=self.steps,
        )

    def _norms(self, units: int, *, gates: int = 1, bias: bool = True) -> Norms:
        """Create the norms of input projection, state projection and sum; None where unused."""
        if self.separate:
            first, second = (self._norm(units, gates=gates, bias=bias) for _ in range(2))
            return first, second, None
        return None, None, self._norm(units, gates=gates, bias=bias)

    def _check(self, x: Tensor, *state: Tensor) -> None:
        cases = x.shape[:-1]
        units = (*cases, self.hidden_size)
        if x.shape != (*cases, self.input_size) or any(part.shape != units for part in state):
            raise ValueError(
                f"This cell takes an input of cases x {self.input_size} and a state of cases x "
                f"{self.hidden_size}, got an input of shape {tuple(x.shape)} and a state of shape "
                f"{' and '.join(str(tuple(part.shape)) for part in state)}."
            )


def sum_projections(
    from_input: Float[Tensor, "*cases D"],
    from_state: Float[Tensor, "*cases D"],
    norms: Norms,
    t: int,
    *,
    bias: Float[Tensor, " D"] | None = None,
    reset: Float[Tensor, "*cases D"] | None = None,
) -> ProjectionSum:
    """Add the projections of input and state, with norms on both projections, on the sum, or none.

    Args:
        from_input: the projection of the input.
        from_state: the projection of the previous state.
        norms: the norms of the input's projection, of the state's projection, and of their sum;
            None for no norm.
        t: index of the step, from 0.
        bias: added to the sum.
        reset: factor of the state's projection, or None.

    Returns:
        The sum, with all intermediate values.

    >>> one, norms = torch.ones(2), (None, None, None)
    >>> sum_projections(one, one, norms, 0, bias=one).total
    tensor([3., 3.])
    """
    ih, hh, both = norms
    norm_ih = None if ih is None else ih(from_input, t)
    norm_hh = None if hh is None else hh(from_state, t)
    first = from_input if norm_ih is None else norm_ih.y
    second = from_state if norm_hh is None else norm_hh.y
    total = first + second if reset is None else first + reset * second
    norm_sum = None if both is None else both(total, t)
    total = total if norm_sum is None else norm_sum.y
    return ProjectionSum(
        from_input, from_state, norm_ih, norm_hh, norm_sum, total if bias is None else total + bias
    )


def zeros(units: int) -> nn.Parameter:
    """Return a trainable vector of zeros.

    >>> zeros(2).requires_grad
    True
    """
    return nn.Parameter(torch.zeros(units))


def check_finite(x: Float[Tensor, "..."]) -> None:
    """Raise an error if a cell's input has infinite or NaN values.

    Args:
        x: input of any shape. Not checked if autograd or `torch.func` tracks it, since its values
            may not be available.

    Raises:
        ValueError: the input is not finite.

    >>> check_finite(torch.ones(3))
    """
    if not requires_derivatives(x) and not x.isfinite().all():
        raise ValueError(
            f"The input must be finite, got {int((~x.isfinite()).sum())} of {x.numel()} values "
            f"infinite or no numbers. Take them out or replace them, for example by 0."
        )
