"""Lessons as pages of the app: their addresses, the browser's history, and several at once."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from lnviz.explorable import slug
from lnviz.lessons import Lesson
from tests.browser.conftest import Opener
from tests.browser.drawn import assert_draws
from tests.browser.figures import GRID, LINE, place
from tests.browser.tab import Tab

LEVEL = place("recurrence", "level")


def go_to(tab: Tab, lesson: Lesson) -> None:
    """Follows the link in the sidebar."""
    follow(tab, lesson)
    tab.ready()


def follow(tab: Tab, lesson: Lesson) -> None:
    sidebar = tab.page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link", name=lesson.title).click()
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(lesson.title)


def arrive(tab: Tab, lesson: Lesson) -> None:
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(lesson.title)
    tab.ready()


def test_back_and_forward_return_to_the_state_and_the_parameters_of_each_lesson(
    open_tab: Opener,
) -> None:
    tab = open_tab(GRID.page)
    tab.figure.get_by_label("Data").select_option("digits")
    tab.address_says(data="digits")
    tab.choose("BatchNorm")
    tab.address_says(data="digits", norm="batch")
    first = tab.drawn()
    explorable = GRID.explorable(data="digits")
    assert_draws(first, explorable, explorable.state_at(norm="batch"))
    go_to(tab, LINE.lesson)
    entries = tab.page.evaluate("() => history.length")
    for key, gain in (("Home", "-2"), ("ArrowRight", "-1.9")):
        tab.slider("gain").press(key)
        tab.address_says(shared_gain=gain)
    # Moving a control leaves nothing behind for the back button.
    assert tab.page.evaluate("() => history.length") == entries
    second = tab.drawn()

    tab.page.go_back()
    arrive(tab, GRID.lesson)
    tab.address_says(data="digits", norm="batch")
    assert tab.drawn() == first

    tab.page.go_forward()
    arrive(tab, LINE.lesson)
    tab.address_says(shared_gain="-1.9")
    assert tab.drawn() == second


def test_a_lesson_is_found_as_it_was_left_and_back_as_it_was_then(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    explorable = GRID.explorable()
    go_to(tab, LINE.lesson)
    tab.slider("gain").press("Home")
    tab.address_says(shared_gain="-2")
    go_to(tab, GRID.lesson)
    tab.choose("BatchNorm")
    tab.address_says(norm="batch")
    go_to(tab, LINE.lesson)
    tab.address_says(shared_gain="-2")
    go_to(tab, GRID.lesson)
    tab.address_says(norm="batch")
    assert_draws(tab.drawn(), explorable, explorable.state_at(norm="batch"))
    for lesson in (LINE.lesson, GRID.lesson, LINE.lesson, GRID.lesson):
        tab.page.go_back()
        arrive(tab, lesson)
    tab.address_says()
    assert_draws(tab.drawn(), explorable, explorable.start_state())


def test_a_copied_link_opens_at_its_figure(open_tab: Opener) -> None:
    tab = open_tab(LEVEL.page, LEVEL.number)
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.slider("input size").press("End")
    tab.entry("Copy link").click()
    expect(tab.figure.locator(".actions .told")).to_have_text("Link copied.")
    link = tab.page.evaluate("() => navigator.clipboard.readText()")
    assert link.removeprefix(tab.base) == f"{LEVEL.page}?input-size=1#figure-level"
    tab.page.goto("about:blank")
    tab.page.goto(link)
    tab.ready()
    expect(tab.figure).to_be_in_viewport()
    assert tab.figure.evaluate("figure => figure.getBoundingClientRect().top") < 200
    explorable = LEVEL.explorable()
    assert_draws(tab.drawn(), explorable, explorable.state_at(input_size=1))


def test_a_figure_has_a_page_of_its_own_that_shows_the_same_state(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    tab.choose("RMSNorm")
    tab.address_says(norm="rms")
    before = tab.drawn()
    tab.entry("Open on its own page").click()
    tab.page.wait_for_url(f"**{GRID.standalone}?norm=rms")
    assert tab.ready().drawn() == before


def test_a_link_to_the_lesson_one_is_in_shows_what_its_address_says(open_tab: Opener) -> None:
    tab = open_tab(GRID.page)
    tab.choose("BatchNorm")
    tab.address_says(norm="batch")
    go_to(tab, GRID.lesson)
    query = tab.query
    explorable = GRID.explorable()
    assert_draws(tab.drawn(), explorable, explorable.state_at(norm=query.get("norm", "layer")))


def test_a_reload_keeps_the_state_of_a_lesson(open_tab: Opener) -> None:
    state = {"norm": "rms", "batch-size": "2", "step": "variance", "layout": "columns"}
    state["hide"] = "data"
    tab = open_tab(f"{GRID.page}?{urlencode({**state, 'cell': '2.4'})}")
    before = tab.drawn()
    tab.page.reload()
    assert tab.ready().drawn() == before
    assert tab.query == {**state, "cell": "2.4"}
    expect(tab.option("RMSNorm")).to_be_checked()
    expect(tab.figure.get_by_label("Data")).to_have_count(0)


def test_two_tabs_move_on_their_own(open_tab: Opener) -> None:
    one, other = open_tab(GRID.page), open_tab(GRID.page)
    before = other.drawn()
    one.choose("BatchNorm")
    one.slider("batch size").press("Home")
    one.address_says(norm="batch", batch_size="1")
    assert other.drawn() == before
    assert other.query == {}
    other.choose("RMSNorm")
    other.address_says(norm="rms")
    explorable = GRID.explorable()
    assert_draws(one.drawn(), explorable, explorable.state_at(norm="batch", batch_size=1))


def test_a_lesson_survives_a_hostile_address(open_tab: Opener) -> None:
    explorable = GRID.explorable()
    names = [
        *(slug(control.name) for control in explorable.controls),
        *(parameter.name for parameter in GRID.figure.parameters),
    ]
    texts = ["nan", "%00", "%3Cscript%3Ewindow.harm=1%3C/script%3E", "%D9%A3", "", "%FF"]
    hostile = [f"{name}={texts[i % len(texts)]}" for i, name in enumerate(names * 2)]
    tab = open_tab(f"{GRID.page}?{'&'.join(hostile)}")
    # A parameter that the server refuses; Chromium logs every answer that is not 2xx.
    tab.forgive("status of 422")
    assert_draws(tab.drawn(), explorable, explorable.start_state())
    assert tab.query == {}
    assert tab.page.evaluate("() => window.harm") is None
