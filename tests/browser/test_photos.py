"""Photographs follow the sliders, pixel by pixel."""

from tests.browser.conftest import Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import place

PICTURES = place("images", "pictures")


def test_photographs_are_drawn_as_python_scales_and_shifts_them(open_tab: Opener) -> None:
    tab, explorable = open_tab(PICTURES.standalone), PICTURES.explorable()
    tab.slider("contrast").press("Home")
    tab.slider("brightness").press("End")
    state = explorable.state_at(contrast=0, brightness=0.5)
    assert_draws(tab.drawn(), explorable, state)
    tab.choose("red")
    assert_draws(tab.drawn(), explorable, {**state, "changed channels": 1})
