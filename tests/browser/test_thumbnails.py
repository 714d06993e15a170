"""Small pictures beside the rows of a grid."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Bench
from tests.browser.drawn import assert_draws
from tests.browser.figures import GRID


@pytest.mark.parametrize("layout", ["rows", "columns"])
def test_every_digit_is_seen_beside_its_numbers(bench: Bench, layout: str) -> None:
    tab = bench(GRID.standalone, query=f"data=digits&layout={layout}")
    explorable = GRID.explorable(data="digits")
    seen = tab.drawn()
    assert seen[0] is not None
    assert len(seen[0]["pictures"]) == 16
    assert_draws(seen, explorable, explorable.state_at(layout=layout))


def test_a_picture_belongs_to_the_label_of_its_row(bench: Bench) -> None:
    tab = bench(GRID.standalone, query="data=digits")
    label = tab.figure.get_by_role("rowheader", name="digit 3 picture of 8 × 8 pixels", exact=True)
    expect(label.first.locator("svg")).to_be_visible()
