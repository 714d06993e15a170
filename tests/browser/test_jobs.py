"""A reader has runs trained by the server: asked for, drawn, handed on by a link, and stopped.

What else there is to a training is asked where a test plays it, in `test_growth.py`.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser import conftest
from tests.browser.accessibility import objections
from tests.browser.conftest import PHONE, Opener
from tests.browser.figures import place
from tests.browser.serving import Shared
from tests.browser.tab import Tab

YOURS = place("lab", "yours")
# Lines of the visible charts by their names: how many of their points have a value.
LINES = """
(root) => Object.fromEntries([...root.querySelectorAll(".chart:not([hidden]) .plot")]
  .flatMap((plot) => plot.data)
  .filter((trace) => trace.name)
  .map((trace) => [trace.name, [...trace.y].filter(Number.isFinite).length]))
"""
LOW = """
(root) => [...root.querySelectorAll("button, select, input, summary, .report a")]
  .filter((node) => node.checkVisibility({ visibilityProperty: true }))
  .filter((node) => (node.closest(".report a, .options label") ?? node).offsetHeight < 44)
  .map((node) => node.ariaLabel || node.textContent || node.value)
"""


def form(tab: Tab) -> Locator:
    """The form, opened."""
    found = tab.figure.get_by_role("region", name="Your own runs")
    choices = found.locator("details")
    if choices.get_attribute("open") is None:
        choices.get_by_text("Choose what to train", exact=True).click()
    return found


def fill(tab: Tab, norms: list[str], sizes: list[str], seeds: int, steps: int) -> None:
    """Fills the form in, by the keyboard alone."""
    for group, wanted in (("Norms", norms), ("Batch sizes", sizes)):
        for box in form(tab).get_by_role("group", name=group).get_by_role("checkbox").all():
            label = box.locator("xpath=..").inner_text()
            if box.is_checked() is not (label in wanted):
                box.press("Space")
    for name, number in (("Seeds each", seeds), ("Steps each", steps)):
        form(tab).get_by_label(name).press("Control+A")
        tab.page.keyboard.type(str(number))


def train(tab: Tab) -> None:
    form(tab).get_by_role("button", name="Train", exact=True).press("Enter")


def report(tab: Tab) -> Locator:
    return tab.figure.get_by_role("region", name="These runs")


@pytest.fixture(scope="module")
def trained(browser: Browser, server: Shared) -> Iterator[Tab]:
    """A tab whose reader has asked for a few short runs, which have been trained."""
    with conftest.context(browser) as owner, conftest.tab(owner, server.url) as tab:
        tab.open(YOURS.standalone)
        fill(tab, ["no norm", "LayerNorm"], ["32"], seeds=1, steps=60)
        train(tab)
        expect(report(tab)).to_contain_text("Done: 100%.")
        yield tab


def test_a_first_comparison_is_one_click_away(trained: Tab, open_tab: Opener) -> None:
    tab = open_tab("/lab")
    go = tab.figure.get_by_role("button", name="Train", exact=True).first
    expect(go).to_be_in_viewport()
    expect(tab.figure.locator(".counted").first).to_have_text(
        "2 norms × 1 batch size × 3 seeds: 6 runs of 400 steps, measured every 10."
    )


def test_the_runs_asked_for_are_trained_and_drawn(trained: Tab) -> None:
    trained.until(f"() => Object.values(({LINES})(document)).join() === '30,30'")
    assert trained.figure.evaluate(LINES) == {"no norm": 30, "LayerNorm": 30}
    trained.address_names("run")
    expect(report(trained).get_by_role("button", name="Stop")).to_be_hidden()


def test_all_measurements_can_be_taken_along(trained: Tab) -> None:
    for name, head in (("CSV", b"norm"), ("Parquet", b"PAR1")):
        path = (
            report(trained)
            .get_by_role("link", name=name)
            .evaluate("link => link.pathname + link.search")
        )
        assert trained.ask(path).body()[:200].find(head) >= 0


def test_axe_finds_nothing_to_object_to(trained: Tab) -> None:
    form(trained)
    trained.figure.get_by_text("Your latest runs: 1", exact=True).click()
    assert objections(trained.page) == ""


def test_a_link_shows_the_runs_on_another_readers_phone(trained: Tab, open_tab: Opener) -> None:
    tab = open_tab(trained.page.url.removeprefix(trained.base), **PHONE, color_scheme="dark")
    expect(report(tab)).to_contain_text("Done")
    expect(report(tab)).to_contain_text("You can watch them here, but not change them.")
    # Fingers hit everything.
    form(tab)
    assert tab.figure.locator(".jobs").evaluate(LOW) == []
    assert tab.page.evaluate("() => document.documentElement.scrollWidth") == 360


def test_long_runs_are_paused_found_again_and_stopped(trained: Tab) -> None:
    trained.open(YOURS.standalone)
    fill(trained, ["LayerNorm"], ["32"], seeds=1, steps=100_001)
    train(trained)
    expect(form(trained).get_by_role("alert")).to_contain_text("from 1 to 100000, but got 100001")
    trained.forgive("422")
    fill(trained, ["LayerNorm"], ["32"], seeds=1, steps=100_000)
    train(trained)
    trained.button("Pause").click()
    expect(report(trained)).to_contain_text("Paused")
    trained.button("Resume").click()
    expect(trained.button("Pause")).to_be_focused()
    trained.reopen("")
    latest = trained.figure.get_by_text("Your latest runs: 2, 1 not finished", exact=True)
    expect(latest).to_be_visible()
    train(trained)
    expect(form(trained).get_by_role("alert")).not_to_be_empty()
    trained.forgive("409")
    trained.button("Show those runs").click()
    trained.button("Stop").click()
    expect(report(trained)).to_contain_text("Stopped")
