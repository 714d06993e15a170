"""LSTM and GRU cells with norms inside them, with the interface of PyTorch's cells."""

from __future__ import annotations

from typing import Unpack

from jaxtyping import Float
from torch import Tensor, nn

from lnviz.topics.recurrence.cell import Options, RecurrentCell, sum_projections, zeros
from lnviz.topics.recurrence.cell_steps import CellState, GRUStep, LSTMStep

BATCH_GAIN = 0.1
"""Initial gain of recurrent BatchNorm in Cooijmans et al. 2016 (arXiv 1603.09025)."""


class LSTMCell(RecurrentCell):
    r"""A long short-term memory (LSTM) cell, with any norm.

    $$(i, f, g, o)_t = LN(W_h h_{t-1}; \alpha_1, \beta_1) + LN(W_x x_t; \alpha_2, \beta_2) + b$$
    $$c_t = \sigma(f_t) \odot c_{t-1} + \sigma(i_t) \odot \tanh(g_t)$$
    $$h_t = \sigma(o_t) \odot \tanh(LN(c_t; \alpha_3, \beta_3))$$

    $\alpha$ and $\beta$ are `weight` and `bias` of `norm_hh`, `norm_ih` and `norm_cell`; b is
    `bias`. If the sum of the projections is normalized, its norm is `norm_sum`, and b is added
    after it. Without a norm, this is `nn.LSTMCell` with its two biases merged.

    Args:
        input_size: I, number of input features.
        hidden_size: H, number of units of hidden state and cell state.
        **options: as in `RecurrentCell`.

    Raises:
        ValueError: as `RecurrentCell`.

    Source: Ba, Kiros and Hinton 2016, equations 20 to 22. With BatchNorm, Cooijmans et al. 2016
        (arXiv 1603.09025); the projections' norms then have no bias, since b has the same effect.

    >>> import torch
    >>> h, c = LSTMCell(3, 4, norm="layer")(torch.ones(2, 3))
    >>> h.shape, c.shape
    (torch.Size([2, 4]), torch.Size([2, 4]))
    """

    def __init__(self, input_size: int, hidden_size: int, **options: Unpack[Options]) -> None:
        super().__init__(input_size, hidden_size, blocks=4, **options)
        self.bias = zeros(4 * hidden_size)
        self.norm_ih, self.norm_hh, self.norm_sum = self._norms(
            4 * hidden_size, gates=4, bias=self.norm != "batch"
        )
        self.norm_cell = self._norm(hidden_size)
        self.reset_parameters()

    def initial_state(self, x: Float[Tensor, "*cases I"]) -> CellState:
        """Return the initial hidden state and cell state: zeros for each example in the input."""
        none = x.new_zeros(*x.shape[:-1], self.hidden_size)
        return none, none

    def step(
        self,
        x: Float[Tensor, "*cases I"],
        state: tuple[Float[Tensor, "*cases H"], Float[Tensor, "*cases H"]],
        t: int = 0,
    ) -> LSTMStep:
        """Compute one time step as in `RecurrentCell.step`, and return every intermediate value."""
        h, c = state
        self._check(x, h, c)
        joined = sum_projections(
            x @ self.weight_ih.T,  # N,4H
            h @ self.weight_hh.T,  # N,4H
            (self.norm_ih, self.norm_hh, self.norm_sum),
            t,
            bias=self.bias,
        )
        i, f, g, o = joined.total.chunk(4, -1)  # N,H each
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * c + i * g
        norm_cell = None if self.norm_cell is None else self.norm_cell(c, t)
        h = o * (c if norm_cell is None else norm_cell.y).tanh()
        return LSTMStep(joined, i, f, g, o, c, norm_cell, h)


class GRUCell(RecurrentCell):
    r"""A gated recurrent unit (GRU) cell, with any norm.

    $$(r, z)_t = LN(W_h h_{t-1}; \alpha_1, \beta_1) + LN(W_x x_t; \alpha_2, \beta_2)$$
    $$n_t = \tanh(LN(W x_t; \alpha_3, \beta_3)
    + \sigma(r_t) \odot LN(U h_{t-1}; \alpha_4, \beta_4))$$
    $$h_t = (1 - \sigma(z_t)) \odot h_{t-1} + \sigma(z_t) \odot n_t$$

    `weight_hh` stacks $W_h$ and U, `weight_ih` stacks $W_x$ and W. $\alpha$ and $\beta$ are
    `weight` and `bias` of `norm_hh`, `norm_ih`, `norm_ih_new` and `norm_hh_new`; with one norm on
    each sum these are `norm_sum` and `norm_sum_new`. Without a norm the cell has `bias_ih` and
    `bias_hh`, two biases as in PyTorch, because the reset gate is applied between them.

    The update gate z has two conventions. In equation 28 and in this cell, z is the fraction of the
    state that is replaced. In PyTorch and in the authors' own Theano code, z is the fraction that
    is kept: $h_t = \sigma(z_t) \odot h_{t-1} + (1 - \sigma(z_t)) \odot n_t$. So without a norm,
    this cell is `nn.GRUCell` with the signs of z's weights and biases flipped.

    Args:
        input_size: I, number of input features.
        hidden_size: H, number of units of the state.
        **options: as in `RecurrentCell`.

    Raises:
        ValueError: as `RecurrentCell`.

    Source: Ba, Kiros and Hinton 2016, equations 26 to 28.

    >>> import torch
    >>> GRUCell(3, 4, norm="layer")(torch.ones(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(self, input_size: int, hidden_size: int, **options: Unpack[Options]) -> None:
        super().__init__(input_size, hidden_size, blocks=3, **options)
        self.bias_ih = zeros(3 * hidden_size) if self.norm == "none" else None
        self.bias_hh = zeros(3 * hidden_size) if self.norm == "none" else None
        self.norm_ih, self.norm_hh, self.norm_sum = self._norms(2 * hidden_size, gates=2)
        self.norm_ih_new, self.norm_hh_new, self.norm_sum_new = self._norms(hidden_size)
        self.reset_parameters()

    def step(
        self, x: Float[Tensor, "*cases I"], state: Float[Tensor, "*cases H"], t: int = 0
    ) -> GRUStep:
        """Compute one time step as in `RecurrentCell.step`, and return every intermediate value."""
        self._check(x, state)
        sizes = (2 * self.hidden_size, self.hidden_size)
        from_input = nn.functional.linear(x, self.weight_ih, self.bias_ih).split(sizes, -1)
        from_state = nn.functional.linear(state, self.weight_hh, self.bias_hh).split(sizes, -1)
        norms = (self.norm_ih, self.norm_hh, self.norm_sum)
        gates = sum_projections(from_input[0], from_state[0], norms, t)  # N,2H
        r, z = gates.total.sigmoid().chunk(2, -1)  # N,H each
        norms = (self.norm_ih_new, self.norm_hh_new, self.norm_sum_new)
        new = sum_projections(from_input[1], from_state[1], norms, t, reset=r)  # N,H
        n = new.total.tanh()
        return GRUStep(gates, r, z, new, n, state + z * (n - state))
