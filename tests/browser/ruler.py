"""Sizes of what is on a page."""

from tests.browser.tab import Tab

TARGET = 44  # CSS pixels; the size of a fingertip
# Everything that can be hit: of a radio button, the label that covers it.
TARGETS = """
(root) => [...root.querySelectorAll("button, select, input, td[data-index], summary")]
  .map((node) => (node.type === "radio" ? node.closest("label") : node))
  .filter((node) => node.checkVisibility({ visibilityProperty: true }))
  .map((node) => [node.ariaLabel ?? node.textContent, node.getBoundingClientRect().height])
"""
WIDER = """
() => [document.documentElement, ...document.querySelectorAll(".stMain, .stApp")]
  .filter((node) => node.scrollWidth > node.clientWidth).map((node) => node.className)
"""
# Figures in whose bar of controls a line holds the reset alone.
ALONE = """
() => [...document.querySelectorAll(".ln .controls > .reset")].filter((reset) => {
  const others = [...reset.parentElement.querySelectorAll("input, .play, .walker")];
  const shown = others.filter((node) => node.checkVisibility());
  const own = reset.getBoundingClientRect();
  const isAbove = (node) => node.getBoundingClientRect().bottom <= own.top;
  return shown.length && reset.checkVisibility() && shown.every(isAbove);
}).map((reset) => reset.closest(".ln").id)
"""
# Every chart that is shown is as wide as its place.
RESIZED = """
() => [...document.querySelectorAll(".js-plotly-plot")].every((plot) =>
  !plot.offsetParent || Math.round(plot._fullLayout.width) === plot.clientWidth)
"""


def wider(tab: Tab) -> list[str]:
    """What is wider than the screen."""
    nodes: list[str] = tab.page.evaluate(WIDER)
    return nodes


def alone(tab: Tab) -> list[str]:
    """The figures in which the reset has a line of its own below the other controls."""
    figures: list[str] = tab.page.evaluate(ALONE)
    return figures


def targets(tab: Tab) -> list[tuple[str, float]]:
    """The names and heights of all that a finger hits in figures and tables."""
    places = tab.page.locator(".ln, .ln-table").all()
    return [tuple(target) for place in places for target in place.evaluate(TARGETS)]


def is_number(text: str) -> bool:
    """Whether a target is a cell with a number alone."""
    return text.translate(str.maketrans("", "", "−.,× ⁻")).isdigit() or text == ""
