"""Pages on a desk, by day and by night, and figures alone: seen by axe and by a ruler.

`make all` looks at every page in every look; `test_pages` sees each once, on a phone.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext

from lnviz.book import PAGES
from tests.browser import conftest
from tests.browser.accessibility import COLORS, objections
from tests.browser.conftest import Bench
from tests.browser.figures import GRID
from tests.browser.kinds import cover, of_page
from tests.browser.looks import LOOKS, Opened, Page, colored, faults
from tests.browser.serving import Shared
from tests.browser.tab import Tab


def test_the_page_with_the_most_kinds_has_no_fault_by_day_and_by_night(traveler: Tab) -> None:
    tab = traveler.open(f"/{cover(PAGES, of_page)[0].url_path}").unfold()
    assert faults(tab, on_phone=False) == {}
    assert objections(tab.page) == ""
    colored(tab, "dark")
    assert objections(tab.page, COLORS) == ""


@pytest.fixture(scope="module")
def opened(traveler: Tab, server: Shared, phone: BrowserContext) -> Iterator[Opened]:
    with conftest.tab(phone, server.url) as narrow:
        yield Opened(traveler, narrow)


@pytest.mark.long
@pytest.mark.parametrize("page", LOOKS, ids=str)
def test_a_page_has_no_fault_in_a_look(opened: Opened, page: Page) -> None:
    tab = opened.at(page)
    assert faults(tab, on_phone=page.is_phone) == {}
    assert objections(tab.page, COLORS if page.look == "dark" else None) == ""


def test_high_contrast_leaves_data_their_colors_and_shows_what_is_chosen(bench: Bench) -> None:
    tab = bench(GRID.standalone)
    tab.page.emulate_media(forced_colors="active")
    shades, chosen, lines = tab.page.evaluate(
        """() => {
  const color = (node) => getComputedStyle(node).backgroundColor;
  const all = (selector) => [...new Set([...document.querySelectorAll(selector)].map(color))];
  const probe = document.querySelector(".ln .probe").appendChild(document.createElement("i"));
  const line = (token) => {
    probe.style.color = `var(--ln-${token})`;
    return getComputedStyle(probe).color;
  };
  const lines = new Set([line("batch"), line("layer")]);
  probe.remove();
  return [all(".ln td[data-index]").length, all(".ln .choice label span").length, lines.size];
}"""
    )
    tab.page.emulate_media(forced_colors="none")
    assert shades > 2
    assert chosen == 2
    assert lines == 2
