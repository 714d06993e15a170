import re

import pytest

from lnviz.book import PAGES, find_page
from lnviz.book.search import Section, search_index, sections
from lnviz.lessons import ChoiceExercise, Lesson, prose


def section(slug: str, heading: str) -> Section:
    page = find_page(slug)
    assert page is not None
    return next(each for each in sections(page) if each.heading == heading)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.slug)
def test_a_search_leads_to_every_heading_of_a_page(page: Lesson) -> None:
    written = "".join(
        prose.markdown_to_html(part, str) for part in page.parts if isinstance(part, str)
    )
    ids = {optional.name for optional in page.optional_sections}
    ids.update(re.findall(r'id="([^"]+)"', written))
    for each in list(sections(page))[1:]:
        slug, _, there = each.address.partition("#")
        assert slug == (page.url_path or ".")
        assert there in ids


def test_what_stands_below_a_heading_is_found_with_it() -> None:
    found = section("axes", "How is it computed, step by step?")
    assert found.page == "Which numbers share a mean?"
    assert "Write x_nd for the value of feature d in example n" in found.text


@pytest.mark.slow
def test_marks_of_markdown_are_not_searched() -> None:
    text = " ".join(each["text"] for each in search_index(PAGES, str))
    assert "](" not in text
    assert "**" not in text
    assert "\n" not in text


def test_questions_are_searched_and_their_answers_are_not() -> None:
    why = find_page("why")
    assert why is not None
    question = next(part for part in why.parts if isinstance(part, ChoiceExercise))
    text = " ".join(each.text for each in sections(why))
    assert question.text in text
    assert question.explanation not in text


def test_tables_and_folds_are_searched() -> None:
    text = " ".join(each.text for each in sections(PAGES[-3]))
    assert "Post-LN" in text
    assert "jnp." in text


@pytest.mark.slow
def test_links_are_those_of_the_place() -> None:
    assert all(
        each["address"].startswith("to:") for each in search_index(PAGES, lambda a: f"to:{a}")
    )


def test_what_a_section_says_ends_before_the_next_thing_begins() -> None:
    axes = find_page("axes")
    assert axes is not None
    beginning = next(sections(axes)).text
    moves, able = (
        f"{said[0].upper()}{said[1:]}." for said in (axes.summary, axes.learning_outcome)
    )
    assert beginning.startswith(f"{moves} {able} ")
