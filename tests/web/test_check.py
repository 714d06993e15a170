from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from lnviz.lessons.gain_bias.line import check

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


@pytest.mark.parametrize(
    "query",
    [{}, {"gain": "-2.5", "bias": "1", "case": "3"}, {"data": "digits", "seed": "9", "case": "16"}],
)
def test_the_check_shows_the_differences_at_the_state_in_the_address(query: dict[str, str]) -> None:
    (text,) = checked(query)
    state, differences = check(query)
    for value in (state.case, f"{differences.biased:.2g}", f"{differences.unbiased:.2g}"):
        assert str(value) in text


def test_a_hostile_address_is_checked_as_the_figure_takes_it() -> None:
    (text,) = checked({"gain": "<b>", "case": "99999", "data": "../x", "seed": "1e9"})
    assert "<b>" not in text
