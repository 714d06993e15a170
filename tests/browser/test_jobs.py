"""A reader has runs trained: asked for, watched, handed on by a link, and found again."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, expect

from tests.browser import conftest
from tests.browser.accessibility import objections
from tests.browser.conftest import PHONE, Opener
from tests.browser.figures import place
from tests.browser.serving import Shared
from tests.browser.tab import Tab

YOURS = place("lab", "yours")
FRESH = {"viewport": {"width": 1280, "height": 900}}
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
    found = tab.figure.locator("details", has_text="Train runs of your own")
    if found.get_attribute("open") is None:
        found.get_by_text("Train runs of your own", exact=True).click()
    return found


def fill(tab: Tab, norms: list[str], sizes: list[str], seeds: int, steps: int) -> None:
    """Fills the form in, by the keyboard alone."""
    for group, wanted in (("Norms", norms), ("Batch sizes", sizes)):
        for box in form(tab).get_by_role("group", name=group).get_by_role("checkbox").all():
            label = box.locator("xpath=..").inner_text()
            if box.is_checked() is not (label in wanted):
                box.press("Space")
    for name, number in (("Seeds of each", seeds), ("Steps of each", steps)):
        form(tab).get_by_label(name).press("Control+A")
        tab.page.keyboard.type(str(number))


def train(tab: Tab) -> None:
    form(tab).get_by_role("button", name="Train", exact=True).press("Enter")


def report(tab: Tab) -> Locator:
    return tab.figure.get_by_role("region", name="These runs")


@pytest.fixture(scope="module")
def owner(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that no other test uses."""
    with conftest.context(browser) as context:
        yield context


@pytest.fixture(scope="module")
def trained(owner: BrowserContext, server: Shared) -> Iterator[Tab]:
    """A tab whose reader has asked for a few short runs, which have been trained."""
    with conftest.tab(owner, server.url) as tab:
        tab.open(YOURS.standalone)
        fill(tab, ["no norm", "LayerNorm"], ["32"], seeds=2, steps=60)
        train(tab)
        expect(report(tab)).to_contain_text("Done: 120 of 120 steps.")
        yield tab


@pytest.fixture(scope="module")
def unfinished(browser: Browser, server: Shared) -> Iterator[BrowserContext]:
    """A browser whose reader has asked for long runs, which are not finished."""
    with ExitStack() as stack:
        context = stack.enter_context(conftest.context(browser))
        tab = stack.enter_context(conftest.tab(context, server.url)).open(YOURS.standalone)
        fill(tab, ["LayerNorm"], ["32"], seeds=1, steps=100_000)
        train(tab)
        tab.address_names("run")
        yield context
        tab.button("Stop").click()
        expect(report(tab)).to_contain_text("Stopped")


def another(context: BrowserContext, server: Shared, stack: ExitStack) -> Tab:
    """A tab that the same browser opens on the figure as it starts."""
    return stack.enter_context(conftest.tab(context, server.url)).open(YOURS.standalone)


def test_the_runs_asked_for_are_trained_and_drawn(trained: Tab) -> None:
    trained.until(f"() => Object.values(({LINES})(document)).join() === '30,30'")
    assert trained.figure.evaluate(LINES) == {"no norm": 30, "LayerNorm": 30}
    trained.address_names("run")
    expect(report(trained).get_by_role("button", name="Stop")).to_be_hidden()


def test_all_measurements_can_be_taken_along(trained: Tab) -> None:
    for name, head in (("CSV", b"norm"), ("Parquet", b"PAR1")):
        address = report(trained).get_by_role("link", name=name).evaluate("link => link.href")
        assert trained.page.request.get(address).body()[:200].find(head) >= 0


def test_axe_finds_nothing_to_object_to(trained: Tab) -> None:
    form(trained)
    trained.figure.get_by_text("Your latest runs: 1", exact=True).click()
    assert objections(trained.page) == ""


def test_fingers_hit_everything_on_a_small_screen(trained: Tab, open_tab: Opener) -> None:
    tab = open_tab(trained.page.url.removeprefix(trained.base), **PHONE, color_scheme="dark")
    expect(report(tab)).to_contain_text("Done")
    form(tab)
    assert tab.figure.locator(".jobs").evaluate(LOW) == []
    assert tab.page.evaluate("() => document.documentElement.scrollWidth") == 360


def test_a_refused_wish_gets_a_sentence_and_leaves_the_figure(open_tab: Opener) -> None:
    tab = open_tab(YOURS.standalone, **FRESH)
    before = tab.drawn()
    fill(tab, ["LayerNorm"], ["32"], seeds=1, steps=100_001)
    train(tab)
    expect(form(tab).get_by_role("alert")).to_contain_text("from 1 to 100000, got 100001")
    assert tab.drawn() == before
    assert tab.query == {}
    tab.forgive("422")


def test_a_wish_without_a_norm_is_not_sent(open_tab: Opener) -> None:
    tab = open_tab(YOURS.standalone, **FRESH)
    fill(tab, [], ["32"], seeds=1, steps=60)
    train(tab)
    expect(form(tab).get_by_role("alert")).to_have_text("Choose at least one norm.")


def test_a_link_shows_the_runs_in_another_browser_which_cannot_change_them(
    unfinished: BrowserContext, open_tab: Opener
) -> None:
    link = unfinished.pages[0].url.partition("/explorables")[2]
    tab = open_tab(f"/explorables{link}", **FRESH)
    expect(report(tab)).to_contain_text("Here they can be watched, not changed.")
    expect(report(tab).get_by_role("button")).to_have_count(0)


def test_a_page_opened_anew_finds_the_runs_of_its_reader(
    unfinished: BrowserContext, server: Shared
) -> None:
    with ExitStack() as stack:
        tab = another(unfinished, server, stack)
        expect(
            tab.figure.get_by_text("Your latest runs: 1, 1 not finished", exact=True)
        ).to_be_visible()
        tab.figure.locator(".past").get_by_role("button").click()
        tab.address_names("run")
        expect(report(tab).get_by_role("button", name="Stop")).to_be_visible()


def test_who_has_unfinished_runs_is_led_to_them(unfinished: BrowserContext, server: Shared) -> None:
    with ExitStack() as stack:
        tab = another(unfinished, server, stack)
        form(tab)
        train(tab)
        expect(form(tab).get_by_role("alert")).not_to_be_empty()
        tab.button("Show those runs").click()
        expect(report(tab)).to_be_visible()
        expect(report(tab).locator(".title")).to_be_focused()
        tab.forgive("409")


def test_runs_can_be_paused_and_go_on(unfinished: BrowserContext, server: Shared) -> None:
    with ExitStack() as stack:
        tab = another(unfinished, server, stack)
        tab.figure.locator(".past").get_by_role("button").click()
        tab.button("Pause").click()
        expect(report(tab)).to_contain_text("Paused")
        expect(tab.button("Resume")).to_be_focused()
        tab.button("Resume").click()
        expect(tab.button("Pause")).to_be_focused()
