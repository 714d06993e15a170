import itertools
import math
from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.data.examples import digit_images
from lnviz.explorable import Chart, Explorable, Grid, ParameterError, Slider
from lnviz.lessons.axes.grid import build as grid
from lnviz.lessons.gain_bias.line import FIGURE, build, chosen_example
from tests.lessons.running import control, views

SOURCES = st.sampled_from([("worked", 0, 1), ("worked", 0, 4), ("digits", 0, 1), ("digits", 7, 16)])
STATES = st.fixed_dictionaries(
    {
        "gain": st.integers(0, 300),
        "bias": st.integers(0, 300),
        "nonlinearity": st.integers(0, 3),
        "unit": st.just(0),
    }
)


@cache
def line(data: str, seed: int, case: int) -> Explorable:
    return build(data, seed, case)


def slider(name: str) -> Slider:
    found: Slider = control(line("worked", 0, 1), name)
    return found


def row(figure: Explorable, tensor: str, state: dict[str, int]) -> torch.Tensor:
    """A tensor's slice along the units."""
    swept = figure.tensors[tensor]
    leading = tuple(state[name] for name in swept.dims if name != "unit")
    return swept.values[leading].cpu()


@pytest.mark.slow
@given(SOURCES, STATES)
@settings(max_examples=40)
def test_the_rows_are_pytorchs_layer_norm(
    source: tuple[str, int, int], state: dict[str, int]
) -> None:
    figure = line(*source)
    x = row(figure, "x", state)
    module = nn.LayerNorm(len(x))
    nn.init.constant_(module.weight, slider("gain").values[state["gain"]])
    nn.init.constant_(module.bias, slider("bias").values[state["bias"]])
    y = module(x).detach()
    assert_close(row(figure, "y", state), y, rtol=1e-4, atol=1e-5)
    f = (lambda t: t, F.relu, torch.tanh, F.gelu)[state["nonlinearity"]]
    assert_close(row(figure, "after", state), f(y), rtol=1e-4, atol=1e-5)
    assert_close(figure.lookup("y mean", state).cpu(), y.mean(), rtol=1e-4, atol=1e-5)
    assert_close(figure.lookup("y std", state).cpu(), y.std(correction=0), rtol=1e-4, atol=1e-5)


@given(SOURCES, STATES)
def test_the_input_and_the_standardized_row_never_move(
    source: tuple[str, int, int], state: dict[str, int]
) -> None:
    figure = line(*source)
    for tensor in ("x", "x_hat"):
        assert torch.equal(row(figure, tensor, state), row(figure, tensor, figure.start_state()))
        assert not {"gain", "bias", "nonlinearity"} & set(figure.tensors[tensor].dims)


def test_at_gain_one_and_bias_zero_the_output_is_the_standardized_row() -> None:
    figure = line("worked", 0, 1)
    state = figure.state_at(gain=1, bias=0, nonlinearity="none")
    assert torch.equal(row(figure, "y", state), row(figure, "x_hat", state))
    assert torch.equal(row(figure, "after", state), row(figure, "y", state))


@given(SOURCES, STATES)
def test_gain_and_bias_set_mean_and_standard_deviation(
    source: tuple[str, int, int], state: dict[str, int]
) -> None:
    figure = line(*source)
    gain, bias = (slider(name).values[state[name]] for name in ("gain", "bias"))
    assert float(figure.lookup("y mean", state)) == pytest.approx(bias, abs=1e-4)
    assert float(figure.lookup("y std", state)) == pytest.approx(abs(gain), abs=1e-3)


def test_at_the_start_every_step_is_seen_to_do_something() -> None:
    figure = line("worked", 0, 1)
    state = figure.state_at(nonlinearity="relu")
    rows = [row(figure, name, state) for name in ("x", "x_hat", "y", "after")]
    for one, other in itertools.pairwise(rows):
        assert not torch.allclose(one, other, atol=0.1)


@given(SOURCES, STATES)
@settings(max_examples=40)
def test_every_unit_lies_on_the_curve_of_the_nonlinearity(
    source: tuple[str, int, int], state: dict[str, int]
) -> None:
    figure = line(*source)
    y, after = row(figure, "y", state), row(figure, "after", state)
    curve = figure.lookup("curve", state)
    chart = charts(figure)[0]
    across = torch.tensor(chart.figure.data[0].x, dtype=torch.float32)
    assert across[0] <= y.min()
    assert y.max() <= across[-1]
    right = torch.searchsorted(across, y.contiguous()).clamp(min=1)
    low, high = across[right - 1], across[right]
    between = torch.lerp(curve[right - 1], curve[right], (y - low) / (high - low))
    assert_close(after, between, rtol=0, atol=0.01)


def charts(figure: Explorable) -> list[Chart]:
    return views(figure, Chart)


@given(SOURCES, STATES)
def test_every_dot_is_inside_the_chart_that_is_shown(
    source: tuple[str, int, int], state: dict[str, int]
) -> None:
    figure = line(*source)
    nonlinearity = ("none", "relu", "tanh", "gelu")[state["nonlinearity"]]
    shown = [c for c in charts(figure)[:-1] if nonlinearity in c.when["nonlinearity"]]
    assert len(shown) == (nonlinearity != "none")
    for chart in shown:
        low, high = chart.figure.layout.yaxis.range
        after = row(figure, "after", state)
        assert low < after.min()
        assert after.max() < high


@given(SOURCES, STATES)
def test_relu_passes_the_units_beyond_the_threshold(
    source: tuple[str, int, int], state: dict[str, int]
) -> None:
    figure = line(*source)
    gain = slider("gain").values[state["gain"]]
    x_hat, y = row(figure, "x_hat", state), row(figure, "y", state)
    passed, threshold = (float(figure.lookup(n, state)) for n in ("passed", "threshold"))
    assert passed == (F.relu(y) > 0).sum()
    if gain:
        expected = -slider("bias").values[state["bias"]] / gain
        # Gain, bias and quotient are each rounded to float32.
        assert threshold == pytest.approx(expected, rel=2e-7, abs=1e-5)
        beyond = (x_hat > threshold) if gain > 0 else (x_hat < threshold)
        assert beyond[(x_hat - threshold).abs() > 1e-5].sum() <= passed
    assert math.isfinite(threshold)


@pytest.mark.parametrize(("gain", "bias", "flat"), [(0.0, 0.0, 0), (0.0, 3.0, 6), (3.0, 0.0, 3)])
def test_the_units_where_tanh_is_flat_are_counted(gain: float, bias: float, flat: int) -> None:
    figure = line("worked", 0, 1)
    state = figure.state_at(gain=gain, bias=bias)
    y = row(figure, "y", state).requires_grad_()
    (slope,) = torch.autograd.grad(torch.tanh(y).sum(), y)
    assert int(figure.lookup("flat", state)) == (slope < 0.1).sum() == flat


def test_a_row_that_repeats_the_one_above_is_not_drawn() -> None:
    for table in (view for view in line("worked", 0, 1).views[0] if isinstance(view, Grid)):
        has_last = "then {nonlinearity}" in dict(table.rows)
        assert has_last == ("none" not in table.when["nonlinearity"])


def test_a_digit_is_seen_beside_its_inputs() -> None:
    figure = line("digits", 0, 11)
    (picture,) = figure.lookup("picture", figure.start_state())
    assert torch.equal(picture.flatten(), digit_images().images[10])
    assert "digit 0 (2)" in figure.views[0][0].title
    assert "picture" not in line("worked", 0, 1).tensors


@pytest.mark.parametrize("case", [1, 16])
def test_a_digit_has_the_numbers_it_has_in_the_first_lesson(case: int) -> None:
    figure, other = line("digits", 7, case), grid("digits", 7)
    state = other.state_at(norm="layer")
    place = slice(6 * (case - 1), 6 * case)
    at = (state["norm"], state["batch size"], place)
    assert_close(row(figure, "x_hat", {}), other.tensors["x_hat"].values[at].cpu())


@given(bias=st.integers(0, 300))
def test_at_gain_zero_every_output_is_the_bias(bias: int) -> None:
    figure = line("worked", 0, 1)
    state = figure.state_at(gain=0) | {"bias": bias}
    expected = torch.full((6,), slider("bias").values[bias])
    assert torch.equal(row(figure, "y", state), expected)


@pytest.mark.parametrize("name", ["gain", "bias"])
def test_the_sliders_go_as_far_down_as_up_and_stop_at_round_numbers(name: str) -> None:
    values = slider(name).values
    assert values[0] == -values[-1]
    assert {-1.0, 0.0, 0.5, 1.0} <= set(values)


@pytest.mark.parametrize("case", range(1, 5))
def test_each_case_of_the_example_can_be_shown(case: int) -> None:
    found = chosen_example("worked", 0, case)
    assert torch.equal(row(line("worked", 0, case), "x", {}), found.values[0].cpu())
    assert found.example_labels == (f"example {case}",)


@pytest.mark.parametrize(("data", "count"), [("worked", 4), ("digits", 16)])
def test_a_case_beyond_the_last_is_refused_with_the_last(data: str, count: int) -> None:
    with pytest.raises(
        ParameterError, match=rf"^This data has {count} examples. Choose one from 1 to {count}.$"
    ) as error:
        chosen_example(data, 5, count + 1)
    assert error.value.nearest == {"case": str(count)}


def test_uploads_are_no_data_of_this_figure() -> None:
    with pytest.raises(
        ParameterError, match=r"^data must be one of these values: worked, digits\."
    ):
        FIGURE.parse({"data": "upload.x"})


@given(SOURCES)
def test_the_dots_of_neighbors_lie_on_lanes_a_dot_apart(
    source: tuple[str, int, int],
) -> None:
    chart = charts(line(*source))[-1]
    low, high = chart.figure.layout.yaxis.range
    margin = chart.figure.layout.margin
    pixels = (chart.height - margin.t - margin.b) / (high - low)
    for dots in chart.figure.data:
        lanes = sorted(set(dots.y))
        assert all((b - a) * pixels >= dots.marker.size for a, b in itertools.pairwise(lanes))
    order = line(*source).tensors["x_hat"].values.argsort().tolist()
    heights = [chart.figure.data[1].y[unit] for unit in order]
    assert all(one != other for one, other in itertools.pairwise(heights))
