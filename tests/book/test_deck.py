"""Lessons as decks for a lecture: all can be shown, asked, handed in and followed."""

import json
import re

import pytest

from lnviz.book.present import find_question
from lnviz.book.present.deck import MAX_CAPTION_WORDS, REMEMBER, START, deck
from lnviz.book.present.document import screen_document
from lnviz.book.present.slides import Slide, slide_title
from lnviz.lessons import (
    LESSONS,
    ChoiceExercise,
    Exercise,
    FigureGoal,
    FigureSpec,
    Lesson,
    NumberExercise,
    OrderExercise,
)

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)


def written(lesson: Lesson, named: str | int) -> dict[str, object]:
    return screen_document(
        lesson.slug, named, link=lambda there: f"/{there}", explorables="/figures/"
    )


@each_lesson
def test_every_question_is_asked_every_goal_handed_in_and_every_figure_followed(
    lesson: Lesson,
) -> None:
    for part in lesson.parts:
        if not isinstance(part, Exercise | FigureSpec):
            continue
        screens = deck(lesson.slug).screens
        (screen,) = (
            each
            for each in screens
            if (each.exercise is part if isinstance(part, Exercise) else not each.exercise)
            and (each.figure is part or isinstance(part, Exercise))
        )
        asked = find_question(lesson.slug, screen.name)
        assert asked is not None
        match part:
            case ChoiceExercise():
                assert asked.kind == "choice"
                assert len(asked.labels) == len(part.answers)
                assert asked.right is not None
                assert part.answers[asked.right].is_right
            case OrderExercise():
                assert asked.kind == "choice"
                assert asked.right is not None
                assert part.shuffled[asked.right] == 0
            case NumberExercise():
                assert (asked.kind, asked.right) == ("number", None)
            case _:
                assert (asked.kind, asked.right) == ("setting", None)
        if isinstance(part, FigureGoal):
            assert screen.figure is lesson.figure(part.figure)


@each_lesson
def test_a_screen_is_found_by_its_name_and_by_its_number(lesson: Lesson) -> None:
    shown = deck(lesson.slug)
    for number, screen in enumerate(shown.screens, 1):
        assert (
            shown.position(screen.name)
            == shown.position(number)
            == shown.position(str(number))
            == number
        )


@each_lesson
def test_a_figure_s_screen_is_called_after_its_text_or_its_section(lesson: Lesson) -> None:
    for screen in deck(lesson.slug).screens:
        if screen.figure and not screen.exercise:
            called = slide_title(Slide(lesson, screen, screen.name))
            assert len(called.split()) > 1, screen.name


@each_lesson
def test_a_deck_begins_with_the_core_and_what_is_for_some_comes_last(lesson: Lesson) -> None:
    screens = deck(lesson.slug).screens
    assert screens[0].name == START
    # The first screen shows no figure.
    assert not re.search(r"(?i)\b(choose|click|drag|move|press) [^.]*\.$", screens[0].caption)
    assert not re.search(r"\b([Tt]his|[Tt]hese) \w+", screens[0].caption.partition(". ")[0])
    assert screens[0].heading == lesson.title
    assert screens[0].caption
    names = [screen.name for screen in screens]
    core = [part.name for part in lesson.core if isinstance(part, ChoiceExercise | FigureSpec)]
    assert [name.removeprefix("ask-") for name in names[1 : len(core) + 1]] == core
    assert names[len(core) + 1] == REMEMBER
    parts = [screen.section for screen in screens]
    assert parts[: deck(lesson.slug).default_count] == [""] * deck(lesson.slug).default_count
    assert list(dict.fromkeys(filter(None, parts))) == [
        part.title for part in lesson.optional_sections
    ]


@each_lesson
def test_a_figure_has_a_short_sentence_beside_it(lesson: Lesson) -> None:
    for screen in deck(lesson.slug).screens:
        if screen.figure:
            assert len(screen.caption.split()) <= MAX_CAPTION_WORDS
            # A screen does not show what comes before.
            assert not screen.caption.startswith(("Next", "Now", "Other", "This", "We "))


@each_lesson
def test_a_document_of_a_screen_says_where_it_is_and_what_it_asks(lesson: Lesson) -> None:
    shown = deck(lesson.slug)
    for place, screen in enumerate(shown.screens, 1):
        page = json.loads(json.dumps(written(lesson, place)))
        assert page == json.loads(json.dumps(written(lesson, screen.name)))
        assert page["place"] == place <= page["count"] <= len(shown.screens)
        asked, figure = page["asked"], page["figure"]
        assert (asked is None) == (screen.exercise is None)
        if screen.figure and not screen.exercise:
            assert (page["heading"], page["html"]) == ("", "")
        if asked and asked["kind"] == "choice":
            assert asked["labels"][asked["right"]]
            assert asked["text"].startswith("<p>")
        if figure:
            assert figure["source"] == f"/figures/{figure['name']}.json"
            assert bool(figure["goal"]) == isinstance(screen.exercise, FigureGoal)


def test_what_shows_no_figure_and_asks_nothing_cannot_be_asked() -> None:
    assert find_question("axes", START) is None
    assert find_question("axes", REMEMBER) is None


@pytest.mark.parametrize("named", ["gone", 0, "999", "", "<b>"])
def test_an_unknown_screen_is_said_to_be_none_of_those_there(named: str | int) -> None:
    with pytest.raises(LookupError, match=r"has no screen .* It has screens 1 to .* start, grid"):
        find_question("axes", named)
    with pytest.raises(LookupError, match="no lesson 'gone'"):
        find_question("gone", 1)
