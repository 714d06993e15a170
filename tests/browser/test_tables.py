"""Tables of the reference page, sorted by hand and by keyboard."""

import pytest
from playwright.sync_api import Locator, expect

from lnviz.book import reference
from tests.browser.conftest import Opener
from tests.browser.tab import Tab

TABLE = reference.PAGE.tables[0]
COLUMN = TABLE.columns.index("Depends on the batch") + 1


@pytest.fixture
def tab(open_tab: Opener) -> Tab:
    return open_tab("/reference")


def table(tab: Tab) -> Locator:
    return tab.page.locator(f"#table-{TABLE.name}")


def heads(tab: Tab) -> Locator:
    return table(tab).locator("thead th")


def labels(tab: Tab) -> list[str]:
    return table(tab).locator("tbody th").all_inner_texts()


def test_a_head_sorts_the_rows_rising_falling_and_back_by_keyboard(tab: Tab) -> None:
    opened = [row.label for row in TABLE.rows]
    rest = [label for label in opened if label != "BatchNorm"]
    head = heads(tab).nth(COLUMN)
    head.get_by_role("button").focus()
    for order, rows in (
        ("ascending", [*rest, "BatchNorm"]),
        ("descending", ["BatchNorm", *rest]),
        ("none", opened),
    ):
        tab.page.keyboard.press("Enter")
        expect(head).to_have_attribute("aria-sort", order)
        expect(head.get_by_role("button")).to_be_focused()
        assert labels(tab) == rows


def test_only_the_column_that_sorts_says_so(tab: Tab) -> None:
    heads(tab).nth(COLUMN).get_by_role("button").click()
    heads(tab).first.get_by_role("button").click()
    orders = [head.get_attribute("aria-sort") for head in heads(tab).all()]
    assert orders == ["ascending", *["none"] * len(TABLE.columns)]
    assert labels(tab) == sorted(row.label for row in TABLE.rows)


def test_an_entry_leads_to_the_figure_that_shows_it(tab: Tab) -> None:
    table(tab).locator("tbody tr").first.locator("td a[href*='#figure-noise']").first.click()
    tab.page.wait_for_url("**/batch#figure-noise")
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Does the batch matter?")
