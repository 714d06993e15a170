"""Lessons cut into screens: nothing is lost, and each screen has one thing on it."""

import pytest

from lnviz.book.present.screens import WORDS, screens
from lnviz.lessons import LESSONS, Figure, Lesson, Panel

each_lesson = pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.slug)


@each_lesson
def test_the_screens_have_all_of_a_lesson_in_its_order(page: Lesson) -> None:
    shown = [part for screen in screens(page.parts) for part in screen.parts]
    prose = " ".join(part for part in shown if isinstance(part, str))
    written = " ".join(part for part in page.parts if isinstance(part, str))
    assert prose.split() == written.split()
    others = [part for part in page.parts if not isinstance(part, str | Panel)]
    assert [part for part in shown if not isinstance(part, str)] == others


@each_lesson
def test_a_screen_has_one_thing_besides_prose(page: Lesson) -> None:
    for screen in screens(page.parts):
        others = [part for part in screen.parts if not isinstance(part, str)]
        assert len(others) <= 1
        assert screen.parts[len(screen.parts) - len(others) :] == tuple(others)


@each_lesson
def test_a_lesson_opens_with_its_first_paragraph_alone(page: Lesson) -> None:
    first = screens(page.parts)[0]
    assert isinstance(page.parts[0], str)
    assert first.parts == (page.parts[0].partition("\n\n")[0],)


@each_lesson
def test_no_screen_ends_with_a_heading(page: Lesson) -> None:
    for screen in screens(page.parts):
        last = screen.parts[-1]
        assert not isinstance(last, str) or not last.splitlines()[-1].startswith("#")


@each_lesson
def test_a_screen_knows_the_section_it_is_in(page: Lesson) -> None:
    heading = ""
    for screen in screens(page.parts):
        for line in "\n".join(screen.prose).splitlines():
            heading = line[3:] if line.startswith("## ") else heading
        assert screen.heading == heading


def test_a_long_passage_is_cut_between_paragraphs() -> None:
    paragraph = " ".join(["word"] * (WORDS // 2))
    found = screens(["\n\n".join(["Lead.", *[paragraph] * 4])])
    assert [screen.words for screen in found] == [1, *[2 * (WORDS // 2)] * 2]


def test_a_formula_stays_with_its_sentence_and_a_list_with_what_announces_it() -> None:
    paragraph = " ".join(["word"] * WORDS)
    found = screens([f"Lead.\n\n{paragraph}\n\n$$\na\n$$\n\nThese are:\n\n- {paragraph}"])
    assert [screen.prose for screen in found[1:]] == [
        (f"{paragraph}\n\n$$\na\n$$",),
        (f"These are:\n\n- {paragraph}",),
    ]


def test_a_figure_has_little_beside_it() -> None:
    for page in LESSONS:
        for screen in screens(page.parts):
            if isinstance(screen.parts[-1], Figure):
                assert screen.words < WORDS / 2
