"""The block diagram of a recurrent cell: a click on a block walks to it."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.figures import place

WIRING = place("recurrence", "wiring")


@pytest.mark.parametrize(
    ("column", "row", "block"), [(1, 2, "state"), (1.85, 5, "cell"), (-0.3, 4, "gates")]
)
def test_a_click_on_a_block_shows_its_numbers(
    open_tab: Opener, column: float, row: int, block: str
) -> None:
    tab = open_tab(WIRING.standalone)
    plot = tab.page.locator(".picks:visible .plot")
    where = plot.evaluate(
        """(plot, [x, y]) => {
          const { xaxis, yaxis } = plot._fullLayout;
          return { x: xaxis._offset + xaxis.l2p(x), y: yaxis._offset + yaxis.l2p(y) };
        }""",
        [column, -row],
    )
    plot.click(position=where)
    tab.address_says(block=block)
    assert tab.page.get_by_role("radio", name=block, exact=True).is_checked()


def test_keys_walk_the_picture_and_it_says_where_they_are(open_tab: Opener) -> None:
    tab = open_tab(WIRING.standalone)
    picture = tab.slider("block, in the picture")
    for key, block in [("ArrowRight", "state"), ("End", "output"), ("Home", "input")]:
        picture.press(key)
        expect(picture).to_have_attribute("aria-valuetext", block)
        expect(tab.option(block)).to_be_checked()
