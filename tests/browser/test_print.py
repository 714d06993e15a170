"""A lesson on paper: light, whole, and as its figures stand."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from lnviz.frontend.theme import TOKENS
from tests.browser.conftest import DESKTOP
from tests.browser.figures import DEPTH, Place, place
from tests.browser.tab import Tab

# What is on the page when it is printed, and what was before and is after.
SEE = """
() => [...document.querySelectorAll(".ln .chart:not([hidden]) .plot")].map((plot) => ({
  room: plot.clientWidth,
  width: plot.querySelector(".main-svg").clientWidth,
  ink: plot._fullLayout.font.color,
}))
"""
PAPER = 8.5 * 96 / 0.75  # CSS pixels: the width of a letter, which `pdf` prints on, made smaller
# Parts of figures that are wider than their figure, or than a box of their own.
CUT = """
() => [...document.querySelectorAll(".ln :is(.row, .row > *, .grid, table)")].filter((part) => {
  const { right } = part.closest(".ln").getBoundingClientRect();
  return part.checkVisibility() &&
    (part.getBoundingClientRect().right > right + 1 || part.scrollWidth > part.clientWidth + 1);
}).map((part) => part.outerHTML.slice(0, 80))
"""
# Whether each figure of the page is drawn.
DRAWN_FIGURES = """
() => [...document.querySelectorAll(".ln-place")].map((place) =>
  place.querySelector(".row") !== null &&
    [...place.querySelectorAll(".chart:not([hidden]) .plot")]
      .every((plot) => plot.querySelector(".main-svg")))
"""
WIDEST, LONGEST = place("placement", "blocks"), place("recurrence", "factor")


@pytest.fixture
def dark(traveler: Tab) -> Tab:
    traveler.page.set_viewport_size(DESKTOP)
    traveler.page.emulate_media(media="null", color_scheme="dark")
    return traveler.open(f"{DEPTH.page}?weight-scale=1.32")


def printed(tab: Tab, see: str = SEE) -> tuple[list[Any], int]:
    """What there is to see while the page is printed, and how many sheets it takes."""
    tab.page.evaluate(
        f"() => addEventListener('beforeprint', () => {{ window.printed = ({see})(); }})"
    )
    sheets = len(re.findall(rb"/Type /Page\b", tab.page.pdf(format="Letter")))
    return tab.page.evaluate("() => window.printed"), sheets


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(part) for part in bytes.fromhex(color[1:]))})"


def test_charts_are_printed_in_light_colors_and_within_their_place(dark: Tab) -> None:
    before = dark.page.evaluate(SEE)
    assert {chart["ink"] for chart in before} == {rgb(TOKENS["ink"].dark)}
    charts, _ = printed(dark)
    assert len(charts) == len(before) > 0
    for chart in charts:
        assert chart["ink"] == rgb(TOKENS["ink"].light)
        assert chart["width"] == chart["room"] < PAPER
    # What stood alone on the screen has less room on paper; what stood beside a table has more.
    assert {chart["room"] for chart in charts} != {screen["room"] for screen in before}


def test_after_printing_the_figures_are_as_they_were_and_follow_the_page(dark: Tab) -> None:
    drawn, before = dark.drawn(), dark.page.evaluate(SEE)
    printed(dark)
    assert dark.page.evaluate(SEE) == before
    assert dark.drawn() == drawn
    dark.address_names("weight scale")
    dark.page.set_viewport_size({"width": 700, "height": 900})
    dark.until(f"() => ({SEE})().every((chart) => chart.width === chart.room && chart.room < 700)")


@pytest.mark.parametrize("place", [WIDEST, LONGEST], ids=["widest", "longest"])
def test_a_lesson_with_all_that_is_deeper_is_a_dozen_sheets_at_most_and_nothing_is_cut(
    place: Place, traveler: Tab
) -> None:
    cut, sheets = printed(traveler.open(place.page).unfold(), CUT)
    assert cut == []
    assert 1 < sheets <= 12


def test_the_key_for_printing_waits_until_the_figures_of_closed_parts_are_drawn(
    traveler: Tab,
) -> None:
    traveler.page.emulate_media(media="null")
    tab = traveler.open(WIDEST.page)
    tab.page.evaluate(f"() => (window.print = () => (window.printed = ({DRAWN_FIGURES})()))")
    assert False in tab.page.evaluate(DRAWN_FIGURES)
    tab.page.keyboard.press("Control+p")
    tab.until("() => window.printed")
    places = len(WIDEST.lesson.figures)
    assert tab.page.evaluate("() => window.printed") == [True] * places
    tab.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert tab.page.locator(".ln-deeper[open]").count() == 0


def test_what_cannot_be_used_on_paper_is_left_out(dark: Tab) -> None:
    dark.page.emulate_media(media="print")
    for gone in ("stSidebar", "stFormSubmitButton"):
        expect(dark.page.get_by_test_id(gone).first).to_be_hidden()
    expect(dark.button("Reset")).to_be_hidden()
    expect(dark.slider("weight scale")).to_be_visible()
    body = dark.page.get_by_test_id("stApp")
    assert body.evaluate("node => getComputedStyle(node).backgroundColor") == "rgb(255, 255, 255)"
