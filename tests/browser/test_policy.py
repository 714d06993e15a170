"""What browsers are told that pages may do; every other test fails where one does more."""

from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.figures import GRID

BREAK = """
async (script) => {
  const broken = new Promise((done) =>
    document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective)),
  );
  const element = document.createElement("script");
  element.textContent = script;
  document.body.append(element);
  return { broken: await broken, ran: "ran" in window };
}
"""
FRAME = """
async (source) => {
  const frame = document.createElement("iframe");
  frame.src = source;
  const loaded = new Promise((done) => frame.addEventListener("load", done));
  document.body.append(frame);
  await loaded;
}
"""


def test_a_script_that_somebody_puts_into_a_page_does_not_run(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    found = tab.page.evaluate(BREAK, "window.ran = true")
    assert found == {"broken": "script-src-elem", "ran": False}
    tab.forgive("Content Security Policy")


def test_another_site_may_show_a_figure_but_not_the_app(open_tab: Opener) -> None:
    tab = open_tab(None, color_scheme="light")  # a browser that has shown nothing of ours
    tab.page.set_content("<!doctype html><title>Slides</title>")
    tab.page.evaluate(FRAME, tab.base + GRID.standalone)
    expect(tab.page.frame_locator("iframe").locator(".ln .row").first).to_be_visible()
    tab.page.evaluate(FRAME, tab.base + GRID.page)
    assert any("frame-ancestors" in complaint for complaint in tab.complaints), tab.complaints
    tab.forgive("frame-ancestors")
