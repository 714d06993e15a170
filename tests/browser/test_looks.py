"""Every page, light, dark and on a phone: seen by axe and by a ruler."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext

from lnviz.lessons.text import anchor
from tests.browser import conftest
from tests.browser.accessibility import objections
from tests.browser.looks import LOOKS, Opened, Page
from tests.browser.serving import Shared
from tests.browser.tab import Tab

TARGET = 44  # CSS pixels; the size of a fingertip
# Everything that can be hit: of a radio button, the label that covers it.
TARGETS = """
(root) => [...root.querySelectorAll("button, select, input, td[data-index], summary")]
  .map((node) => (node.type === "radio" ? node.closest("label") : node))
  .filter((node) => node.checkVisibility({ visibilityProperty: true }))
  .map((node) => [node.ariaLabel ?? node.textContent, node.getBoundingClientRect().height])
"""


@pytest.fixture(scope="module", params=LOOKS, ids=str)
def seen(request: pytest.FixtureRequest) -> Page:
    return request.param


@pytest.fixture(scope="module")
def opened(traveler: Tab, server: Shared, phone: BrowserContext) -> Iterator[Opened]:
    with conftest.tab(phone, server.url) as narrow:
        yield Opened(traveler, narrow)


@pytest.fixture(scope="module")
def tab(seen: Page, opened: Opened) -> Tab:
    return opened.at(seen)


def test_a_page_does_not_complain(tab: Tab) -> None:
    assert tab.complaints == []


def test_a_page_asks_no_other_host(tab: Tab) -> None:
    assert tab.strangers() == set()


def test_a_page_is_no_wider_than_the_screen(tab: Tab) -> None:
    wider = tab.page.evaluate(
        "() => [document.documentElement, ...document.querySelectorAll('.stMain, .stApp')]"
        ".filter((node) => node.scrollWidth > node.clientWidth).map((node) => node.className)"
    )
    assert wider == []


def test_a_link_finds_every_heading(seen: Page, tab: Tab) -> None:
    heads = tab.page.locator(".stMain .stMarkdown :is(h2, h3)").all()
    assert [head.get_attribute("id") for head in heads] == [
        anchor((head.text_content() or "").strip()) for head in heads
    ]


def test_fingers_hit_every_control_of_a_figure_or_table(seen: Page, tab: Tab) -> None:
    targets = [
        target
        for figure in tab.page.locator(".ln, .ln-table").all()
        for target in figure.evaluate(TARGETS)
    ]
    assert targets or not (tab.page.locator(".ln, .ln-table").count())
    cells_may_be_low = not seen.is_phone
    small = [t for t in targets if t[1] < TARGET and not (cells_may_be_low and is_number(t[0]))]
    assert small == []


def is_number(text: str) -> bool:
    return text.replace("−", "").replace(".", "").isdigit() or text == ""


def test_axe_finds_nothing_to_object_to(seen: Page, tab: Tab) -> None:
    code = tab.page.get_by_role("button", name="The code for this", expanded=False)
    code.evaluate_all("(buttons) => buttons.forEach((button) => button.click())")
    assert objections(tab.page, seen_before=seen.look in ("dark", "phone")) == ""
