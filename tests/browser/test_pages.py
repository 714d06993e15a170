"""Every page of the book on a phone, one after the other, as the foot of each leads on."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from lnviz.book import PAGES
from lnviz.lessons import ChoiceExercise, Exercise, Lesson
from lnviz.lessons.text import anchor
from tests.browser import conftest
from tests.browser.accessibility import objections
from tests.browser.drawn import assert_draws
from tests.browser.figures import CASE_SCALE, PLACES
from tests.browser.kinds import cover, of_page
from tests.browser.looks import colored, faults
from tests.browser.serving import Shared
from tests.browser.tab import Tab


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: page.slug)
def page(request: pytest.FixtureRequest) -> Lesson:
    lesson: Lesson = request.param
    return lesson


@pytest.fixture(scope="module")
def reader(server: Shared, phone: BrowserContext) -> Iterator[Tab]:
    """A tab before the first page."""
    with conftest.tab(phone, server.url) as tab:
        yield tab


@pytest.fixture(scope="module")
def tab(page: Lesson, reader: Tab) -> Tab:
    conftest.part(reader)
    return reader.turn_to(page).unfold()


@pytest.fixture(scope="module")
def chosen() -> list[Lesson]:
    """Pages that have together every kind of part."""
    return cover(PAGES, of_page)


def test_the_address_and_the_title_are_those_of_the_page(page: Lesson, tab: Tab) -> None:
    assert tab.page.url == f"{tab.base}/{page.url_path}"
    expect(tab.page).to_have_title(f"{page.title} - lnviz")


def test_each_figure_draws_what_python_computed(page: Lesson, tab: Tab) -> None:
    places = [place for place in PLACES if place.lesson is page]
    expect(tab.page.locator(".ln")).to_have_count(len(places))
    for place in places:
        tab.number = place.number
        assert_draws(tab.drawn(), place.explorable(), place.explorable().start_state())


def test_a_link_finds_every_heading(tab: Tab) -> None:
    heads = tab.page.locator(".stMain .stMarkdown :is(h2, h3)").all()
    assert [head.get_attribute("id") for head in heads] == [
        anchor((head.text_content() or "").strip()) for head in heads
    ]


def test_a_question_answers_whoever_commits_to_an_answer(page: Lesson, tab: Tab) -> None:
    asked = [piece for piece in page.parts if isinstance(piece, Exercise)]
    expect(tab.page.locator(".ln-ask")).to_have_count(len(asked))
    for question in [piece for piece in asked if isinstance(piece, ChoiceExercise)][:1]:
        box = tab.page.locator(f"#ask-{question.name}")
        verdict = box.get_by_role("status")
        expect(verdict).to_have_text("")
        option = box.locator(".options button").first
        option.click()
        expect(verdict).not_to_be_empty()
        mark = "right" if question.answers[0].is_right else "wrong"
        expect(option).to_have_attribute("data-mark", mark)


def test_it_has_no_fault(page: Lesson, tab: Tab, chosen: list[Lesson]) -> None:
    assert faults(tab, on_phone=True) == {}
    if page in chosen:
        assert objections(tab.page) == ""


def test_a_figure_alone_has_no_fault_by_night(reader: Tab) -> None:
    reader.open(CASE_SCALE.standalone)
    colored(reader, "dark")
    assert faults(reader, on_phone=True) == {}
    assert objections(reader.page) == ""
