from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from lnviz.lessons.gain_bias.check import CHECK, check
from lnviz.lessons.gain_bias.line import BIAS, GAIN

MAIN = Path(__file__).parents[2] / "lnviz" / "web" / "main.py"
PATIENCE = 600  # seconds: not a limit that a test is about


def checked(query: dict[str, str]) -> list[str]:
    """What the page adds when the reader asks for the check."""
    app = AppTest.from_file(str(MAIN), default_timeout=PATIENCE).run()
    app.switch_page("../../pages/gain_bias.py").run()
    before = [element.value for element in app.markdown]
    for name, value in query.items():
        app.query_params[name] = value
    next(b for b in app.button if b.label.startswith("Run nn")).click().run()
    assert not app.exception
    return [element.value for element in app.markdown if element.value not in before]


def test_the_check_takes_the_state_of_an_address() -> None:
    state, differences = check({"data": "digits", "seed": "3", "case": "5", "gain": "-2.5"})
    assert (state.case, state.gain, state.bias) == (5, -2.5, BIAS.start)
    assert differences.biased < 1e-6
    assert differences.unbiased > 0.01


def test_the_check_of_an_empty_address_is_that_of_the_start() -> None:
    state, _ = check({})
    assert (state.case, state.gain, state.bias) == (1, GAIN.start, BIAS.start)


@given(
    st.dictionaries(
        st.sampled_from(["data", "seed", "case", "gain", "bias", "other"]),
        st.text(max_size=5) | st.integers().map(str) | st.floats().map(str),
    )
)
@settings(max_examples=50)
def test_the_check_of_any_address_is_one_the_figure_can_show(query: dict[str, str]) -> None:
    state, differences = check(query)
    assert state.gain in GAIN.values
    assert state.bias in BIAS.values
    assert state.case in range(1, 17)
    assert differences.biased < 1e-5


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [{}, {"gain": "-2.5", "bias": "1", "case": "3"}, {"data": "digits", "seed": "9", "case": "16"}],
)
def test_the_check_shows_the_differences_at_the_state_in_the_address(query: dict[str, str]) -> None:
    (text,) = checked(query)
    state, differences = check(query)
    for value in (state.case, f"{differences.biased:.2g}", f"{differences.unbiased:.2g}"):
        assert str(value) in text


def test_at_gain_0_the_check_refuses_to_compare() -> None:
    answer = CHECK.answer({"gain": "0", "bias": "1"})
    assert answer.startswith("At gain 0, every output is the bias")
    assert "|" not in answer
    assert "largest difference" in CHECK.answer({"gain": "0.02", "bias": "1"})
    assert check({"gain": "0", "bias": "1"})[1].unbiased == 0  # a comparison would prove nothing


def test_a_hostile_address_is_checked_as_the_figure_takes_it() -> None:
    (text,) = checked({"gain": "<b>", "case": "99999", "data": "../x", "seed": "1e9"})
    assert "<b>" not in text
