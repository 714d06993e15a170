"""Every page of the book, one after the other, in a tab that goes there by the sidebar."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from lnviz.book import PAGES
from lnviz.lessons import Asked, Lesson, Question
from lnviz.lessons.text import anchor
from tests.browser.conftest import DESKTOP, PHONE, part
from tests.browser.drawn import assert_draws
from tests.browser.figures import PLACES
from tests.browser.ruler import RESIZED, TARGET, targets, wider
from tests.browser.tab import Tab


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: page.slug)
def page(request: pytest.FixtureRequest) -> Lesson:
    lesson: Lesson = request.param
    return lesson


@pytest.fixture(scope="module")
def reader(traveler: Tab) -> Tab:
    """A tab at the last page."""
    return traveler.open(f"/{PAGES[-1].address}")


@pytest.fixture(scope="module")
def tab(page: Lesson, reader: Tab) -> Tab:
    part(reader)
    sidebar = reader.page.get_by_test_id("stSidebar")
    sidebar.get_by_role("link", name=page.title, exact=True).click()
    expect(reader.page.get_by_role("heading", level=1)).to_have_text(page.title)
    return reader.ready().unfold()


def test_the_address_and_the_title_are_those_of_the_page(page: Lesson, tab: Tab) -> None:
    assert tab.page.url == f"{tab.base}/{page.address}"
    expect(tab.page).to_have_title(f"{page.title} - lnviz")


def test_each_figure_draws_what_python_computed(page: Lesson, tab: Tab) -> None:
    places = [place for place in PLACES if place.lesson is page]
    expect(tab.page.locator(".ln")).to_have_count(len(places))
    for place in places:
        tab.number = place.number
        assert_draws(tab.drawn(), place.explorable(), place.explorable().start())


def test_a_link_finds_every_heading(tab: Tab) -> None:
    heads = tab.page.locator(".stMain .stMarkdown :is(h2, h3)").all()
    assert [head.get_attribute("id") for head in heads] == [
        anchor((head.text_content() or "").strip()) for head in heads
    ]


def test_a_question_answers_whoever_commits_to_an_answer(page: Lesson, tab: Tab) -> None:
    asked = [piece for piece in page.parts if isinstance(piece, Asked)]
    expect(tab.page.locator(".ln-ask")).to_have_count(len(asked))
    for question in [piece for piece in asked if isinstance(piece, Question)][:1]:
        box = tab.page.locator(f"#ask-{question.name}")
        verdict = box.get_by_role("status")
        expect(verdict).to_have_text("")
        box.locator("label").first.click()
        box.get_by_role("button", name="Check").click()
        expect(verdict).to_contain_text(": ")


@pytest.fixture(scope="module")
def narrow(tab: Tab) -> Iterator[Tab]:
    """The page as narrow as a phone, where no bar to scroll with takes room."""
    bar = tab.page.locator(".stMain").evaluate("node => node.offsetWidth - node.clientWidth")
    size = PHONE["viewport"]
    tab.page.set_viewport_size({"width": size["width"] + bar, "height": size["height"]})
    tab.until(RESIZED)
    yield tab
    tab.page.set_viewport_size(DESKTOP)


def test_it_is_no_wider_than_a_phone(narrow: Tab) -> None:
    assert wider(narrow) == []


def test_fingers_hit_every_control_of_a_figure_or_table(narrow: Tab) -> None:
    assert [target for target in targets(narrow) if target[1] < TARGET] == []


def test_it_complains_of_nothing_and_asks_no_other_host(tab: Tab) -> None:
    assert (tab.complaints, tab.strangers()) == ([], set())
