"""Links to every lesson, followed on a server that has just started: the first to the last one."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import BrowserContext, expect

from lnviz.book import PAGES
from lnviz.explorable import Slider, slug
from lnviz.lessons import Asked, Lesson, Question
from tests.browser import conftest
from tests.browser.drawn import assert_draws, sliders
from tests.browser.figures import PLACES, Place
from tests.browser.tab import Tab


@dataclass(frozen=True)
class Link:
    """A lesson with the first slider of its first figure that has one at an end."""

    lesson: Lesson
    place: Place
    slider: Slider

    @property
    def position(self) -> int:
        return 0 if self.slider.start_index else self.slider.size - 1

    @property
    def address(self) -> str:
        return f"{self.place.page}?{slug(self.slider.name)}={self.slider.values[self.position]}"


@pytest.fixture(scope="module")
def visitor(desktop: BrowserContext) -> Iterator[Tab]:
    """A tab that goes from link to link of a fresh server."""
    with conftest.serving() as server, conftest.tab(desktop, server.url) as tab:
        yield tab


DRAWING = [page for page in PAGES[::-1] if page.figures]


@pytest.fixture(scope="module", params=DRAWING, ids=lambda lesson: lesson.slug)
def link(request: pytest.FixtureRequest) -> Link:
    lesson: Lesson = request.param
    return next(
        Link(lesson, place, slider)
        for place in PLACES
        if place.lesson is lesson
        for slider in sliders(place.explorable())
    )


@pytest.fixture(scope="module")
def tab(link: Link, visitor: Tab) -> Iterator[Tab]:
    visitor.page.bring_to_front()
    yield visitor.open(link.address, link.place.number)
    conftest.part(visitor)


def test_the_figure_is_there_in_the_state_of_the_link(tab: Tab, link: Link) -> None:
    explorable = link.place.explorable()
    assert_draws(tab.drawn(), explorable, explorable.start() | {link.slider.name: link.position})


def test_the_frame_names_every_lesson(tab: Tab) -> None:
    sidebar = tab.page.get_by_test_id("stSidebar")
    for each in PAGES:
        expect(sidebar.get_by_role("link", name=each.title, exact=True)).to_be_visible()


def test_the_title_is_that_of_the_lesson(tab: Tab, link: Link) -> None:
    expect(tab.page.get_by_role("heading", level=1)).to_have_text(link.lesson.title)
    expect(tab.page).to_have_title(f"{link.lesson.title} - lnviz")


def test_the_address_is_still_that_of_the_link(tab: Tab, link: Link) -> None:
    value = link.slider.values[link.position]
    assert tab.page.url.startswith(tab.base + link.place.page)
    assert {name: float(text) for name, text in tab.query.items()} == {
        slug(link.slider.name): value
    }


def test_a_question_answers_whoever_commits_to_an_answer(tab: Tab, link: Link) -> None:
    asked = [part for part in link.lesson.parts if isinstance(part, Asked)]
    expect(tab.page.locator(".ln-ask")).to_have_count(len(asked))
    question = next((part for part in asked if isinstance(part, Question)), None)
    if question:
        box = tab.page.locator(f"#ask-{question.name}")
        verdict = box.get_by_role("status")
        expect(verdict).to_have_text("")
        box.locator("label").first.click()
        box.get_by_role("button", name="Check").click()
        expect(verdict).to_contain_text(": ")
