"""What is drawn of the networks' insides, and what the text says of it."""

import pytest
import torch
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable, Readout
from lnviz.lessons.lab.stored_runs import RUNS
from lnviz.topics.lab.digits import NORMS, WeightNormed
from lnviz.topics.lab.run_arrays import LAYERS
from lnviz.topics.lab.stored import SIZES
from lnviz.training.group import PROBE_SIZE
from tests.lessons.claims import page_contains
from tests.lessons.running import built, printed, views

GAINED = [norm for norm in RUNS.norms if norm != "none"]


@pytest.fixture
def figure() -> Explorable:
    return built("lab", "inside")


def stored(name: str, norm: str, size: int, step: int) -> torch.Tensor:
    at = {"norm": norm, "batch_size": size, "rate": 0.001, "step": step}
    values = SIZES.result.tensor(name, LAYERS[name], **at)
    return values[values.isfinite()]


@pytest.mark.parametrize("norm", RUNS.norms)
@pytest.mark.parametrize("name", ["activations", "gradients"])
def test_a_scale_at_a_step_is_the_stored_one(norm: str, name: str, figure: Explorable) -> None:
    state = figure.state_at(batch_size=32, step=500)
    drawn = 10 ** figure.lookup(f"{norm} {name}", state)
    assert_close(drawn, stored(name, norm, 32, 500), check_dtype=False)


@pytest.mark.parametrize("norm", GAINED)
def test_the_line_of_a_gain_reaches_one_standard_deviation_to_either_side(
    norm: str, figure: Explorable
) -> None:
    state = figure.state_at(batch_size=128, step=2000)
    mean = figure.lookup(f"{norm} gains", state)
    low, high, gap = figure.lookup(f"{norm} gains band", state).unflatten(-1, (-1, 3)).unbind(-1)
    assert_close((low + high) / 2, mean, check_dtype=False)
    assert_close((high - low) / 2, stored("gain_spreads", norm, 128, 2000), check_dtype=False)
    assert gap.isnan().all()


def test_without_a_norm_summed_inputs_grow_and_end_larger_than_under_any_norm() -> None:
    for size in RUNS.sizes:
        first, last = (stored("activations", "none", size, step) for step in (50, 2000))
        assert (last > first).all()
        others = [norm for norm in GAINED if (norm, size) in RUNS.groups]
        assert all(stored("activations", norm, size, 2000)[-1] < last[-1] for norm in others)


def test_the_code_measures_three_layers_of_both_networks_and_two_norms(figure: Explorable) -> None:
    state = figure.state_at(batch_size=4, step=50)
    assert "batch_size = 4\nsteps = 50\n" in figure.code_at(state)
    plain, plain_gradient, normed, normed_gradient, *gains = printed(figure, state)
    for values in (plain, plain_gradient, normed, normed_gradient):
        assert values.shape == (3,)
        assert (values > 0).all()
    assert len(gains) == 4
    assert all(abs(mean - 1) < 0.2 for mean in gains[::2])


def test_the_axis_of_the_gains_ends_just_beyond_what_is_drawn(figure: Explorable) -> None:
    drawn = [figure.tensors[f"{norm} gains band"].values for norm in GAINED]
    known = torch.cat([values[values.isfinite()] for values in drawn])
    low, high = views(figure, Chart)[-1].figure.layout.yaxis.range
    room = 0.05 * float(known.max() - known.min())
    assert low == pytest.approx(float(known.min()) - room)
    assert high == pytest.approx(float(known.max()) + room)


def test_what_is_measured_inside_is_what_is_said(figure: Explorable) -> None:
    assert page_contains("lab", f"on {PROBE_SIZE} validation images")
    assert page_contains("lab", f"up to {PROBE_SIZE} validation examples")
    layer = WeightNormed(64, 100)
    assert_close(layer.gain, layer.weight.norm(dim=1))
    for norm in ("batch", "layer", "rms", "group"):
        (gain, *_) = NORMS[norm](100).parameters()
        assert (gain == 1).all()
    assert any("Pre-activations" in view.text for view in views(figure, Readout))
