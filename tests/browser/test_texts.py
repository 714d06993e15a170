"""A text that a reader writes into a figure."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from lnviz.pretrained.sample_texts import SENTENCES
from tests.browser.conftest import Bench
from tests.browser.figures import place

YOURS = place("inside", "yours")


def test_a_text_that_is_refused_stays_in_its_box_to_be_mended(bench: Bench) -> None:
    tab = bench(YOURS.standalone)
    box = tab.figure.get_by_label("Your text", exact=True)
    message = tab.figure.locator(".message")
    shown = tab.figure.locator(".body").inner_text()
    long = ("one too many " * 900).strip()
    box.fill(long)
    box.press("Enter")
    expect(message).to_contain_text("characters")
    expect(box).to_have_value(long)
    expect(box).to_have_attribute("aria-invalid", "true")
    # It is what the reader wants, whatever else changes.
    tab.figure.get_by_label("Figure", exact=True).select_option("massive")
    expect(box).to_have_value(long)
    assert tab.figure.locator(".body").inner_text() == shown
    box.fill(SENTENCES[1])
    box.press("Enter")
    expect(message).to_be_empty()
    expect(box).to_have_value(SENTENCES[1])
    expect(box).not_to_have_attribute("aria-invalid", "true")
    tab.forgive("422")


def test_a_link_with_a_text_that_is_refused_says_so_and_keeps_the_text(bench: Bench) -> None:
    long = ("one too many " * 200).strip()
    tab = bench(YOURS.standalone, query=urlencode({"text": long}))
    expect(tab.figure.locator(".message")).to_contain_text("characters")
    expect(tab.figure.get_by_label("Your text", exact=True)).to_have_value(long)
    tab.forgive("422")
