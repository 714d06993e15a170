"""The cells beside PyTorch's, without norms, and beside the paper's equations, with them."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.testing import assert_close

from lnviz.topics.recurrence import (
    RNN,
    GRUCell,
    GRUStep,
    LSTMCell,
    LSTMStep,
)
from lnviz.topics.recurrence.cell import RecurrentCell
from tests.topics.recurrence import written_out
from tests.topics.recurrence.drawing import drawn, jolted

N, T, INPUTS, H = 3, 5, 4, 6

KINDS = {
    "lstm": lambda **options: LSTMCell(INPUTS, H, **options),
    "gru": lambda **options: GRUCell(INPUTS, H, **options),
}
PYTORCH = {
    "lstm": (nn.LSTMCell(INPUTS, H), nn.LSTM(INPUTS, H, batch_first=True)),
    "gru": (nn.GRUCell(INPUTS, H), nn.GRU(INPUTS, H, batch_first=True)),
}


def turned(weights: Tensor) -> Tensor:
    """The rows of the update gate with the other sign: its share is kept instead of replaced."""
    return torch.cat([weights[:H], -weights[H : 2 * H], weights[2 * H :]])


def copied(cell: RecurrentCell, torchs: nn.Module) -> None:
    """Copy our cell's parameters into PyTorch's module, cell or layer."""
    ours = dict(cell.named_parameters())
    for name, theirs in torchs.named_parameters():
        mine = name.removesuffix("_l0")
        if mine in ours:
            value = ours[mine].data.clone()
        else:
            value = ours["bias"].data * (0.25 if mine == "bias_ih" else 0.75)
        theirs.data = turned(value) if isinstance(cell, GRUCell) else value


def gradients(outputs: Tensor, wrt: list[Tensor]) -> tuple[Tensor, ...]:
    return torch.autograd.grad((outputs * drawn(*outputs.shape, seed=99)).sum(), wrt)


def first(state: Tensor | tuple[Tensor, Tensor]) -> Tensor:
    return torch.cat(state) if isinstance(state, tuple) else state


@pytest.mark.parametrize("kind", KINDS)
def test_without_norms_a_cell_is_pytorchs(kind: str) -> None:
    cell, theirs = jolted(KINDS[kind]()), PYTORCH[kind][0].double()
    copied(cell, theirs)
    x = drawn(N, INPUTS).requires_grad_()
    h, c = (drawn(N, H, seed=seed).requires_grad_() for seed in (1, 2))
    state, wrt = ((h, c), [x, h, c]) if kind == "lstm" else (h, [x, h])
    for given_state in (state, None):
        mine, other = first(cell(x, given_state)), first(theirs(x, given_state))
        assert_close(mine, other, rtol=1e-9, atol=1e-9)
    wrt = [*wrt, "weight_ih", "weight_hh"]
    mine, other = first(cell(x, state)), first(theirs(x, state))

    def of(module: nn.Module) -> list[Tensor]:
        return [getattr(module, w) if isinstance(w, str) else w for w in wrt]

    same = turned if kind == "gru" else torch.clone
    expected = [
        same(each) if name in wrt[-2:] else each
        for name, each in zip(wrt, gradients(other, of(theirs)), strict=True)
    ]
    assert_close(list(gradients(mine, of(cell))), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_without_norms_a_layer_is_pytorchs_in_values_and_gradients(kind: str) -> None:
    cell, theirs = jolted(KINDS[kind]()), PYTORCH[kind][1].double()
    copied(cell, theirs)
    x = drawn(N, T, INPUTS).requires_grad_()
    outputs, last = RNN(cell)(x)
    expected, expected_last = theirs(x)
    assert_close(outputs, expected, rtol=1e-9, atol=1e-9)
    assert_close(first(last), first(expected_last).view_as(first(last)), rtol=1e-9, atol=1e-9)
    mine = gradients(outputs, [x, cell.weight_ih, cell.weight_hh])
    of_x, *of_weights = gradients(expected, [x, theirs.weight_ih_l0, theirs.weight_hh_l0])
    same = turned if kind == "gru" else torch.clone
    assert_close(list(mine), [of_x, *map(same, of_weights)], rtol=1e-9, atol=1e-9)


REFERENCES: dict[str, tuple[Callable[[], RecurrentCell], Callable[..., object]]] = {
    "lstm": (lambda: LSTMCell(INPUTS, H, norm="layer"), written_out.lstm),
    "lstm, per gate": (
        lambda: LSTMCell(INPUTS, H, norm="layer", per_gate=True),
        lambda *given: written_out.lstm(*given, gates=4),
    ),
    "lstm, one norm": (
        lambda: LSTMCell(INPUTS, H, norm="layer", separate=False),
        written_out.lstm_with_one_norm,
    ),
    "lstm, one norm, per gate": (
        lambda: LSTMCell(INPUTS, H, norm="layer", separate=False, per_gate=True),
        lambda *given: written_out.lstm_with_one_norm(*given, gates=4),
    ),
    "gru": (lambda: GRUCell(INPUTS, H, norm="layer"), written_out.gru),
    "gru, per gate": (
        lambda: GRUCell(INPUTS, H, norm="layer", per_gate=True),
        lambda *given: written_out.gru(*given, gates=2),
    ),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_with_norms_a_cell_is_the_papers_equations(name: str) -> None:
    make, reference = REFERENCES[name]
    cell = jolted(make())
    x, h, c = drawn(N, INPUTS), drawn(N, H, seed=1), drawn(N, H, seed=2)
    h.requires_grad_()
    given = (x, h, c) if "lstm" in name else (x, h)
    parameters = dict(cell.named_parameters())
    mine = cell(x, (h, c) if "lstm" in name else h)
    expected = reference(*given, parameters)
    assert_close(mine, expected, rtol=1e-9, atol=1e-9)
    wrt = [h, *parameters.values()]
    for ours, other in zip(
        gradients(first(mine), wrt), gradients(first(expected), wrt), strict=True
    ):
        assert_close(ours, other, rtol=1e-7, atol=1e-9)


def test_one_norm_on_the_grus_sums_lets_the_reset_gate_go_first() -> None:
    cell = jolted(GRUCell(INPUTS, H, norm="layer", separate=False))
    x, h = drawn(N, INPUTS), drawn(N, H, seed=1)
    step = cell.step(x, h)
    assert step.new.norm_ih is None
    assert step.new.norm_hh is None
    summed = step.new.from_input + step.r * step.new.from_state
    assert_close(
        step.n,
        torch.tanh(written_out.LN(summed, cell.norm_sum_new.weight, cell.norm_sum_new.bias)),
    )


CELLS = {
    "lstm": lambda **options: LSTMCell(INPUTS, H, **options),
    "lstm, one norm, per gate": lambda **options: LSTMCell(
        INPUTS, H, separate=False, per_gate=True, **options
    ),
    "gru": lambda **options: GRUCell(INPUTS, H, **options),
    "gru, one norm": lambda **options: GRUCell(INPUTS, H, separate=False, **options),
}


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["layer", "rms"])
@pytest.mark.parametrize("kind", CELLS)
@given(exponent=st.floats(-12, 12))
@settings(max_examples=15)
def test_rescaling_the_summed_inputs_leaves_the_state_unchanged(
    kind: str, norm: str, exponent: float
) -> None:
    cell = jolted(CELLS[kind](norm=norm, eps=0.0))
    x, start = drawn(N, INPUTS), drawn(N, H, seed=1)
    state = (start, drawn(N, H, seed=2)) if isinstance(cell, LSTMCell) else start
    before = cell(x, state)
    with torch.no_grad():
        cell.weight_ih *= 10**exponent
        cell.weight_hh *= 10**exponent
    assert_close(cell(x, state), before, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("kind", [LSTMCell, GRUCell])
@given(scales=st.tuples(st.floats(-6, 6), st.floats(-6, 6)))
@settings(max_examples=30)
def test_separate_norms_allow_each_projection_a_scale_of_its_own(
    kind: type[RecurrentCell], scales: tuple[float, float]
) -> None:
    cell = jolted(kind(INPUTS, H, norm="layer", eps=0.0))
    x, start = drawn(N, INPUTS), drawn(N, H, seed=1)
    state = (start, drawn(N, H, seed=2)) if isinstance(cell, LSTMCell) else start
    before = cell(x, state)
    with torch.no_grad():
        cell.weight_ih *= 10 ** scales[0]
        cell.weight_hh *= 10 ** scales[1]
    assert_close(cell(x, state), before, rtol=1e-7, atol=1e-9)


def test_without_a_norm_the_state_follows_the_scale() -> None:
    cell = jolted(GRUCell(INPUTS, H))
    x, h = drawn(N, INPUTS), drawn(N, H, seed=1)
    before = cell(x, h)
    with torch.no_grad():
        cell.weight_ih *= 3
        cell.weight_hh *= 3
    assert (cell(x, h) - before).abs().max() > 0.1


def test_a_step_shows_what_its_norms_did() -> None:
    cell = jolted(LSTMCell(INPUTS, H, norm="layer"))
    step = cell.step(drawn(N, INPUTS), (drawn(N, H, seed=1), drawn(N, H, seed=2)))
    assert isinstance(step, LSTMStep)
    part = step.joined
    assert part.norm_ih is not None
    assert part.norm_hh is not None
    assert part.norm_sum is None
    assert_close(part.norm_ih.mean, part.from_input.mean(-1, keepdim=True))
    assert_close(part.norm_hh.var, part.from_state.var(-1, correction=0, keepdim=True))
    assert_close(part.total, part.norm_ih.y + part.norm_hh.y + cell.bias)
    assert_close(step.i, part.total[:, :H].sigmoid())
    assert_close(step.norm_cell.mean, step.c.mean(-1, keepdim=True))
    assert step.state == (step.h, step.c)


def test_statistics_per_gate_stand_at_every_unit_of_the_gate() -> None:
    cell = jolted(GRUCell(INPUTS, H, norm="layer", per_gate=True))
    step = cell.step(drawn(N, INPUTS), drawn(N, H, seed=1))
    assert isinstance(step, GRUStep)
    reset, update = step.gates.from_state.chunk(2, -1)
    expected = torch.cat([gate.mean(-1, keepdim=True).expand(N, H) for gate in (reset, update)], 1)
    assert_close(step.gates.norm_hh.mean, expected)
    together = jolted(GRUCell(INPUTS, H, norm="layer")).step(drawn(N, INPUTS), drawn(N, H, seed=1))
    assert together.gates.norm_hh.mean.shape == (N, 1)


@pytest.mark.parametrize("kind", CELLS)
def test_the_number_of_parameters_does_not_depend_on_the_length(kind: str) -> None:
    layer = RNN(jolted(CELLS[kind](norm="layer")))
    count = sum(parameter.numel() for parameter in layer.parameters())
    short, _ = layer(drawn(N, 2, INPUTS))
    long, _ = layer(drawn(N, 40, INPUTS))
    assert_close(long[:, :2], layer(drawn(N, 40, INPUTS)[:, :2])[0])
    assert (short.shape, long.shape) == ((N, 2, H), (N, 40, H))
    assert sum(parameter.numel() for parameter in layer.parameters()) == count


def test_leading_sweeps_are_computed_together() -> None:
    layer = RNN(jolted(LSTMCell(INPUTS, H, norm="layer")))
    x = drawn(7, 2, N, T, INPUTS)
    together, _ = layer(x)
    assert_close(together[4, 1], layer(x[4, 1])[0])


def test_a_layer_goes_on_from_a_state() -> None:
    layer = RNN(jolted(LSTMCell(INPUTS, H, norm="layer")))
    x = drawn(N, T, INPUTS)
    whole, last = layer(x)
    _, halfway = layer(x[:, :2])
    rest, end = layer(x[:, 2:], halfway)
    assert_close(rest, whole[:, 2:])
    assert_close(end, last)


def test_weights_start_as_pytorchs_do() -> None:
    torch.manual_seed(0)
    cell = LSTMCell(50, 100, norm="layer")
    for parameter in (cell.weight_ih, cell.weight_hh, cell.bias):
        assert parameter.abs().max() <= 0.1
        assert_close(parameter.std().item(), 0.1 / 3**0.5, rtol=0.05, atol=0)
    assert cell.norm_ih.weight.eq(1).all()
    assert cell.norm_ih.bias.eq(0).all()


def test_parameters_are_named_and_ordered_as_pytorchs() -> None:
    theirs = [name for name, _ in nn.GRUCell(INPUTS, H).named_parameters()]
    assert [name for name, _ in GRUCell(INPUTS, H).named_parameters()] == theirs
    assert [name for name, _ in LSTMCell(INPUTS, H, norm="layer").named_parameters()] == [
        "weight_ih",
        "weight_hh",
        "bias",
        "norm_ih.weight",
        "norm_ih.bias",
        "norm_hh.weight",
        "norm_hh.bias",
        "norm_cell.weight",
        "norm_cell.bias",
    ]


@pytest.mark.parametrize("kind", CELLS)
def test_a_sequence_of_one_step_is_one_step(kind: str) -> None:
    cell = jolted(CELLS[kind](norm="layer"))
    x = drawn(N, 1, INPUTS)
    outputs, last = RNN(cell)(x)
    assert_close(last, cell(x[:, 0]))
    assert_close(outputs[:, 0], first(last)[:N])


def test_one_hidden_unit_works_without_a_norm() -> None:
    outputs, _ = RNN(LSTMCell(2, 1))(torch.ones(3, 4, 2))
    assert outputs.shape == (3, 4, 1)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_input_that_is_not_finite_is_refused(bad: float) -> None:
    x = torch.ones(3, 4, 2)
    x[1, 2, 0] = bad
    sentence = "The input must be finite, got 1 of 24 values infinite or no numbers."
    with pytest.raises(ValueError, match=sentence):
        RNN(LSTMCell(2, 5, norm="layer"))(x)
    with pytest.raises(ValueError, match="The input must be finite, got 1 of 6 values"):
        LSTMCell(2, 5, norm="layer")(x[:, 2])


def test_empty_sequences_are_refused() -> None:
    with pytest.raises(ValueError, match="A sequence is cases x steps x inputs with one step or"):
        RNN(LSTMCell(2, 5))(torch.ones(3, 0, 2))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: LSTMCell(0, 4), "A cell needs inputs and units, got input_size=0 and"),
        (lambda: GRUCell(4, 0), "got input_size=4 and hidden_size=0. Use 1 or more."),
        (lambda: LSTMCell(4, 4, norm="weight"), "A cell's norm is none, layer, rms, batch; got 'w"),
        (lambda: LSTMCell(4, 1, norm="layer", separate=False, per_gate=True), "nothing of it but"),
        (
            lambda: LSTMCell(4, 1, norm="layer"),
            "but zero, got 1 units in 1 groups. Use a hidden size",
        ),
        (lambda: GRUCell(4, 1, norm="layer"), "Use a hidden size of 2 or more"),
        (lambda: GRUCell(4, 1, norm="rms"), "RMSNorm over a single unit leaves .* its sign"),
        (lambda: LSTMCell(4, 4, norm="batch"), "BatchNorm remembers statistics for each step, got"),
        (
            lambda: LSTMCell(4, 4, norm="layer", steps=3),
            "LayerNorm remembers no statistics, got steps",
        ),
        (
            lambda: LSTMCell(4, 4, norm="batch", steps=3, per_gate=True),
            "BatchNorm takes statistics for each unit separately, got 4 groups",
        ),
    ],
)
def test_cells_that_make_no_sense_are_refused(
    make: Callable[[], RecurrentCell], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()


def test_wrong_sizes_are_refused() -> None:
    cell = LSTMCell(3, 4)
    sentence = "takes an input of cases x 3 and a state of cases x 4, got an input of shape "
    with pytest.raises(ValueError, match=sentence):
        cell(torch.ones(2, 5))
    with pytest.raises(ValueError, match=sentence):
        cell(torch.ones(2, 3), (torch.ones(2, 5), torch.ones(2, 5)))
    with pytest.raises(ValueError, match=sentence):
        GRUCell(3, 4)(torch.ones(2, 3), torch.ones(2, 5))
