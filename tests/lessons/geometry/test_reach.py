import pytest

from lnviz.explorable import Chart
from lnviz.lessons.geometry.model import SHOWN
from lnviz.lessons.geometry.reach import NORM, STEP
from lnviz.norms import CATALOGUE, NONE
from tests.lessons.geometry.drawing import figure
from tests.lessons.running import views


@pytest.mark.slow
def test_what_is_said_of_weights_of_length_zero_stands_at_a_step_of_1_under_a_norm() -> None:
    shown = figure("reach")
    (said,) = [v for row in shown.views for v in row if STEP.name in getattr(v, "when", {})]
    assert said.when[STEP.name] == (1.0,)
    assert set(said.when[NORM.name]) == {norm.key for norm in SHOWN if norm is not NONE}


@pytest.mark.parametrize("norm", [norm.key for norm in SHOWN if norm is not NONE])
def test_under_a_norm_the_two_agree_for_short_steps_and_part_for_long_ones(norm: str) -> None:
    shown = figure("reach")
    off = [
        float(shown.lookup("exact across", where) / shown.lookup("quadratic across", where) - 1)
        for where in (shown.state_at(norm=norm, step_size=size) for size in (0.01, 1.0))
    ]
    assert abs(off[0]) < 0.05
    assert off[1] < -0.2


def test_no_line_has_a_norms_color() -> None:
    (chart,) = views(figure("reach"), Chart)
    drawn = {trace.line.color for trace in chart.figure.data}
    assert not drawn & {f"var(--ln-{norm})" for norm in CATALOGUE}
