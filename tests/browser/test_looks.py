"""Pages with every kind of view, light, dark and on a phone: seen by axe and by a ruler.

`make all` looks at every page; `test_pages` sees each of them once.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext

from lnviz.book import PAGES
from tests.browser import conftest
from tests.browser.accessibility import objections
from tests.browser.figures import KINDS
from tests.browser.kinds import cover, of_page
from tests.browser.looks import LOOKS, Opened, Page
from tests.browser.ruler import TARGET, is_number, targets, wider
from tests.browser.serving import Shared
from tests.browser.tab import Tab


@pytest.fixture(scope="module")
def opened(traveler: Tab, server: Shared, phone: BrowserContext) -> Iterator[Opened]:
    with conftest.tab(phone, server.url) as narrow:
        yield Opened(traveler, narrow)


def faults(seen: Page, tab: Tab) -> dict[str, object]:
    """What is wrong with a page in a look, by what it is."""
    hit = targets(tab)
    code = tab.page.get_by_role("button", name="The code for this", expanded=False)
    code.evaluate_all("(buttons) => buttons.forEach((button) => button.click())")
    small = [name for name, height in hit if height < TARGET]
    found = {
        "complaints": tab.complaints,
        "other hosts": tab.strangers(),
        "wider than the screen": wider(tab),
        "too low for a finger": [n for n in small if seen.is_phone or not is_number(n)],
        "nothing to hit": not hit and tab.page.locator(".ln, .ln-table").count() > 0,
        "objections": objections(tab.page, seen_before=seen.look in ("dark", "phone")),
    }
    return {name: fault for name, fault in found.items() if fault}


def test_pages_of_every_kind_have_no_fault_in_any_look(opened: Opened) -> None:
    covered = {f"/{page.address}" for page in cover(PAGES, of_page)}
    covered |= {place.standalone for place in KINDS}
    pages = [page for page in LOOKS if page.address in covered]
    found = {str(page): faults(page, opened.at(page)) for page in pages}
    assert {name: fault for name, fault in found.items() if fault} == {}


@pytest.mark.long
@pytest.mark.parametrize("page", LOOKS, ids=str)
def test_a_page_has_no_fault_in_a_look(opened: Opened, page: Page) -> None:
    assert faults(page, opened.at(page)) == {}
