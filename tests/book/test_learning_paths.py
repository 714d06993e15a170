import re
from html import escape
from pathlib import Path as FilePath

import pytest

from lnviz.book.duration import (
    FIGURE_MINUTES,
    QUESTION_MINUTES,
    STEPS_MINUTES,
    WORDS_PER_MINUTE,
    core_minutes,
    duration_text,
    reading_minutes,
)
from lnviz.book.learning_paths import (
    LEARNING_PATHS,
    LearningPath,
    find_path,
    lesson_cards,
    starting_points,
)
from lnviz.lessons import LESSONS, ChoiceExercise, FigureSpec, Lesson
from lnviz.lessons.sections import format_minutes

DEEPER = ":::: deeper {}\n## More\n\nIt goes on.\n\nThere.\n::::\n\n"

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
BOUNDS = {"5 minutes": (4, 8), "20 minutes": (16, 24), "One hour": (42, 66)}


@pytest.mark.parametrize("route", LEARNING_PATHS, ids=lambda route: route.time)
def test_a_route_takes_about_the_time_that_it_says(route: LearningPath) -> None:
    low, high = BOUNDS[route.time]
    assert low <= route.minutes <= high


def test_the_hour_from_zero_begins_where_the_start_leads() -> None:
    (hour,) = (route for route in LEARNING_PATHS if route.name == "hour")
    assert hour.lessons[0] is LESSONS[0]
    assert f'<p class="start"><a href="{LESSONS[0].slug}">' in starting_points(str)


@each_lesson
def test_every_lesson_says_what_one_can_do_after_it(lesson: Lesson) -> None:
    assert lesson.learning_outcome
    assert lesson.learning_outcome[0].islower()
    assert not lesson.learning_outcome.endswith(".")


@each_lesson
def test_a_lesson_takes_as_long_as_its_figures_questions_and_prose(lesson: Lesson) -> None:
    figures = sum(isinstance(part, FigureSpec) for part in lesson.core)
    questions = sum(isinstance(part, ChoiceExercise) for part in lesson.core)
    prose = sum(len(part.split()) for part in lesson.core if isinstance(part, str))
    minutes = (FIGURE_MINUTES + STEPS_MINUTES) * figures + QUESTION_MINUTES * questions
    least = minutes + prose / WORDS_PER_MINUTE
    assert least <= core_minutes(lesson)


@each_lesson
def test_what_is_deeper_takes_about_the_minutes_that_it_says(lesson: Lesson) -> None:
    for fold in lesson.optional_sections:
        assert abs(fold.minutes - reading_minutes(fold.flattened)) <= 1, fold.title


@pytest.mark.parametrize(
    ("deeper", "said"),
    [
        ("", "1 minute"),
        (DEEPER.format(3) + DEEPER.format(4), "1 minute, and 7 more if you go deeper"),
    ],
)
def test_a_lesson_says_how_long_it_takes_and_how_long_what_is_deeper(
    deeper: str, said: str, tmp_path: FilePath
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "text.md").write_text(f"Lead.\n\n{deeper}", encoding="utf-8")
    assert duration_text(Lesson("a", "A", "S", "what moves", (), tmp_path)) == said


def test_the_ways_name_the_lessons_of_their_routes_with_their_minutes() -> None:
    text = starting_points(str)
    for route, lesson in ((path, each) for path in LEARNING_PATHS for each in path.lessons):
        assert f'href="{route.address(lesson)}"' in text
    for lesson in LEARNING_PATHS[-1].lessons:
        assert (
            f"{escape(lesson.title)}</a> <small>{format_minutes(core_minutes(lesson))}</small>"
            in text
        )


def test_an_address_names_a_route_that_has_the_lesson() -> None:
    hour = LEARNING_PATHS[-1]
    assert find_path("hour", hour.lessons[2]) is hour
    assert hour.position(hour.lessons[2]) == f"3 of {len(hour.lessons)}"
    strangers = [lesson for lesson in LESSONS if lesson not in hour.lessons]
    assert strangers
    assert all(find_path("hour", lesson) is None for lesson in strangers)
    assert find_path("day", hour.lessons[2]) is None


def test_the_cards_name_every_lesson_once_in_order() -> None:
    assert re.findall(r'href="([^"]+)"', lesson_cards(str)) == [lesson.slug for lesson in LESSONS]


def test_an_address_is_written_as_it_is_where_the_page_stands() -> None:
    assert 'href="axes.html"' in lesson_cards(lambda address: f"{address}.html")
    assert 'href="../axes"' in starting_points(lambda address: f"../{address}")
