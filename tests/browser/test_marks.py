"""Marks that are moved stand exactly where Plotly itself would have drawn them."""

import pytest

from lnviz.explorable.controls import exact_position
from tests.browser.conftest import part
from tests.browser.drawn import assert_draws, sliders
from tests.browser.figures import FACTOR, LINE, PLACES, Place, place
from tests.browser.kinds import cover, of_slides
from tests.browser.ruler import RESIZED
from tests.browser.tab import Tab

LOGITS, FADING = place("invariance", "logits"), place("invariance", "fading")
# A line with gaps, bands, and a mark on a map.
GAPS = place("lab", "inside")
BANDS, MAP = place("rmsnorm", "means"), place("inside", "stream")

MARKS = """
(root) => [...root.querySelectorAll(".js-plotly-plot")].map((plot) =>
  [".js-line", ".fills path", ".points > .point", ".textpoint > text", ".barlayer .point > path"]
    .map((kind) => [...plot.querySelectorAll(`.cartesianlayer ${kind}`)].map((mark) =>
      ["d", "transform", "x", "y"].map((name) => mark.getAttribute(name)))))
"""
REDRAW = """
(root) => Promise.all([...root.querySelectorAll(".js-plotly-plot")].map((plot) =>
  window.Plotly.redraw(plot)))
"""
DRAWINGS = 4
# How often Plotly has drawn since it was first asked.
COUNT = """
(root) => [...root.querySelectorAll(".js-plotly-plot")].map((plot) => {
  if (plot.drawings === undefined) {
    plot.drawings = 0;
    plot.on("plotly_afterplot", () => (plot.drawings += 1));
  }
  return plot.drawings;
}).reduce((sum, drawings) => sum + drawings, 0)
"""


def test_sliders_of_every_kind_of_figure_draw_what_python_computed(traveler: Tab) -> None:
    for figure in cover(PLACES, of_slides):
        slide(traveler, figure)


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_every_slider_draws_what_python_computed(traveler: Tab, place: Place) -> None:
    slide(traveler, place)


def slide(tab: Tab, place: Place) -> None:
    """Takes each slider of a figure to its ends: marks stand where Plotly would draw them."""
    tab.open(place.standalone)
    _settle(tab)
    explorable = place.explorable()
    state = explorable.start_state()
    for slider in sliders(explorable):
        for name, values in slider.when.items():
            choice = place.control(name)
            state[name] = exact_position(choice, values[0])
            tab.choose(choice.label(state[name]))
            _settle(tab)
        for key in ("Home", "End"):
            tab.slider(slider.name).press(key)
            drawn = tab.drawn()
            state[slider.name] = tab.position(slider)
            assert_draws(drawn, explorable, state)
            _compare(tab)
    part(tab)


def test_marks_follow_a_page_that_becomes_narrower(traveler: Tab) -> None:
    tab = traveler.open(LINE.standalone)
    wide = tab.figure.evaluate(MARKS)
    size = tab.page.viewport_size
    assert size is not None
    tab.page.set_viewport_size({"width": 800, "height": size["height"]})
    tab.until(RESIZED)
    slider = sliders(LINE.explorable())[0]
    tab.slider(slider.name).press("PageUp")
    tab.drawn()
    _compare(tab)
    assert tab.figure.evaluate(MARKS) != wide
    tab.page.set_viewport_size(size)


@pytest.mark.parametrize("place", [LINE, FACTOR, LOGITS, FADING, GAPS, BANDS, MAP], ids=str)
def test_plotly_draws_nothing_while_a_slider_moves(traveler: Tab, place: Place) -> None:
    tab = traveler.open(place.standalone)
    slider = sliders(place.explorable())[0]
    tab.slider(slider.name).press("PageUp")
    tab.drawn()
    before = tab.figure.evaluate(COUNT)
    for _ in range(3):
        tab.slider(slider.name).press("ArrowRight")
        tab.drawn()
    assert tab.figure.evaluate(COUNT) == before


def _settle(tab: Tab) -> None:
    """Draws until nothing moves: Plotly's automatic margins take two or three drawings for it."""
    before, now = None, tab.figure.evaluate(MARKS)
    for _ in range(DRAWINGS):
        tab.figure.evaluate(REDRAW)
        before, now = now, tab.figure.evaluate(MARKS)
        if now == before:
            return
    assert now == before


def _compare(tab: Tab) -> None:
    moved = tab.figure.evaluate(MARKS)
    tab.figure.evaluate(REDRAW)
    assert moved == tab.figure.evaluate(MARKS)


def test_a_bar_that_grows_out_of_nothing_looks_like_the_others(traveler: Tab) -> None:
    tab = traveler.open(LOGITS.standalone)
    slider = sliders(LOGITS.explorable())[0]
    tab.slider(slider.name).press("End")
    tab.figure.evaluate(REDRAW)  # bars without height have no color of Plotly's
    tab.slider(slider.name).press("Home")
    tab.drawn()
    fills = tab.figure.evaluate(
        "root => [...root.querySelectorAll('.barlayer .trace')].map((trace) =>"
        " [...trace.querySelectorAll('.point > path')].map((bar) => getComputedStyle(bar).fill))"
    )
    assert [len(set(trace)) for trace in fills] == [1, 1]
    assert fills[0] != fills[1]
