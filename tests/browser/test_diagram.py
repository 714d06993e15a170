"""Block diagrams: a click on a box walks to it, a mouse on an arrow shows what goes along."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Bench
from tests.browser.drawn import assert_draws
from tests.browser.figures import place

WIRING, BLOCKS = place("recurrence", "wiring"), place("placement", "blocks")
ROAD = place("placement", "road")


@pytest.mark.parametrize(
    ("words", "block"),
    [("Wₕ hₜ₋₁", "state"), ("f ⊙ cₜ₋₁ + i ⊙ g", "cell"), ("gates i, f, o, candidate g", "gates")],
)
def test_a_click_on_a_block_shows_its_numbers(bench: Bench, words: str, block: str) -> None:
    tab = bench(WIRING.standalone)
    box = tab.figure.locator(".diagram:visible .box")
    box.filter(has=tab.page.get_by_text(words, exact=True)).click()
    tab.address_says(block=block)
    assert tab.page.get_by_role("radio", name=block, exact=True).is_checked()


def test_keys_walk_the_picture_and_it_says_where_they_are(bench: Bench) -> None:
    tab = bench(WIRING.standalone)
    picture = tab.page.get_by_role("slider", name="block, in the picture")
    for key, block in [("ArrowRight", "state"), ("End", "output"), ("Home", "input")]:
        picture.press(key)
        expect(picture).to_have_attribute("aria-valuetext", block)
        expect(tab.option(block)).to_be_checked()


def test_a_mouse_on_an_arrow_shows_its_numbers_until_it_leaves(bench: Bench) -> None:
    tab, explorable = bench(BLOCKS.standalone), BLOCKS.explorable()
    head = tab.figure.locator(".diagram:visible .arrow[data-index] polygon").nth(2)
    head.hover()
    into = explorable.start_state() | {"step": 3}
    assert_draws(tab.drawn(), explorable, into)
    tab.page.mouse.move(0, 0)
    assert_draws(tab.drawn(), explorable, explorable.start_state())


def test_a_click_on_a_box_stays_and_keys_and_buttons_walk_on(bench: Bench) -> None:
    tab, explorable = bench(BLOCKS.standalone), BLOCKS.explorable()
    tab.choose("Pre-LN")
    tab.figure.locator(".diagram:visible .box").filter(has_text="attention").click()
    tab.page.mouse.move(0, 0)
    tab.address_says(diagram="pre", step="4")
    tab.page.get_by_role("slider", name="step, in the picture").press("ArrowDown")
    tab.button("next: step").click()
    state = explorable.state_at(diagram="pre") | {"step": 5}
    assert_draws(tab.drawn(), explorable, state)


def test_a_road_is_as_wide_as_its_tensors_say_and_the_finding_stands_above(
    bench: Bench,
) -> None:
    tab, explorable = bench(ROAD.standalone), ROAD.explorable()
    state = explorable.start_state()
    slider = tab.page.get_by_role("slider", name="layers", exact=True)
    finding, controls = tab.figure.locator(".finding:visible"), tab.figure.locator(".toolbar")
    for key, layers in (("Home", 2.0), ("End", 48.0)):
        slider.press(key)
        state = explorable.state_at(layers=layers)
        assert_draws(tab.drawn(), explorable, state)
        said = finding.inner_text()
        assert said.startswith(f"With {layers:g} layers, ")
    tab.choose("backward: gradients")
    assert_draws(tab.drawn(), explorable, explorable.state_at(layers=48.0, direction="backward"))
    assert finding.inner_text() != said
    above, below = finding.bounding_box(), controls.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] <= below["y"]
