"""A page for which the server opens no session."""

from playwright.sync_api import expect

from lnviz.web.guard import TABS
from tests.browser import conftest
from tests.browser.conftest import Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import GRID

SESSIONS = """
async (count) => {
  const address = new URL("_stcore/stream", location.origin.replace("http", "ws"));
  window.held = Array.from({ length: count }, () => new WebSocket(address, "streamlit"));
  await Promise.all(held.map((socket) => new Promise((opened) => (socket.onopen = opened))));
}
"""
# What Chromium and Streamlit log of a session that is refused.
REFUSED = ("/_stcore/stream", "WebSocket onerror", "429")


def test_it_says_why_and_opens_by_itself(open_tab: Opener) -> None:
    many = open_tab(None, color_scheme="dark")
    many.open(GRID.standalone)  # which gives the browser its name, and has no session itself
    many.page.evaluate(SESSIONS, TABS)
    with conftest.tab(many.page.context, many.base) as one_more:
        one_more.page.clock.install()  # later what the page waits for comes at once
        one_more.page.goto(one_more.base + GRID.page)
        one_more.page.clock.run_for(3_000)
        notice = one_more.page.get_by_role("alert")
        expect(notice).to_have_text(
            f"{TABS} pages are open in this browser. Close one. "
            "Try again in 10 seconds. This page does so by itself."
        )
        expect(notice).to_have_css("color-scheme", "dark")
        many.page.evaluate("() => held[0].close()")
        one_more.page.clock.run_for(10_000)
        one_more.ready()
        expect(notice).to_be_hidden()
        assert_draws(one_more.drawn(), GRID.explorable(), GRID.explorable().start())
        one_more.forgive(*REFUSED)
