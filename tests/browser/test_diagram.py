"""The block diagram of a recurrent cell: a click on a block walks to it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.figures import place

WIRING = place("recurrence", "wiring")


@pytest.mark.parametrize(
    ("words", "block"),
    [("Wₕ hₜ₋₁", "state"), ("f ⊙ cₜ₋₁ + i ⊙ g", "cell"), ("gates i, f, o, candidate g", "gates")],
)
def test_a_click_on_a_block_shows_its_numbers(open_tab: Opener, words: str, block: str) -> None:
    tab = open_tab(WIRING.standalone)
    box = tab.figure.locator(".diagram:visible .box")
    box.filter(has=tab.page.get_by_text(words, exact=True)).click()
    tab.address_says(block=block)
    assert tab.page.get_by_role("radio", name=block, exact=True).is_checked()


def test_keys_walk_the_picture_and_it_says_where_they_are(open_tab: Opener) -> None:
    tab = open_tab(WIRING.standalone)
    picture = tab.page.get_by_role("slider", name="block, in the picture")
    for key, block in [("ArrowRight", "state"), ("End", "output"), ("Home", "input")]:
        picture.press(key)
        expect(picture).to_have_attribute("aria-valuetext", block)
        expect(tab.option(block)).to_be_checked()
