import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, expect, sync_playwright

pytest.register_assert_rewrite("tests.browser.drawn")

from tests.browser.serving import Shared, shared  # noqa: E402
from tests.browser.tab import PATIENCE, Tab  # noqa: E402

DESKTOP = {"width": 1280, "height": 900}
PHONE: dict[str, Any] = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}

expect.set_options(timeout=PATIENCE)


class Opener(Protocol):
    def __call__(self, address: str | None, number: int = 0, **options: Any) -> Tab: ...


class Bench(Protocol):
    def __call__(self, address: str, number: int = 0, query: str | None = None) -> Tab: ...


@pytest.fixture(scope="session")
def server() -> Iterator[Shared]:
    """The app, one for all test processes. It must not have failed at anything."""
    server = shared()
    yield server
    log = server.log.read_text("utf-8")
    assert "Traceback" not in log, log


# The Chromium that LNVIZ_CHROMIUM names, or Playwright's own.
CHROMIUM: dict[str, Any] = {
    "executable_path": os.environ.get("LNVIZ_CHROMIUM"),
    "args": ["--no-sandbox"],
}


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Opens contexts that keep nothing."""
    browser = playwright.chromium.launch(**CHROMIUM)
    yield browser
    browser.close()


@contextmanager
def context(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    context = browser.new_context(**{"viewport": DESKTOP, **options})
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@contextmanager
def tab(context: BrowserContext, base: str) -> Iterator[Tab]:
    """A tab that must not have complained, nor talked to another host, when it is closed."""
    tab = Tab(context.new_page(), base)
    yield tab
    tab.page.close()
    part(tab)


def part(tab: Tab) -> None:
    """Has a tab say what it complained of on the pages so far; the next ones begin with nothing."""
    complaints, strangers = tab.complaints, tab.strangers()
    tab.complaints, tab.requests = [], []
    assert complaints == []
    assert strangers == set()


@pytest.fixture(scope="session")
def kept(
    playwright: Playwright, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., BrowserContext]]:
    """Opens contexts with a profile on disk: only there Chromium keeps scripts as it compiled them.

    A page with a chart then costs it a third.
    """
    with ExitStack() as stack:

        def kept(**options: Any) -> BrowserContext:
            profile = tmp_path_factory.mktemp("profile")
            context = playwright.chromium.launch_persistent_context(
                profile, **CHROMIUM, **{"viewport": DESKTOP, **options}
            )
            stack.callback(context.close)
            context.set_default_timeout(PATIENCE)
            return context

        yield kept


@pytest.fixture(scope="session")
def desktop(kept: Callable[..., BrowserContext]) -> BrowserContext:
    """Shared by all tests, each of which leaves nothing stored."""
    return kept()


@pytest.fixture(scope="session")
def left(server: Shared, desktop: BrowserContext) -> Iterator[list[Tab]]:
    """Tabs that tests have left to others.

    Their processes have the scripts as they compiled them: a page costs half of what it costs in a
    new tab.
    """
    tabs: list[Tab] = []
    yield tabs
    for tab in tabs:
        tab.page.close()


@contextmanager
def warm(left: list[Tab], server: Shared, desktop: BrowserContext) -> Iterator[Tab]:
    """A tab as it would be new, which is left to others if nothing is wrong with it."""
    tab = left.pop() if left else Tab(desktop.new_page(), server.url)
    tab.page.bring_to_front()
    try:
        yield tab
        leave(tab)
    except BaseException:
        tab.page.close()
        raise
    left.append(tab)


def leave(tab: Tab) -> None:
    """Empties a tab: nothing is open, kept, on its way or gone through."""
    page = tab.page
    page.mouse.up()
    page.unroute_all(behavior="ignoreErrors")
    if page.url.startswith(tab.base):
        page.evaluate("() => [sessionStorage, localStorage].forEach((each) => each.clear())")
    page.goto("about:blank")
    tools = page.context.new_cdp_session(page)
    tools.send("Page.resetNavigationHistory")
    tools.detach()
    page.set_viewport_size(DESKTOP)
    page.emulate_media(media="null", color_scheme="light")
    page.context.clear_permissions()
    part(tab)
    tab.frames = []


@pytest.fixture(scope="session")
def phone(kept: Callable[..., BrowserContext]) -> BrowserContext:
    return kept(**PHONE)


@pytest.fixture(scope="module")
def traveler(left: list[Tab], server: Shared, desktop: BrowserContext) -> Iterator[Tab]:
    """A tab that goes from page to page."""
    with warm(left, server, desktop) as opened:
        yield opened


@pytest.fixture
def open_tab(
    request: pytest.FixtureRequest, server: Shared, desktop: BrowserContext, left: list[Tab]
) -> Iterator[Opener]:
    """Opens a tab, and an address in it; with options, in a browser of that kind (dark, phone)."""
    with ExitStack() as stack:

        def open_tab(address: str | None, number: int = 0, **options: Any) -> Tab:
            if options:
                browser = request.getfixturevalue("browser")
                own = stack.enter_context(context(browser, **options))
                opened = stack.enter_context(tab(own, server.url))
            else:
                opened = stack.enter_context(warm(left, server, desktop))
            return opened.open(address, number) if address is not None else opened

        yield open_tab


@pytest.fixture(scope="module")
def bench(left: list[Tab], server: Shared, desktop: BrowserContext) -> Iterator[Bench]:
    """Tabs that a module's tests share, each with its figure back at the start, or at a query."""
    with ExitStack() as stack:
        tabs: dict[str, Tab] = {}

        def bench(address: str, number: int = 0, query: str | None = None) -> Tab:
            known = address in tabs
            if not known:
                opened = stack.enter_context(warm(left, server, desktop))
                tabs[address] = opened.open(address, number)
            found = tabs[address]
            # Chromium draws a tab that lies behind others once a second.
            found.page.bring_to_front()
            if query is not None:
                found.reopen(query)
            elif known:
                found.back_to_start()
            found.number = number
            return found

        yield bench
