"""Marks that are moved stand exactly where Plotly itself would have drawn them."""

import pytest

from tests.browser.conftest import Bench
from tests.browser.drawn import sliders
from tests.browser.figures import FACTOR, LINE, PLACES, Place
from tests.browser.tab import Tab

# To ask every figure for its charts would be to compute them all.
CHARTS = [place for place in PLACES if str(place) not in ("axes-grid", "invariance-table")]

MARKS = """
(root) => [...root.querySelectorAll(".js-plotly-plot")].map((plot) =>
  [".js-line", ".points > .point", ".textpoint > text"].map((kind) =>
    [...plot.querySelectorAll(`.scatterlayer ${kind}`)].map((mark) =>
      ["d", "transform", "x", "y"].map((name) => mark.getAttribute(name)))))
"""
REDRAW = """
(root) => Promise.all([...root.querySelectorAll(".js-plotly-plot")].map((plot) =>
  window.Plotly.redraw(plot)))
"""
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


@pytest.mark.parametrize("place", CHARTS, ids=str)
def test_moved_marks_are_where_plotly_draws_them(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    assert place.has_chart
    for slider in sliders(place.explorable()):
        tab.slider(slider.name).press("Home")
        for key in ("PageUp", "ArrowRight", "End"):
            tab.slider(slider.name).press(key)
            _compare(tab)


@pytest.mark.parametrize("place", [LINE], ids=str)
def test_marks_follow_a_page_that_becomes_narrower(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    wide = tab.figure.evaluate(MARKS)
    size = tab.page.viewport_size
    assert size is not None
    tab.page.set_viewport_size({"width": 800, "height": size["height"]})
    tab.page.wait_for_function(
        "() => [...document.querySelectorAll('.js-plotly-plot')].every((plot) =>"
        "  plot._fullLayout.width === plot.clientWidth)"
    )
    slider = sliders(place.explorable())[0]
    tab.slider(slider.name).press("PageUp")
    _compare(tab)
    assert tab.figure.evaluate(MARKS) != wide
    tab.page.set_viewport_size(size)


@pytest.mark.parametrize("place", [LINE, FACTOR], ids=str)
def test_plotly_draws_nothing_while_a_slider_moves(bench: Bench, place: Place) -> None:
    tab = bench(place.standalone)
    slider = sliders(place.explorable())[0]
    tab.slider(slider.name).press("PageUp")
    tab.drawn()
    before = tab.figure.evaluate(COUNT)
    for _ in range(3):
        tab.slider(slider.name).press("ArrowRight")
        tab.drawn()
    assert tab.figure.evaluate(COUNT) == before


def _compare(tab: Tab) -> None:
    tab.drawn()
    moved = tab.figure.evaluate(MARKS)
    tab.figure.evaluate(REDRAW)
    assert moved == tab.figure.evaluate(MARKS)
