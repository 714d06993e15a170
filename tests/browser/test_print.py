"""A lesson on paper: light, whole, and as its figures stand."""

from typing import Any

import pytest
from playwright.sync_api import expect

from lnviz.front.theme import TOKENS
from tests.browser.conftest import Opener
from tests.browser.figures import DEPTH
from tests.browser.tab import Tab

# What is on the page when it is printed, and what was before and is after.
SEE = """
() => [...document.querySelectorAll(".ln .chart:not([hidden]) .plot")].map((plot) => ({
  room: plot.clientWidth,
  width: plot.querySelector(".main-svg").clientWidth,
  ink: plot._fullLayout.font.color,
}))
"""
PAPER = 8.5 * 96  # CSS pixels: the width of a letter, which `pdf` prints on
WATCH = f"() => addEventListener('beforeprint', () => {{ window.printed = ({SEE})(); }})"


@pytest.fixture
def dark(open_tab: Opener) -> Tab:
    return open_tab(f"{DEPTH.page}?weight-scale=1.32", color_scheme="dark")


def printed(tab: Tab) -> list[dict[str, Any]]:
    """The charts as they are while the page is printed."""
    tab.page.evaluate(WATCH)
    assert tab.page.pdf().startswith(b"%PDF")
    found: list[dict[str, Any]] = tab.page.evaluate("() => window.printed")
    return found


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(part) for part in bytes.fromhex(color[1:]))})"


def test_charts_are_printed_in_light_colors_and_within_their_place(dark: Tab) -> None:
    before = dark.page.evaluate(SEE)
    assert {chart["ink"] for chart in before} == {rgb(TOKENS["ink"].dark)}
    charts = printed(dark)
    assert len(charts) == len(before) > 0
    for chart in charts:
        assert chart["ink"] == rgb(TOKENS["ink"].light)
        assert chart["width"] == chart["room"] < PAPER
    # What stood alone on the screen has less room on paper; what stood beside a table has more.
    assert {chart["room"] for chart in charts} != {screen["room"] for screen in before}


def test_after_printing_the_figures_are_as_they_were(dark: Tab) -> None:
    drawn, before = dark.drawn(), dark.page.evaluate(SEE)
    printed(dark)
    assert dark.page.evaluate(SEE) == before
    assert dark.drawn() == drawn
    dark.address_names("weight scale")


def test_after_printing_charts_follow_the_width_of_the_page(dark: Tab) -> None:
    printed(dark)
    dark.page.set_viewport_size({"width": 700, "height": 900})
    dark.until(f"() => ({SEE})().every((chart) => chart.width === chart.room && chart.room < 700)")


def test_what_cannot_be_used_on_paper_is_left_out(dark: Tab) -> None:
    dark.page.emulate_media(media="print")
    for gone in ("stSidebar", "stFormSubmitButton"):
        expect(dark.page.get_by_test_id(gone).first).to_be_hidden()
    expect(dark.button("Reset")).to_be_hidden()
    expect(dark.slider("weight scale")).to_be_visible()
    body = dark.page.get_by_test_id("stApp")
    assert body.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(255, 255, 255)"
