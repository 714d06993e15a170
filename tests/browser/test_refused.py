"""A page for which the server opens no session."""

from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import GRID

DEAF = """
window.deaf = true;
window.WebSocket = class extends WebSocket {
  constructor(address, names) {
    const nowhere = address.toString().replace("_stcore/stream", "_stcore/health");
    super(window.deaf ? nowhere : address, names);
  }
};
"""
# What Chromium and Streamlit log of a session that is refused.
REFUSED = ("/_stcore/health", "/session", "WebSocket onerror", "503")
WHY = "The server has as many readers as it can handle. Try again in 60 seconds."


def test_it_says_why_in_the_look_asked_for_and_opens_by_itself(open_tab: Opener) -> None:
    tab = open_tab(None, color_scheme="light")
    page = tab.page
    page.route("**/session*", lambda route: route.fulfill(status=503, json={"detail": WHY}))
    page.add_init_script(DEAF)
    page.clock.install()  # later what the page waits for comes at once
    page.goto(f"{tab.base}{GRID.page}?theme=dark&batch-size=2#remember")
    page.clock.run_for(3_000)
    notice = page.get_by_role("alert")
    expect(notice).to_have_text(f"{WHY} This page retries on its own.")
    expect(notice).to_have_css("color-scheme", "dark")
    page.evaluate("() => (window.deaf = false)")
    page.unroute("**/session*")
    page.clock.run_for(10_000)
    tab.ready()
    expect(notice).to_be_hidden()
    explorable = GRID.explorable()
    assert_draws(tab.drawn(), explorable, explorable.state_at(batch_size=2))
    tab.forgive(*REFUSED)
