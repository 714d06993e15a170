"""The very first visitor of a server that has just started, by a link to any lesson."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from lnviz.explorable import slug
from lnviz.lessons import LESSONS, Lesson
from tests.browser import conftest
from tests.browser.drawn import assert_draws
from tests.browser.figures import place
from tests.browser.tab import Tab


@pytest.fixture(scope="module", params=LESSONS, ids=lambda lesson: lesson.slug)
def lesson(request: pytest.FixtureRequest) -> Lesson:
    return request.param


# A figure of each lesson, one of its controls, and a value away from rest.
MOVED: dict[str, tuple[str, str, float]] = {
    "axes": ("grid", "batch size", 2),
    "gain-bias": ("line", "gain", 2),
    "invariance": ("case-scale", "case scale", 10),
    "geometry": ("gain", "input scale", 10),
    "recurrence": ("factor", "per-step factor", 0.9),
}


@pytest.fixture(scope="module")
def first(lesson: Lesson, browser: Browser, desktop: BrowserContext) -> Iterator[Tab]:
    """A lesson with a control moved, opened as the first page that a server answers."""
    figure, control, value = MOVED[lesson.slug]
    address = f"/{lesson.slug}?{slug(control)}={value}"
    with conftest.serving() as server, conftest.tab(desktop, server.url) as tab:
        yield tab.open(address, place(lesson.slug, figure).number)


def test_the_figure_is_there_in_the_state_of_the_link(first: Tab, lesson: Lesson) -> None:
    figure, control, value = MOVED[lesson.slug]
    explorable = place(lesson.slug, figure).explorable()
    assert_draws(first.drawn(), explorable, explorable.at(**{control: value}))


def test_the_frame_names_every_lesson(first: Tab, lesson: Lesson) -> None:
    sidebar = first.page.get_by_test_id("stSidebar")
    for each in LESSONS:
        expect(sidebar.get_by_role("link", name=each.title, exact=True)).to_be_visible()


def test_the_title_is_that_of_the_lesson(first: Tab, lesson: Lesson) -> None:
    expect(first.page.get_by_role("heading", level=1)).to_have_text(lesson.title)
    expect(first.page).to_have_title(f"{lesson.title} - lnviz")


def test_the_address_is_still_that_of_the_link(first: Tab, lesson: Lesson) -> None:
    _, control, value = MOVED[lesson.slug]
    assert first.page.url.startswith(f"{first.base}/{lesson.slug}?")
    assert {name: float(text) for name, text in first.query.items()} == {slug(control): value}
