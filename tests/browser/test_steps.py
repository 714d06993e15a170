"""The steps of a figure: walked by keyboard, left by a drag, turned by page keys, printed."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Bench
from tests.browser.figures import DEPTH
from tests.browser.tab import Tab

STEPS = DEPTH.explorable().steps
SLIDER = DEPTH.control("weight scale")
SENTENCE = ".story .step-sentence:visible"


def number(tab: Tab, at: int) -> None:
    tab.figure.get_by_role("button", name=f"Step {at} of {len(STEPS)}").press("Enter")


def is_at(tab: Tab, at: int) -> None:
    expect(tab.figure.locator(".step-numbers [aria-current=step]")).to_have_text(str(at))
    expect(tab.figure.locator(SENTENCE)).to_have_count(1)
    expect(tab.figure.locator(".story .finding:not(.step-sentence):visible")).to_have_count(0)


def is_left(tab: Tab) -> None:
    expect(tab.figure.locator("[aria-current=step]")).to_have_count(0)
    expect(tab.figure.locator(SENTENCE)).to_have_count(0)
    expect(tab.figure.locator(".story .finding:visible")).to_have_count(1)


def test_steps_are_walked_left_and_returned_to(bench: Bench) -> None:
    tab = bench(DEPTH.standalone)
    is_at(tab, 1)
    number(tab, 3)
    is_at(tab, 3)
    tab.address_says(weight_scale="1.297")
    said = tab.figure.locator(SENTENCE).text_content() or ""
    expect(tab.figure.locator(".spoken")).to_contain_text(said)
    tab.drag(SLIDER, 0.2)
    is_left(tab)
    number(tab, 3)
    is_at(tab, 3)
    tab.address_says(weight_scale="1.297")
    assert tab.position(SLIDER) == STEPS[2].positions(DEPTH.explorable().controls)[SLIDER.name]
    tab.page.emulate_media(media="print")
    expect(tab.figure.locator(".all-steps li:visible")).to_have_count(len(STEPS))
    expect(tab.figure.locator(".all-steps em")).to_have_text(["weight scale"])
    expect(tab.figure.locator(SENTENCE)).to_have_count(0)
    tab.page.emulate_media(media="screen")


def test_an_address_that_names_a_state_opens_without_a_step(bench: Bench) -> None:
    is_left(bench(DEPTH.standalone, query="weight-scale=1.297"))


def test_page_down_turns_through_the_steps_before_the_next_screen(bench: Bench) -> None:
    tab = bench(DEPTH.standalone)
    page = tab.page
    page.goto(f"{tab.base}/present/why?screen={DEPTH.figure.name}")
    told = page.locator(".navigation .told")
    here = told.text_content() or ""
    current = page.locator(".screen:not([hidden]) .step-numbers [aria-current=step]")
    for at in range(1, len(STEPS) + 1):
        expect(current).to_have_text(str(at))
        expect(told).to_have_text(here)
        page.keyboard.press("PageDown")
    expect(told).not_to_have_text(here)
    page.keyboard.press("PageUp")
    expect(current).to_have_text(re.compile(str(len(STEPS))))
