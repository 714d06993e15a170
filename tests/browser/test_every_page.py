"""What holds for every page in every look: light, dark, and a phone's width."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from lnviz.lessons import LESSONS
from tests.browser.conftest import context, tab
from tests.browser.figures import PLACES
from tests.browser.serving import ROOT, Server
from tests.browser.tab import Tab

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 780}, "has_touch": True, "is_mobile": True},
}
PAGES = [f"/{lesson.slug}" for lesson in LESSONS]
FINGER = 44
SCREENSHOTS = ROOT / "screenshots"

# What a finger is meant for, with its height; a hidden radio button's label stands for it.
TARGETS = """
() => [...document.querySelectorAll(
  ".ln button, .ln select, .ln input:not([type=radio]), .ln .options span, .ln td[data-index]"
)].filter((node) => node.checkVisibility()).map((node) => {
  const name = node.getAttribute("aria-label") ?? node.textContent.slice(0, 30);
  return [`${node.tagName} ${name}`, node.getBoundingClientRect().height];
})
"""


@pytest.fixture(
    scope="module", params=[(page, look) for page in PAGES for look in LOOKS], ids="-".join
)
def visit(
    request: pytest.FixtureRequest, server: Server, browser: Browser
) -> Iterator[tuple[Tab, str]]:
    page, look = request.param
    with ExitStack() as stack:
        own = stack.enter_context(context(browser, **LOOKS[look]))
        yield stack.enter_context(tab(own, server.url)).open(page), look


def test_a_page_has_no_accessibility_violations(visit: tuple[Tab, str]) -> None:
    shown, _ = visit
    assert _violations(shown) == []


def test_a_page_does_not_scroll_sideways(visit: tuple[Tab, str]) -> None:
    shown, _ = visit
    widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    scrolled, seen = shown.page.evaluate(widths)
    assert scrolled <= seen
    main = "e => e.scrollWidth <= e.clientWidth"
    assert shown.page.get_by_test_id("stMain").evaluate(main)


def test_controls_have_room_for_a_finger(visit: tuple[Tab, str]) -> None:
    shown, look = visit
    heights = shown.page.evaluate(TARGETS)
    assert heights
    small = [(name, h) for name, h in heights if h < FINGER]
    # With a mouse the cells of a grid may be smaller.
    assert [(name, h) for name, h in small if look == "phone" or not name.startswith("TD")] == []


def test_a_picture_of_a_page_is_left_for_the_reader(visit: tuple[Tab, str]) -> None:
    shown, look = visit
    SCREENSHOTS.mkdir(exist_ok=True)
    file = SCREENSHOTS / f"{shown.page.url.rpartition('/')[2]}-{look}.png"
    width = shown.page.viewport_size["width"] if shown.page.viewport_size else 0
    # Streamlit scrolls inside the page, so the window grows to the page instead.
    height = shown.page.get_by_test_id("stMain").evaluate("e => e.scrollHeight")
    shown.page.set_viewport_size({"width": width, "height": height + 20})
    shown.ready()
    shown.page.screenshot(path=file)
    assert file.stat().st_size > 10_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_standalone_figure_has_no_accessibility_violations(
    server: Server, browser: Browser, place: Any, scheme: str
) -> None:
    with context(browser, color_scheme=scheme) as own, tab(own, server.url) as shown:
        shown.open(place.standalone)
        assert _violations(shown) == []


def _violations(shown: Tab) -> list[str]:
    found = Axe().run(shown.page).response["violations"]
    return [
        f"{violation['id']}: {node['html'][:200]}"
        for violation in found
        for node in violation["nodes"]
    ]
