"""The program behind `make pictures`: every page in each of its looks, to be looked at."""

from contextlib import ExitStack

from playwright.sync_api import sync_playwright

from tests.browser import conftest
from tests.browser.looks import LOOKS, Opened, Page
from tests.browser.serving import serving
from tests.browser.tab import Tab
from tests.service.server import ROOT

FOLDER = ROOT / "screenshots"


def main() -> None:
    """One picture each, as high as the page."""
    FOLDER.mkdir(exist_ok=True)
    with ExitStack() as stack:
        server = stack.enter_context(serving())
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(**conftest.CHROMIUM)
        desktop, phone = (
            stack.enter_context(conftest.tab(stack.enter_context(context), server.url))
            for context in (
                conftest.context(browser),
                conftest.context(browser, **conftest.PHONE),
            )
        )
        opened = Opened(desktop, phone)
        for page in LOOKS:
            take(opened.at(page), page)
    print(f"{len(LOOKS)} pictures are in {FOLDER.name}/.")


def take(tab: Tab, page: Page) -> None:
    """The window grows to the height of the page, since charts out of sight are not drawn."""
    size = tab.page.viewport_size
    assert size is not None
    main = tab.page.locator(".stMain, html").last
    height = max(size["height"], main.evaluate("node => node.scrollHeight"))
    tab.page.set_viewport_size({"width": size["width"], "height": height})
    tab.page.evaluate("() => document.fonts.ready")
    tab.painted()
    tab.page.screenshot(path=FOLDER / f"{page}.png")
    tab.page.set_viewport_size(size)


if __name__ == "__main__":
    main()
