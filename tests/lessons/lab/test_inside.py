"""What is drawn of the networks' insides, and what the text says of it."""

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable
from lnviz.lessons.lab.drawing import SCALES
from lnviz.lessons.lab.inside import GAINED
from lnviz.lessons.lab.runs import NORMS, SIZES, measured
from lnviz.topics.lab.comparison import stored
from tests.lessons.running import built, printed


@pytest.fixture
def figure() -> Explorable:
    return built("lab", "inside")


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", SCALES)
def test_a_scale_at_a_step_is_the_stored_one(norm: str, name: str, figure: Explorable) -> None:
    found = stored().find(norm, 32)
    assert found is not None
    at = stored().points.index(500)
    values = torch.tensor([layer[at] for layer in getattr(found, name)], dtype=torch.float32)
    state = figure.at(batch_size=32, step=500)
    assert_close(10 ** figure.lookup(f"{norm} {name}", state), values)


@pytest.mark.parametrize("norm", GAINED)
def test_the_line_of_a_gain_reaches_one_standard_deviation_to_either_side(
    norm: str, figure: Explorable
) -> None:
    state = figure.at(batch_size=128, step=2000)
    mean = figure.lookup(f"{norm} gains", state)
    low, high, gap = figure.lookup(f"{norm} spread", state).unflatten(-1, (-1, 3)).unbind(-1)
    assert_close((low + high) / 2, mean)
    spread = measured(norm, "gain_spreads")[SIZES.index(128), :, -1]
    assert_close((high - low) / 2, spread)
    assert gap.isnan().all()


def test_without_a_norm_summed_inputs_grow_and_end_larger_than_under_any_norm() -> None:
    plain = measured("none", "activations")  # sizes,layers,points
    assert (plain[..., -1] > plain[..., 0]).all()
    for norm in GAINED:
        softmax = measured(norm, "activations")[:, -1, -1]
        known = softmax.isfinite()
        assert (softmax < plain[:, -1, -1])[known].all()


def test_the_code_measures_three_layers_of_both_networks_and_two_norms(figure: Explorable) -> None:
    state = figure.at(batch_size=4, step=50)
    assert "batch_size = 4\nsteps = 50\n" in figure.code_at(state)
    plain, plain_gradient, normed, normed_gradient, *gains = printed(figure, state)
    for values in (plain, plain_gradient, normed, normed_gradient):
        assert values.shape == (3,)
        assert (values > 0).all()
    assert len(gains) == 4
    assert all(abs(mean - 1) < 0.2 for mean in gains[::2])


def test_the_axis_of_the_gains_ends_just_beyond_what_is_drawn(figure: Explorable) -> None:
    drawn = [figure.tensors[f"{norm} spread"].values for norm in GAINED]
    known = torch.cat([values[values.isfinite()] for values in drawn])
    charts = [view for row in figure.views for view in row if isinstance(view, Chart)]
    low, high = charts[-1].figure.layout.yaxis.range
    assert low == pytest.approx(min(1.0, float(known.min())) - 0.05)
    assert high == pytest.approx(float(known.max()) + 0.05)
