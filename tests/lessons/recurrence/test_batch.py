from functools import cache

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Explorable, Readout
from lnviz.lessons.recurrence.batch import GAIN, gain_figure, remembered_figure
from lnviz.lessons.recurrence.trained import compared
from lnviz.recurrence import StepNorm
from tests.lessons.running import printed

UNITS = compared().specification.units


@cache
def remembered() -> Explorable:
    return remembered_figure()


@cache
def gain() -> Explorable:
    return gain_figure()


def drawn(statistic: str, step: int) -> torch.Tensor:
    """A column of the heat map."""
    values = remembered().lookup("values", remembered().at(statistic=statistic))
    return values.unflatten(0, (-1, UNITS))[step - 1].cpu()


@pytest.mark.parametrize("step", [1, 16, 32])
@pytest.mark.parametrize("statistic", ["mean", "std"])
def test_the_code_prints_the_column_at_the_slider(statistic: str, step: int) -> None:
    state = remembered().at(statistic=statistic, sequence_step=step)
    (result,) = printed(remembered(), state)
    assert_close(result, drawn(statistic, step), rtol=0, atol=1e-3)


def test_steps_beyond_training_show_the_last_steps_statistics() -> None:
    longest = compared().longest
    for step in range(longest, 2 * longest + 1):
        assert torch.equal(drawn("std", step), drawn("std", longest))
        assert remembered().lookup("used", remembered().at(sequence_step=step)) == longest
    assert not torch.equal(drawn("std", longest - 1), drawn("std", longest))


def test_a_norm_of_the_core_uses_what_the_heat_map_shows() -> None:
    found, longest = compared().remembered["norm_cell"], compared().longest
    norm = StepNorm(UNITS, "batch", steps=longest).eval()
    norm.running_mean.copy_(torch.tensor(found.mean))
    norm.running_var.copy_(torch.tensor(found.var))
    for step in (3, longest + 5):
        used = norm(torch.zeros(2, UNITS), step - 1)
        assert_close(used.mean.flatten(), drawn("mean", step), rtol=0, atol=1e-3)


def test_only_past_training_the_verdict_says_so() -> None:
    (verdict,) = [
        v for row in remembered().views for v in row if getattr(v, "look", 0) == "verdict"
    ]
    assert isinstance(verdict, Readout)
    assert min(verdict.when["sequence step"]) == compared().longest + 1


@pytest.mark.parametrize("value", [0.01, 0.1, 1.0])
def test_the_code_prints_slope_and_gradient(value: float) -> None:
    state = gain().at(gain=value)
    slope, back, each = printed(gain(), state)
    assert_close(slope.float(), gain().lookup("slope", state).cpu(), rtol=1e-3, atol=0)
    assert_close(back, gain().lookup("back", state).cpu(), rtol=0.02, atol=0)
    assert_close(each, gain().lookup("each", state).cpu(), rtol=1e-3, atol=0)


def test_a_small_gain_leaves_tanh_steep_and_yet_less_gradient_comes_back() -> None:
    small, one = (gain().at(gain=value) for value in (0.1, 1.0))
    assert gain().lookup("slope", small) > 0.98 > 0.7 > gain().lookup("slope", one)
    assert gain().lookup("back", small) < gain().lookup("back", one) / 100
    assert gain().lookup("flat", small) == 0 < gain().lookup("flat", one)


def test_both_gains_of_the_lesson_are_positions_of_the_slider() -> None:
    assert {0.1, 1.0} <= set(GAIN.values)
    assert GAIN.size > 200


@pytest.mark.parametrize("value", [0.01, 0.1])
def test_the_marks_lie_on_their_curves(value: float) -> None:
    state = gain().at(gain=value)
    at, on = gain().lookup("at", state), gain().lookup("on", state)
    assert_close(at, torch.tensor(value).log10().expand(2), rtol=0, atol=2e-3)
    expected = torch.stack([gain().lookup(name, state) for name in ("slope", "each")])
    assert_close(on, expected)
