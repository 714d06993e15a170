"""The search over the book."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import PHONE, Opener
from tests.browser.tab import Tab


@pytest.fixture(scope="module")
def axes(traveler: Tab) -> Tab:
    return traveler.open("/axes")


def asked(tab: Tab, words: str) -> Locator:
    """What is found for words."""
    tab.page.get_by_label("Search the book").fill(words)
    return tab.page.get_by_role("search").get_by_role("listitem")


def test_what_is_found_is_a_link_away(open_tab: Opener) -> None:
    tab = open_tab("/axes")
    found = asked(tab, "how long HANDWRITING sequence").first
    expect(found).to_contain_text("Myths and facts")
    found.get_by_role("link").click()
    heading = tab.page.get_by_role("heading", name="“The handwriting sequences were")
    expect(heading).to_be_in_viewport()
    expect(tab.page.locator(".found")).to_be_hidden()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text("Myths and facts")


def test_what_is_not_found_is_said(axes: Tab) -> None:
    tab = axes
    status = tab.page.get_by_role("search").locator("[role=status]")
    tab.page.keyboard.press("/")
    expect(tab.page.get_by_label("Search the book")).to_be_focused()
    expect(asked(tab, "gain")).not_to_have_count(0)
    expect(status).to_have_text("Top 8")
    expect(asked(tab, "gain (zebra")).not_to_have_count(0)
    expect(status).to_contain_text("Nothing matches all of these words.")
    expect(asked(tab, "<zebra onerror=zoo>")).to_have_count(0)
    expect(status).to_contain_text("Nothing in the book matches “<zebra onerror=zoo>”.")
    expect(asked(tab, "([.*")).to_have_count(0)
    expect(status).to_contain_text("Nothing in the book matches “([.*”.")
    expect(asked(tab, "")).to_have_count(0)
    expect(status).to_have_text("")


def test_the_focus_goes_to_what_is_found_on_the_same_page(axes: Tab) -> None:
    tab = axes
    asked(tab, "arithmetic, step").first.get_by_role("link").click()
    expect(tab.page.get_by_role("heading", name="How is it computed")).to_be_focused()


def test_on_a_narrow_screen_what_is_found_on_the_same_page_is_not_left_covered(
    open_tab: Opener,
) -> None:
    tab = open_tab(None)
    tab.page.set_viewport_size(PHONE["viewport"])
    tab.open("/axes")
    tab.page.get_by_test_id("stExpandSidebarButton").click()
    asked(tab, "arithmetic, step").first.get_by_role("link").click()
    expect(tab.page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    expect(tab.page.get_by_role("heading", name="How is it computed")).to_be_focused()
