"""Every page, light, dark and on a phone: seen by axe, by a ruler, and kept as a picture."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import BrowserContext

from lnviz.book import PAGES
from lnviz.explorable.theme import TOKENS
from lnviz.lessons.text import anchor
from tests.browser import conftest
from tests.browser.accessibility import objections
from tests.browser.conftest import part
from tests.browser.figures import KINDS
from tests.browser.serving import ROOT, Shared
from tests.browser.tab import Tab

PICTURES = ROOT / "screenshots"
TARGET = 44  # CSS pixels; the size of a fingertip
# Everything that can be hit: of a radio button, the label that covers it.
TARGETS = """
(root) => [...root.querySelectorAll("button, select, input, td[data-index], summary")]
  .map((node) => (node.type === "radio" ? node.closest("label") : node))
  .filter((node) => node.checkVisibility({ visibilityProperty: true }))
  .map((node) => [node.ariaLabel ?? node.textContent, node.getBoundingClientRect().height])
"""


# Whether the page has a color and nothing on it is on the way to another.
HAS_COLOR = """
(color) => {
  const page = document.querySelector(".stApp") ?? document.body;
  return getComputedStyle(page).backgroundColor === `rgb(${color.join(", ")})` &&
    !document.getAnimations().some((change) => change instanceof CSSTransition);
}
"""


@dataclass(frozen=True)
class Page:
    """A page in one of its looks."""

    name: str
    address: str
    look: str

    @property
    def is_phone(self) -> bool:
        return "phone" in self.look

    def __str__(self) -> str:
        return f"{self.name}-{self.look}"


PAGES = [
    *(Page(at.slug, f"/{at.address}", look) for at in PAGES for look in ("light", "dark", "phone")),
    # Figures alone have the same style: the narrowest and darkest look of each kind is enough.
    *(Page(f"{place}-alone", place.standalone, "dark-phone") for place in KINDS),
]


@pytest.fixture(scope="module", params=PAGES, ids=str)
def seen(request: pytest.FixtureRequest) -> Page:
    return request.param


class Opened:
    """Two tabs, one of them a phone's, and the page that each has opened last.

    By day and by night a page is opened once: the look alone changes.
    """

    def __init__(self, desktop: Tab, phone: Tab) -> None:
        self.tabs = {False: desktop, True: phone}
        self.shown: tuple[str, bool] | None = None

    def at(self, page: Page) -> Tab:
        scheme: Literal["dark", "light"] = "dark" if "dark" in page.look else "light"
        tab = self.tabs[page.is_phone]
        tab.page.emulate_media(color_scheme=scheme)
        if self.shown != (page.address, page.is_phone):
            part(tab)
            tab.page.bring_to_front()
            tab.open(page.address)
            self.shown = page.address, page.is_phone
        color = getattr(TOKENS["page"], scheme)
        tab.until(HAS_COLOR, [*bytes.fromhex(color[1:])])
        return tab


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


def test_a_page_is_kept_as_a_picture(seen: Page, tab: Tab) -> None:
    main = tab.page.locator(".stMain, html").last
    viewport = tab.page.viewport_size
    assert viewport is not None
    height = max(viewport["height"], main.evaluate("node => node.scrollHeight"))
    tab.page.set_viewport_size({"width": viewport["width"], "height": height})
    tab.page.evaluate("() => document.fonts.ready")
    tab.painted()
    PICTURES.mkdir(exist_ok=True)
    path = PICTURES / f"{seen}.png"
    tab.page.screenshot(path=path)
    assert size(path) == (viewport["width"], height)
    assert main.evaluate("node => node.scrollHeight - node.clientHeight") == 0
    tab.page.set_viewport_size(viewport)


def size(picture: Path) -> tuple[int, int]:
    """Width and height, from the head of a PNG."""
    return struct.unpack(">II", picture.read_bytes()[16:24])
