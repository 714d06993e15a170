"""The norm inside a step, beside PyTorch's modules."""

from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from lnviz.topics.recurrence import RNN, GRUCell, LSTMCell, StepNorm
from lnviz.topics.recurrence.cell import RecurrentCell
from tests.topics.recurrence.drawing import drawn, jolted

N, D, STEPS = 5, 6, 3


@pytest.mark.parametrize(
    ("norm", "theirs"), [("layer", nn.LayerNorm(D)), ("rms", nn.RMSNorm(D, eps=1e-5))]
)
def test_over_units_it_is_pytorchs_norm(norm: str, theirs: nn.Module) -> None:
    mine = jolted(StepNorm(D, norm))
    theirs.double().load_state_dict(dict(mine.state_dict()), strict=norm == "layer")
    x = drawn(2, N, D)
    shift = 0 if norm == "layer" else mine.bias
    assert_close(mine(x).y, theirs(x) + shift)


def test_in_groups_it_is_groupnorm() -> None:
    mine, theirs = jolted(StepNorm(D, "layer", groups=2)), nn.GroupNorm(2, D).double()
    theirs.load_state_dict(mine.state_dict())
    x = drawn(N, D)
    assert_close(mine(x).y, theirs(x))


def test_over_cases_each_step_is_a_batchnorm_of_its_own() -> None:
    mine = jolted(StepNorm(D, "batch", steps=STEPS))
    theirs = [nn.BatchNorm1d(D).double() for _ in range(STEPS)]
    for module in theirs:
        module.weight.data, module.bias.data = mine.weight.data, mine.bias.data
    for batch in range(4):
        for t, module in enumerate(theirs):
            x = (t + 1) * drawn(N, D, seed=10 * batch + t) + t
            assert_close(mine(x, t).y, module(x))
    for t, module in enumerate(theirs):
        assert_close(mine.running_mean[t], module.running_mean)
        assert_close(mine.running_var[t], module.running_var)
    mine.eval()
    for t, module in enumerate(theirs):
        x = drawn(N, D, seed=t)
        assert_close(mine(x, t).y, module.eval()(x))


def test_past_the_longest_training_sequence_the_last_steps_statistics_are_used_again() -> None:
    norm = jolted(StepNorm(D, "batch", steps=STEPS))
    for t in range(STEPS):
        norm(drawn(N, D, seed=t) * (t + 1) + t, t)
    norm.eval()
    x = drawn(N, D)
    assert_close(norm(x, STEPS + 50).y, norm(x, STEPS - 1).y)
    assert (norm(x, STEPS - 1).y - norm(x, 0).y).abs().max() > 0.1


@pytest.mark.parametrize(
    "make",
    [
        lambda: LSTMCell(4, D, norm="batch", steps=STEPS),
        lambda: LSTMCell(4, D, norm="batch", steps=STEPS, separate=False),
        lambda: GRUCell(4, D, norm="batch", steps=STEPS),
    ],
)
def test_evaluation_remembers_nothing_and_takes_cases_one_by_one(
    make: Callable[[], RecurrentCell],
) -> None:
    layer = RNN(jolted(make()))
    layer(drawn(N, STEPS, 4))
    layer.eval()
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    x = drawn(N, 2 * STEPS, 4)
    together, _ = layer(x)
    alone = torch.cat([layer(case[None])[0] for case in x])
    assert_close(together, alone)
    assert_close(dict(layer.state_dict()), before)


def test_under_batchnorm_the_projections_leave_the_bias_to_the_cell() -> None:
    cell = LSTMCell(4, D, norm="batch", gain=0.1, steps=STEPS)
    for norm in (cell.norm_ih, cell.norm_hh, cell.norm_cell):
        assert norm.weight.eq(0.1).all()
        assert norm.running_mean.shape == (STEPS, len(norm.weight))
    assert cell.norm_ih.bias is None
    assert cell.norm_hh.bias is None
    assert cell.norm_cell.bias.eq(0).all()


def test_training_refuses_a_single_case() -> None:
    norm = StepNorm(D, "batch", steps=STEPS)
    with pytest.raises(ValueError, match=r"at least two cases, .* got shape \(1, 6\)"):
        norm(torch.ones(1, D))


def test_training_refuses_steps_it_has_no_room_for() -> None:
    norm = StepNorm(D, "batch", steps=STEPS)
    with pytest.raises(ValueError, match="remembers the statistics of 3 steps, got step 4 in"):
        norm(torch.ones(N, D), STEPS)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"norm": "instance"}, "A norm is one of layer, rms, batch; got 'instance'"),
        ({"norm": "batch", "steps": 0}, "statistics for each step, got steps=0. Give steps="),
        ({"norm": "layer", "groups": 4}, "one size are needed, got 6 units for 4 groups"),
        (
            {"norm": "rms", "groups": 6},
            "leaves nothing of it but its sign, got 6 units in 6 groups",
        ),
    ],
)
def test_norms_that_make_no_sense_are_refused(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        StepNorm(D, **arguments)
