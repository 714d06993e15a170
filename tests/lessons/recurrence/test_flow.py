from functools import cache

import pytest
import torch
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.explorable import Chart, Explorable, ParameterError, Slider
from lnviz.explorable.parameters import parse_query
from lnviz.lessons import recurrence
from lnviz.lessons.chart_axes import to_log10
from lnviz.lessons.recurrence.flow import (
    CASES,
    INPUTS,
    NORMS,
    RADIUS,
    SHARES,
    SIZES,
    STEPS_TAKEN,
    build,
)
from lnviz.norms import CATALOGUE
from lnviz.topics.recurrence import UntrainedNetwork, flow
from tests.lessons.running import views

PLACES = (0, 20, 60, 80)


@cache
def figure(nonlinearity: str = "identity", input: str = "none") -> Explorable:
    return build(8, 40, nonlinearity, input)


def tracks(explorable: Explorable, what: str, position: int) -> torch.Tensor:
    state = {"spectral radius": position}
    return torch.stack([explorable.lookup(f"{key} {what}", state).cpu() for key in NORMS])


@pytest.mark.slow
@pytest.mark.parametrize("position", PLACES)
@pytest.mark.parametrize("input", ["none", "large"])
def test_the_state_is_level_under_every_norm(input: str, position: int) -> None:
    found = tracks(figure(input=input), "state", position)[1:]
    assert_close(found, torch.zeros_like(found), rtol=0, atol=0.01)


@pytest.mark.parametrize("position", PLACES)
def test_without_a_norm_the_gradient_goes_as_powers_of_the_spectral_radius(position: int) -> None:
    curve = tracks(figure(), "gradient", position)[0]
    power = torch.tensor(RADIUS.values[position]).log10()
    assert_close(curve - curve[-2], power * torch.arange(39, -2, -1), rtol=0, atol=1.0)


def test_without_input_the_factor_leaves_no_trace_under_layernorm() -> None:
    for what in ("state", "gradient"):
        assert_close(tracks(figure(), what, 0)[1], tracks(figure(), what, 80)[1])


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in NORMS if key != "none"])
def test_with_an_input_the_state_keeps_its_size_and_the_gradient_does_not(key: str) -> None:
    for seed in range(8):
        network = UntrainedNetwork(
            int(SIZES.start), int(STEPS_TAKEN.start), CASES, "identity", INPUTS["large"], seed=seed
        )
        found = flow(key, torch.tensor([RADIUS.values[0], 1.1, RADIUS.values[-1]]), network)
        assert_close(found.state, torch.ones_like(found.state), rtol=0, atol=0.01)
        assert (found.gradient[:, 0] < 1e-6).all()


def test_layernorm_removes_two_directions_from_the_jacobian_and_rmsnorm_one() -> None:
    generator = torch.Generator().manual_seed(0)
    for size in (3, 8, 32):
        weight, h, x = (
            torch.randn(*shape, size, generator=generator, dtype=torch.float64)
            for shape in ((size,), (), ())
        )
        shape = (size,)

        def layer(h: torch.Tensor) -> torch.Tensor:
            return F.layer_norm(weight @ h + x, shape, eps=0)  # noqa: B023

        def rms(h: torch.Tensor) -> torch.Tensor:
            return F.rms_norm(weight @ h + x, shape, eps=0)  # noqa: B023

        for norm, removed in ((layer, (torch.ones(size), layer(h))), (rms, (rms(h),))):
            jacobian = torch.func.jacrev(norm)(h)
            assert (torch.linalg.svdvals(jacobian) < 1e-9).sum() == len(removed)
            for direction in removed:
                assert (direction.double() @ jacobian).abs().max() < 1e-9


def test_no_step_stretches_a_gradient_more_than_the_largest_singular_value() -> None:
    explorable = figure(input="large")
    # Of one sequence alone: not with BatchNorm, where sequences mix.
    met = explorable.tensors["multiplied"].values[:3]
    assert (met <= explorable.tensors["largest"].values[:3].amax(-1, keepdim=True)).all()


def test_singular_values_are_in_order() -> None:
    values = torch.stack([figure().tensors[name].values for name in SHARES])
    assert not (values[1:] > values[:-1]).any()


def test_a_curve_ends_where_its_values_leave_the_range_of_single_precision() -> None:
    lost = torch.tensor([0.0, torch.inf, torch.nan])
    assert to_log10(lost).isnan().all()
    assert to_log10(torch.tensor([10.0])) == 1


@pytest.mark.slow
def test_a_long_sequence_is_drawn_with_few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recurrence.flow, "RADIUS", Slider.linear("spectral radius", 1, 1.2, 0.1, 1))
    explorable = build(4, 120, "identity", "none")
    assert tracks(explorable, "gradient", 0).shape == (4, recurrence.flow.POINTS)
    assert explorable.tensors["largest"].values.shape == (4, 3, recurrence.flow.SPECTRA)


@pytest.mark.parametrize("wanted", ["1", "41", "thousand"])
def test_a_hidden_size_that_is_not_offered_is_refused_in_a_sentence(wanted: str) -> None:
    parameters = recurrence.flow.FIGURE.parameters
    with pytest.raises(
        ParameterError, match=r"^hidden must be a whole number from 2 to 40\.$"
    ) as caught:
        parse_query(parameters, {"hidden": wanted})
    assert SIZES.low <= int(caught.value.nearest["hidden"]) <= SIZES.high


@pytest.mark.parametrize(("hidden", "names"), [(2, 2), (3, 3), (8, 4)])
def test_lines_that_fall_together_have_one_name(
    hidden: int, names: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recurrence.flow, "RADIUS", Slider.linear("spectral radius", 1, 1.2, 0.1, 1))
    explorable = build(hidden, 10, "identity", "none")
    (chart,) = explorable.views[1]
    assert isinstance(chart, Chart)
    assert len([name for name in chart.figure.data[-1].text if name]) == names


def test_a_curve_that_may_lie_on_another_is_narrower_and_drawn_later() -> None:
    chart = next(iter(views(figure(), Chart)))
    rms, layer = (
        next(i for i, trace in enumerate(chart.figure.data) if trace.name == CATALOGUE[key].label)
        for key in ("rms", "layer")
    )
    assert rms < layer
    assert chart.figure.data[rms].line.width > chart.figure.data[layer].line.width
