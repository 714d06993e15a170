"""A word of the glossary, explained where it stands."""

from playwright.sync_api import expect

from lnviz.book.glossary import entries
from tests.browser.conftest import Opener


def test_a_word_says_what_it_means_where_it_stands(open_tab: Opener) -> None:
    tab = open_tab("/axes")
    word = tab.page.locator(".stMain a[href$='reference#variance']")
    note = tab.page.locator(".ln-word")
    word.hover()
    expect(note).to_contain_text(entries()["variance"])
    tab.page.mouse.move(0, 0)
    expect(note).to_be_hidden()
    word.press("Enter")
    expect(note).to_be_focused()
    tab.page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(word).to_be_focused()
    word.click()
    note.get_by_role("link", name="In the glossary").click()
    expect(tab.page.get_by_role("heading", name="Variance", exact=True)).to_be_in_viewport()
