"""One step, with the norms wired in every way."""

import itertools

import pytest
import torch
from torch.testing import assert_close

from lnviz.topics.recurrence import state_share, wiring
from lnviz.topics.recurrence.cell_steps import ProjectionSum
from tests.topics.recurrence import written_out
from tests.topics.recurrence.drawing import named

SCALES = torch.logspace(-2, 2, 9)
SWITCHES = list(itertools.product([True, False], repeat=2))
WIRINGS = [(cell, *switches) for cell in ("lstm", "gru") for switches in SWITCHES]


def first_joined(step: object) -> ProjectionSum:
    found = getattr(step, "joined", None) or step.gates
    assert isinstance(found, ProjectionSum)
    return found


@pytest.mark.parametrize(("separate", "per_gate"), SWITCHES)
def test_the_lstms_step_is_the_papers_at_every_scale(separate: bool, per_gate: bool) -> None:
    found = wiring(SCALES, separate=separate, per_gate=per_gate)
    p = dict(found.cell.named_parameters())
    h, c = (part.expand(len(SCALES), -1) for part in found.state)
    reference = written_out.lstm if separate else written_out.lstm_with_one_norm
    expected = reference(found.x, h, c, p, gates=4 if per_gate else 1)
    assert_close(found.step.state, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("per_gate", [False, True])
def test_the_grus_step_is_the_papers_at_every_scale(per_gate: bool) -> None:
    found = wiring(SCALES, cell="gru", per_gate=per_gate)
    (h,) = found.state
    p = dict(found.cell.named_parameters())
    expected = written_out.gru(found.x, h.expand(len(SCALES), -1), p, gates=2 if per_gate else 1)
    assert_close(found.step.state, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("cell", "separate", "per_gate"), WIRINGS)
def test_scales_lead_in_every_intermediate(cell: str, separate: bool, per_gate: bool) -> None:
    step = wiring(SCALES, cell=cell, separate=separate, per_gate=per_gate).step
    parts = named(step)
    assert {part.shape[0] for part in parts.values()} == {len(SCALES)}
    alone = named(wiring(SCALES[3:4], cell=cell, separate=separate, per_gate=per_gate).step)
    assert_close({name: part[3:4] for name, part in parts.items()}, alone)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_all_wirings_start_from_the_same_numbers(cell: str) -> None:
    ways = [
        wiring(SCALES, cell=cell, separate=separate, per_gate=per_gate)
        for separate, per_gate in SWITCHES
    ]
    first = named(ways[0].step)
    for way in ways[1:]:
        parts = named(way.step)
        assert_close(way.state, ways[0].state)
        for name in parts:
            if name.endswith(("from_input", "from_state")):
                assert torch.equal(parts[name], first[name])


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_separate_norms_hold_the_states_share_where_one_norm_lets_it_sink(cell: str) -> None:
    shares = {
        separate: state_share(first_joined(wiring(SCALES, cell=cell, separate=separate).step))
        for separate in (True, False)
    }
    # From scale 1 on, where epsilon does not count.
    assert_close(shares[True][4:], shares[True][4:5].expand(5), rtol=1e-3, atol=0)
    assert shares[False][-1] < 0.05 < 0.3 < shares[False][4]
    assert (shares[False].diff() < 0).all()


def test_the_names_of_a_step_say_where_a_part_stands() -> None:
    names = set(named(wiring(SCALES).step))
    assert {"i", "f", "g", "o", "c", "h", "joined.total", "joined.norm_hh.x_hat"} <= names
    assert {"norm_cell.mean", "norm_cell.y"} <= names
    assert not any("norm_sum" in name for name in names)


def test_gains_and_biases_are_each_their_own() -> None:
    cell = wiring(SCALES).cell
    for norm in (cell.norm_ih, cell.norm_hh, cell.norm_cell):
        assert len(norm.weight.unique()) == len(norm.weight)
        assert len(norm.bias.unique()) == len(norm.bias)


def test_other_cells_are_refused() -> None:
    with pytest.raises(ValueError, match="The wiring shown is that of lstm or gru, got 'rnn'"):
        wiring(SCALES, cell="rnn")
