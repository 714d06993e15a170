"""The present view: one screen at a time, by keys and by buttons, and the address says which."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from lnviz.book.present.screens import screens
from lnviz.lessons import LESSONS, Figure, Goal, Question
from tests.browser.accessibility import objections
from tests.browser.conftest import DESKTOP, PHONE, part
from tests.browser.figures import GRID
from tests.browser.looks import colored
from tests.browser.ruler import TARGET, wider
from tests.browser.tab import Tab

(AXES,) = (lesson for lesson in LESSONS if lesson.slug == "axes")
SCREENS = screens(AXES.parts)
LAST = len(SCREENS)
FIGURE, QUESTION, GOAL = (
    next(n for n, screen in enumerate(SCREENS, 1) if isinstance(screen.parts[-1], kind))
    for kind in (Figure, Question, Goal)
)


def go(tab: Tab, query: str = "") -> Tab:
    tab.page.goto(f"{tab.base}/present/axes{query}")
    expect(tab.page.locator(".bar .told")).to_contain_text(f"of {LAST}")
    return tab


def shows(tab: Tab, number: int) -> None:
    """Waits until a screen is shown and the address says so."""
    expect(tab.page.locator(".bar .told")).to_contain_text(f"{number} of {LAST}")
    expect(tab.page.locator(".screen:visible")).to_have_count(1)
    expect(tab.page.locator(".screen").nth(number - 1)).to_be_visible()
    assert tab.query.get("screen", "1") == str(number)


@pytest.fixture
def tab(traveler: Tab) -> Iterator[Tab]:
    yield traveler
    traveler.page.emulate_media(color_scheme="light")
    traveler.page.set_viewport_size(DESKTOP)
    part(traveler)


def test_keys_move_on_and_back(tab: Tab) -> None:
    go(tab)
    at = 1
    for key, there in [
        ("ArrowRight", 2),
        ("PageDown", 3),
        ("Space", 4),
        ("Shift+Space", 3),
        ("ArrowLeft", 2),
        ("PageUp", 1),
        ("ArrowLeft", 1),
        ("End", LAST),
        ("ArrowRight", LAST),
        ("Home", at),
    ]:
        tab.page.keyboard.press(key)
        shows(tab, there)


def test_back_forward_and_reload_keep_the_screen(tab: Tab) -> None:
    go(tab)
    tab.page.get_by_role("button", name="Next", exact=True).click()
    tab.page.get_by_role("button", name="Next", exact=True).click()
    tab.page.go_back()
    shows(tab, 2)
    tab.page.go_forward()
    shows(tab, 3)
    tab.page.reload()
    shows(tab, 3)


@pytest.mark.parametrize(
    ("query", "number"),
    [("?screen=999", LAST), ("?screen=2#figure-grid", FIGURE), ("?screen=2#%22%5D", 2)],
)
def test_an_address_shows_a_screen_or_the_nearest(tab: Tab, query: str, number: int) -> None:
    shows(go(tab, query), number)


def test_a_figure_is_drawn_when_it_is_shown_and_its_controls_keep_their_keys(tab: Tab) -> None:
    go(tab, f"?screen={FIGURE - 1}&norm=batch&hide=data")
    expect(tab.page.locator(".ln")).to_have_count(0)
    tab.page.keyboard.press("ArrowRight")
    tab.ready()
    expect(tab.option("BatchNorm")).to_be_checked()
    expect(tab.figure.get_by_label("Data")).to_have_count(0)
    slider = tab.slider(GRID.control("batch size").name)
    slider.focus()
    for key in ("ArrowLeft", "Space", "PageUp", "End"):
        tab.page.keyboard.press(key)
    shows(tab, FIGURE)
    tab.page.keyboard.press("Home")
    tab.address_says(screen=str(FIGURE), norm="batch", hide="data", batch_size="1")


def test_the_answer_to_a_question_is_hidden_until_it_is_asked_for(tab: Tab) -> None:
    form = go(tab, f"?screen={QUESTION}").page.locator(".screen:visible form")
    question = SCREENS[QUESTION - 1].parts[-1]
    assert isinstance(question, Question)
    expect(form.get_by_role("status")).to_be_empty()
    right = next(answer for answer in question.answers if answer.is_right)
    form.get_by_role("button", name=right.text).click()
    expect(form.get_by_role("status")).to_have_text("Yes.")
    tab.page.keyboard.press("ArrowRight")
    shows(tab, QUESTION + 1)


def test_a_tall_screen_is_scrolled_before_it_is_turned(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 1280, "height": 600})
    go(tab, f"?screen={FIGURE}").ready()
    tab.page.keyboard.press("PageDown")
    shows(tab, FIGURE)
    assert tab.page.evaluate("() => document.documentElement.scrollTop > 0")
    tab.page.keyboard.press("ArrowRight")
    shows(tab, FIGURE + 1)
    tab.page.keyboard.press("PageUp")
    shows(tab, FIGURE)
    tab.until("() => document.documentElement.scrollTop > 0")
    tab.page.keyboard.press("Shift+Space")
    tab.until("() => document.documentElement.scrollTop === 0")


def test_a_figure_fits_the_window_with_its_controls(tab: Tab) -> None:
    tab.page.set_viewport_size({"width": 1280, "height": 720})
    tab.page.goto(f"{tab.base}/present/gain-bias#figure-line")
    tab.ready()
    end = tab.page.locator(".bar").bounding_box()
    assert end is not None
    for view in [tab.figure.locator(".toolbar"), *tab.figure.locator(".row > :visible").all()]:
        found = view.bounding_box()
        assert found is not None
        assert found["y"] >= 0
        assert found["y"] + found["height"] <= end["y"]


def test_a_goal_leads_to_the_screen_of_its_figure_and_back(tab: Tab) -> None:
    go(tab, f"?screen={GOAL}").page.locator(".screen:visible").get_by_role(
        "link", name="To the figure"
    ).click()
    shows(tab, FIGURE)
    tab.ready()
    note = tab.page.locator(".ln-goal")
    expect(note).to_be_in_viewport(ratio=1)
    tab.choose("BatchNorm")
    tab.exact("batch size").fill("2")
    tab.exact("batch size").press("Enter")
    expect(note).to_contain_class("reached")
    note.get_by_role("button", name="Back to the exercise").click()
    shows(tab, GOAL)
    form = tab.page.locator(".screen:visible form")
    expect(form.get_by_role("status")).to_have_text("Reached.")
    expect(form.get_by_role("link", name="To the figure")).to_be_focused()


def test_the_way_back_leads_to_the_lesson_as_it_stands(tab: Tab) -> None:
    go(tab, f"?norm=batch&screen={FIGURE}").page.get_by_role("link", name="To the lesson").click()
    tab.page.wait_for_url("**/axes?norm=batch#figure-grid")
    tab.ready()
    link = tab.page.get_by_role("link", name="Present this lesson")
    expect(link).to_have_attribute("href", "present/axes")


def test_paper_has_the_whole_lesson(tab: Tab) -> None:
    go(tab)
    tab.page.evaluate("() => { window.printed = 0; window.print = () => window.printed++; }")
    tab.page.get_by_role("button", name="Print").click()
    tab.until("() => window.printed === 1")
    expect(tab.page.locator(".screen:visible")).to_have_count(LAST)
    expect(tab.figure.locator(".grid").first).to_be_visible()
    tab.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    shows(tab, 1)


def assert_faultless(tab: Tab) -> None:
    assert objections(tab.page) == ""
    assert wider(tab) == []
    heights = [button.bounding_box() for button in tab.page.locator(".bar button:visible").all()]
    assert all(box and box["height"] >= TARGET for box in heights)


def test_a_screen_has_no_fault_by_day_nor_on_a_phone_by_night(tab: Tab) -> None:
    tab = go(tab, f"?screen={FIGURE}").ready()
    assert_faultless(tab)
    tab.page.set_viewport_size(PHONE["viewport"])
    colored(tab, "dark")
    for number in (FIGURE, QUESTION, LAST):  # the last is an exercise
        go(tab, f"?screen={number}")
        assert_faultless(tab)
