from functools import cache

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from lnviz.explorable import Explorable, ParameterError, Slider
from lnviz.lessons.gain_bias import LESSON
from lnviz.lessons.gain_bias.line import build, check, one_case
from tests.lessons.running import printed

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
    found = next(c for c in line("worked", 0, 1).controls if c.name == name)
    assert isinstance(found, Slider)
    return found


def row(figure: Explorable, tensor: str, state: dict[str, int]) -> torch.Tensor:
    """A tensor's slice along the units."""
    swept = figure.tensors[tensor]
    leading = tuple(state[name] for name in swept.over if name != "unit")
    return swept.values[leading].cpu()


@given(SOURCES, STATES)
@settings(max_examples=40)
def test_the_code_prints_the_last_row(source: tuple[str, int, int], state: dict[str, int]) -> None:
    figure = line(*source)
    (result,) = printed(figure, state)
    assert_close(result, row(figure, "after", state), rtol=1e-4, atol=1e-5)


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
    for tensor in ("x", "x_hat", "mean", "var"):
        assert torch.equal(row(figure, tensor, state), row(figure, tensor, figure.start()))
        assert not {"gain", "bias", "nonlinearity"} & set(figure.tensors[tensor].over)


def test_at_gain_one_and_bias_zero_the_output_is_the_standardized_row() -> None:
    figure = line("worked", 0, 1)
    assert (slider("gain").start, slider("bias").start) == (1, 0)
    start = figure.start()
    assert torch.equal(row(figure, "y", start), row(figure, "x_hat", start))
    assert torch.equal(row(figure, "after", start), row(figure, "y", start))


@given(bias=st.integers(0, 300))
def test_at_gain_zero_every_output_is_the_bias(bias: int) -> None:
    figure = line("worked", 0, 1)
    state = figure.at(gain=0) | {"bias": bias}
    expected = torch.full((6,), slider("bias").values[bias])
    assert torch.equal(row(figure, "y", state), expected)


@pytest.mark.parametrize("name", ["gain", "bias"])
def test_the_sliders_go_from_minus_three_to_three_in_steps_too_small_to_feel(name: str) -> None:
    values = slider(name).values
    assert (values[0], values[-1]) == (-3, 3)
    assert len(values) > 200
    assert {-1.0, 0.0, 0.5, 1.0} <= set(values)


@pytest.mark.parametrize("case", range(1, 5))
def test_each_case_of_the_example_can_be_shown(case: int) -> None:
    x, labels = one_case("worked", 0, case)
    assert torch.equal(row(line("worked", 0, case), "x", {}), x.cpu())
    assert len(labels) == len(x)


@pytest.mark.parametrize(("data", "count"), [("worked", 4), ("digits", 16)])
def test_a_case_beyond_the_last_is_refused_with_the_last(data: str, count: int) -> None:
    with pytest.raises(
        ParameterError, match=rf"^This data has {count} cases. Choose a case from 1 to {count}.$"
    ) as error:
        one_case(data, 5, count + 1)
    assert error.value.nearest == {"case": str(count)}


def test_the_check_takes_the_state_of_an_address() -> None:
    state, differences = check({"data": "digits", "seed": "3", "case": "5", "gain": "-2.5"})
    assert (state.case, state.gain, state.bias) == (5, -2.5, 0)
    assert differences.biased < 1e-6
    assert differences.unbiased > 0.01


def test_the_check_of_an_empty_address_is_that_of_the_start() -> None:
    state, _ = check({})
    assert (state.case, state.gain, state.bias) == (1, 1, 0)


@given(
    st.dictionaries(
        st.sampled_from(["data", "seed", "case", "gain", "bias", "other"]),
        st.text(max_size=5) | st.integers().map(str) | st.floats().map(str),
    )
)
@settings(max_examples=50)
def test_the_check_of_any_address_is_one_the_figure_can_show(query: dict[str, str]) -> None:
    state, differences = check(query)
    assert state.gain in slider("gain").values
    assert state.bias in slider("bias").values
    assert state.case in range(1, 17)
    assert differences.biased < 1e-5


def test_uploads_are_no_data_of_this_figure() -> None:
    with pytest.raises(ParameterError, match=r"^data must be one of worked, digits\."):
        LESSON.figures[0].parse({"data": "upload.x"})
